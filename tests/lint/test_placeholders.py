"""Reasons that nobody has written yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.placeholders import PlaceholderReason
from tests.lint.bundles import found, subject


def guards(reason: str = "not for agents", passes: str = "", excepted: str = "moving") -> str:
    doubt = f"\n    unresolved: {{pass: '{passes}'}}" if passes else ""
    return f"""\
kind: guards
rules:
  - id: files.some
    title: TODO lists
    decide: ask
    when: call.nested{doubt}
    reason: '{reason}'
    exceptions:
      - {{id: files.some.now, when: risk == low, until: 2027-06-01, owner: me,
         reason: '{excepted}'}}
"""


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"reason": "removing notes; say here why not, and what to do instead"}, 7),
        ({"reason": "TODO"}, 7),
        ({"reason": "TODO: ask ann"}, 7),
        ({"reason": "notes are kept (FIXME)"}, 7),
        ({"reason": "TODO ask ann"}, 7),
        ({"reason": "tbd"}, 7),
        ({"reason": "…"}, 7),
        ({"reason": "..."}, 7),
        ({"reason": "<why>"}, 7),
        ({"reason": "Lorem ipsum dolor"}, 7),
        ({"passes": "TODO"}, 7),
        ({"excepted": "FIXME: until when?"}, 10),
        ({}, None),
        ({"reason": "the agent keeps TODO lists of its own"}, None),
        ({"reason": "files named TODO.md are read by people"}, None),
        ({"reason": "no"}, None),
        ({"reason": "why it is refused stands in the handbook"}, None),
        ({"reason": "{call.tool} is refused; say what you need it for"}, None),
        ({"reason": "write here documents as files instead"}, None),
    ],
)
def test_placeholders(tmp_path: Path, given: dict[str, str], line: int | None) -> None:
    made = subject(tmp_path, guards=guards(**given))
    assert [at for _, _, at, _ in found(made, PlaceholderReason)] == ([line] if line else [])
