"""Comparisons with `true` and `false`."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.booleans import BooleanComparison
from tests.lint.bundles import findings, subject
from tests.lint.fixes import fixed


def guards(when: str, each: str = "d in effects.delete") -> str:
    return f"""\
kind: guards
rules:
  - id: files.some
    title: Some files
    decide: ask
    each: {each}
    when: >-
      {when}
    reason: not for agents
"""


@pytest.mark.parametrize(
    ("when", "plain"),
    [
        ("call.nested == true", "call.nested"),
        ("call.nested != true", "not call.nested"),
        ("call.nested == false and d.recursive", "not call.nested and d.recursive"),
        ("call.nested != false or d.recursive", "call.nested or d.recursive"),
        ("d.recursive == true", "d.recursive"),
        (
            "any(w in effects.write where w.tree == false)",
            "any(w in effects.write where not w.tree)",
        ),
        ("not (call.nested == true)", "not (call.nested)"),
    ],
)
def test_what_is_true_says_so_itself(tmp_path: Path, when: str, plain: str) -> None:
    made = subject(tmp_path, guards=guards(when))
    told = findings(made, BooleanComparison)
    assert len(told) == 1
    assert fixed(made, told)["guards.yaml"] == guards(plain)


@pytest.mark.parametrize(
    "when",
    [
        "call.nested",
        "(declared.annotations.readOnlyHint ?? false) == true and d.recursive",
        'call.channel == "true"',
        "d.recursive == call.nested",
    ],
)
def test_other_comparisons(tmp_path: Path, when: str) -> None:
    assert findings(subject(tmp_path, guards=guards(when)), BooleanComparison) == []
