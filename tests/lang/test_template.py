"""Reasons with slots: parts, braces and places."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.lang import ParsedCondition, parse_template, print_syntax
from callgate.model.syntax import Syntax
from tests.lang.syntax_strategies import syntax_trees, texts


def parts(text: str) -> list[str | tuple[str, str]]:
    """The parts: literal text as it is, a slot as its canonical text and its place's text."""
    return [
        part
        if isinstance(part, str)
        else (print_syntax(part.tree), text[slice(*part.positions[part.tree.at])])
        for part in parse_template(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("nope", ["nope"]),
        ("{a}", [("a", "a")]),
        ("é: {d.path}!", ["é: ", ("d.path", "d.path"), "!"]),
        ("{a}{ b }", [("a", "a"), ("b", "b")]),
        ("{{x}} {a}", ["{x} ", ("a", "a")]),
        ("{{{a}}}", ["{", ("a", "a"), "}"]),
        ('{a ?? "}"}', [('a ?? "}"', 'a ?? "}"')]),
        ("{r is `git {}`}", [("r is `git {}`", "r is `git {}`")]),
        ("two\nlines {a}", ["two\nlines ", ("a", "a")]),
        ("}}{{", ["}{"]),
    ],
)
def test_parts(text: str, expected: list[object]) -> None:
    assert parts(text) == expected


@given(st.lists(texts | syntax_trees, max_size=5))
@settings(max_examples=50, deadline=None)
def test_any_reason_round_trips(given_parts: list[str | Syntax]) -> None:
    written = "".join(
        part.replace("{", "{{").replace("}", "}}")
        if isinstance(part, str)
        else f"{{{print_syntax(part)}}}"
        for part in given_parts
    )
    expected: list[str | Syntax] = []
    for part in given_parts:
        if isinstance(part, str) and expected and isinstance(expected[-1], str):
            expected[-1] += part
        elif part != "":
            expected.append(part)
    found = parse_template(written)
    assert [p.tree if isinstance(p, ParsedCondition) else p for p in found] == expected
    for part in found:
        if isinstance(part, ParsedCondition):
            start, end = part.positions[0]
            assert parse_template(f"{{{written[start:end]}}}")[0].tree == part.tree  # type: ignore[union-attr]
