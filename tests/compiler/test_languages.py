"""Files of kind `languages`: they are in the policy, and mistakes in them have their place."""

from __future__ import annotations

import pytest

from tests.compiler.assembling import BASE, assembled, policy_of

HEAD = "kind: languages\nlanguages:\n"


def test_languages_are_in_the_policy() -> None:
    text = f"{HEAD}  toy: {{calls: {{f: [{{read: {{path: 1}}}}]}}}}\n"
    policy = policy_of({**BASE, "languages": text})
    assert policy.languages == {"toy": {"calls": {"f": [{"read": {"path": 1}}]}}}


MISTAKES = [
    ("  toy: {calls: {f: [{read: {path: X}}]}}\n", "S004", "`X` is no value", 3),
    ("  toy:\n    calls:\n      f: [{raed: {path: 1}}]\n", "S001", "raed", 5),
    ("  toy: {also: [tea]}\n  tea: {}\n", "C001", "a name of the language `toy` already", 4),
]


@pytest.mark.parametrize(("text", "code", "message", "line"), MISTAKES)
def test_mistakes_have_their_place(text: str, code: str, message: str, line: int) -> None:
    _, problems = assembled({**BASE, "languages": HEAD + text})
    (problem,) = [item for item in problems if item.code == code]
    assert message in problem.message
    assert problem.span.line == line
