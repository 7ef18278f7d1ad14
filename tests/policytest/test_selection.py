"""Which cases an expression selects."""

from __future__ import annotations

import pytest

from callgate.model.span import Span
from callgate.policytest.case import Case
from callgate.policytest.selection import SelectionError, selection

CASES = [
    Case(name, {}, {}, {"rule": rule} if rule else {}, Span(f"b/tests/{file}.yaml", 1, 1, 1, 1))
    for name, rule, file in [
        ("a cron job (nested)", "tiers.cron", "cron"),
        ("Pushing to main", "push.main", "git"),
        ("pushing by force", "push.force", "git"),
        ("not a push", None, "other"),
    ]
]


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("cron", [0]),
        ("PUSHING", [1, 2]),
        ("push", [1, 2, 3]),
        ("push.force", [2]),
        ("git.yaml", [1, 2]),
        ("git and force", [2]),
        ("cron or force", [0, 2]),
        ("not git", [0, 3]),
        ("push and not git", [3]),
        ("not cron and git or other", [1, 2, 3]),
        ("not (cron or force)", [1, 3]),
        ("not not cron", [0]),
        ("git and (main or force)", [1, 2]),
        ('"a cron job"', [0]),
        ("'not a push' or \"(nested)\"", [0, 3]),
        ("android", []),
    ],
)
def test_what_is_selected(expression: str, selected: list[int]) -> None:
    fits = selection(expression)
    assert [number for number, case in enumerate(CASES) if fits(case)] == selected


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("", "column 1: expected a word, `not` or `(`"),
        ("  ", "column 3: expected a word, `not` or `(`"),
        ("a b", "column 3: expected `and`, `or` or the end (words with spaces stand in quotes)"),
        ("a and", "column 6: expected a word, `not` or `(`"),
        ("(a or b", "column 8: expected `)`"),
        ("a)", "column 2: expected `and`, `or` or the end"),
        ("or a", "column 1: expected a word, `not` or `(`"),
        ('a and "b', "column 7: a quote that does not end"),
        ("(" * 500 + "a" + ")" * 500, "nested too deep"),
        ("not " * 500 + "a", "nested too deep"),
    ],
)
def test_what_cannot_be_read(expression: str, problem: str) -> None:
    with pytest.raises(SelectionError) as caught:
        selection(expression)
    assert problem in str(caught.value)
