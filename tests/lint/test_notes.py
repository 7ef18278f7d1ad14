"""Notes left to be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.notes import Todo
from tests.lint.bundles import found, subject

GUARD = """\
kind: guards
rules:
  - id: files.etc
    title: {title}
    decide: ask  {behind}
    {above}
    when: >-  {head}
      call.nested
      {inside}
    # {after}
    reason: no
"""
PLAIN = {
    "title": "A",
    "behind": "",
    "above": "",
    "head": "",
    "inside": "or call.unattended",
    "after": "x",
}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, []),
        ({"behind": "# TODO later"}, [(5, "`TODO`: later")]),
        ({"above": "# FIXME: /boot as well"}, [(6, "`FIXME`: /boot as well")]),
        ({"above": "# see below (XXX)"}, [(6, "`XXX`")]),
        ({"head": "# TODO shorten"}, [(7, "`TODO`: shorten")]),
        ({"after": "TODO shorten"}, [(10, "`TODO`: shorten")]),
        ({"above": "# /boot is left out; TODO: ask ann"}, [(6, "`TODO`: ask ann")]),
        ({"above": "# /boot is left out TODO: ask ann"}, [(6, "`TODO`: ask ann")]),
        ({"above": "# - TODO /boot"}, [(6, "`TODO`: /boot")]),
        ({"above": "# TODO(ann): /boot"}, [(6, "`TODO`: ann): /boot")]),
        ({"above": "# todo, in small letters"}, []),
        # It is what the comment speaks of.
        ({"above": "# handles TODO lists of the agent"}, []),
        ({"above": "# TODO.md and the like: see (XXX.md)"}, []),
        ({"above": "# MYTODO and TODOS"}, []),
        # In a text it is no comment.
        ({"title": "'A # TODO of ours'"}, []),
        ({"title": "A#TODO"}, []),
    ],
)
def test_notes(tmp_path: Path, change: dict[str, str], told: list[tuple[int, str]]) -> None:
    made = subject(tmp_path, guards=GUARD.format(**{**PLAIN, **change}))
    assert [(line, message) for _, _, line, message in found(made, Todo)] == told


def test_a_number_sign_in_a_block_is_text(tmp_path: Path) -> None:
    text = GUARD.format(**PLAIN).replace(
        "title: A", "title: A\n    description: |\n      # TODO is a word\n      that we seek"
    )
    assert found(subject(tmp_path, guards=text), Todo) == []
