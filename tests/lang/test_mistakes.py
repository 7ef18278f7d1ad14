"""What is said about texts that can't be parsed, and where the carets stand.

The tables are in tests/lang/cases, in the format of `tests.lang.chunks`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import re2

from callgate.lang import (
    ConditionError,
    check_regex,
    parse_condition,
    parse_each,
    parse_expression,
    parse_pattern,
    parse_template,
)
from callgate.lang.text import MAX_LENGTH
from callgate.model.codes import CODES
from callgate.stdlib import OPERATIONS
from tests.lang.chunks import Chunk, assert_error, chunks

_CASES = Path(__file__).parent / "cases"
_PARSERS: dict[str, Callable[[str], object]] = {
    "foreign": parse_condition,
    "conditions": parse_condition,
    "regexes": parse_condition,
    "patterns": parse_pattern,
    "each": parse_each,
    "reasons": parse_template,
}


def cases() -> list[object]:
    """Every chunk of every table, with its parser."""
    return [
        pytest.param(parse, chunk, id=f"{name}: {chunk}")
        for name, parse in _PARSERS.items()
        for chunk in chunks((_CASES / f"{name}.txt").read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(("parse", "chunk"), cases())
def test_mistake(parse: Callable[[str], object], chunk: Chunk) -> None:
    with pytest.raises(ConditionError) as raised:
        parse(chunk.source)
    assert_error(raised.value, chunk)


@pytest.mark.parametrize(("parse", "chunk"), cases())
def test_house_style(parse: Callable[[str], object], chunk: Chunk) -> None:
    assert chunk.code in CODES
    assert not chunk.message.endswith(".")
    assert not chunk.help.endswith(".")
    assert chunk.message[0].islower() or chunk.message[0] in "`R"


def test_a_mistake_in_the_pattern_of_a_condition_is_found_in_the_condition() -> None:
    text = 'x == "é" and r is `git push (--force|f)`'
    with pytest.raises(ConditionError) as raised:
        parse_condition(text)
    error = raised.value
    assert (error.code, text[error.start : error.end]) == ("P003", "f")


def test_a_mistake_in_a_later_literal_is_found_at_its_place() -> None:
    text = 'a == "one" and b == "two\\q" and c matches r"(?=x)"'
    with pytest.raises(ConditionError) as raised:
        parse_condition(text)
    assert (raised.value.start, raised.value.end) == (text.index("\\q"), text.index("\\q") + 2)


@pytest.mark.parametrize("parse", [parse_condition, parse_pattern, parse_template, parse_each])
def test_length_is_bounded(parse: Callable[[str], object]) -> None:
    with pytest.raises(ConditionError) as raised:
        parse("a" * (MAX_LENGTH + 1))
    assert (raised.value.code, raised.value.start) == ("P005", MAX_LENGTH)
    if parse is not parse_each:
        parse("a" * MAX_LENGTH)


@pytest.mark.parametrize(
    ("nest", "code"),
    [
        (lambda n: "not " * n + "a", "P005"),
        (lambda n: "a" + ".b" * n, "P005"),
        (lambda n: "a" + "[b" * n + "]" * n, "P005"),
        (lambda n: "f(" * n + "a" + ")" * n, "P005"),
        (lambda n: "[" * n + "]" * n, "P005"),
        (lambda n: "a ?? " * n + "a", "P005"),
        (lambda n: "(a and (b or " * n + "c" + "))" * n, "P005"),
        (lambda n: "any(x in y where " * n + "z" + ")" * n, "P005"),
    ],
)
def test_depth_is_bounded(nest: Callable[[int], str], code: str) -> None:
    parse_condition(nest(31))
    for n in (65, 400):
        with pytest.raises(ConditionError) as raised:
            parse_condition(nest(n))
        assert raised.value.code == code
        assert raised.value.help


def test_what_is_only_long_is_not_deep() -> None:
    assert parse_condition("(" * 5000 + "a" + ")" * 5000).tree == parse_condition("a").tree
    parse_condition(" or ".join(["a"] * 2000))
    parse_condition(f"x in [{', '.join(['1'] * 4000)}]")
    with pytest.raises(ConditionError):
        parse_condition("(" * 5000)
    with pytest.raises(ConditionError):
        parse_condition(")" * 5000)


def test_expressions_are_as_conditions() -> None:
    assert parse_expression("a ?? 3").tree == parse_condition("a ?? 3").tree
    with pytest.raises(ConditionError):
        parse_expression("a ||")


def test_regular_expressions_alone() -> None:
    check_regex(r"(?i)^(?:rm|unlink)\s+-\w+[(?=]$\z")
    check_regex(r"[\]\\1]\\1\((?P<name>a)")
    with pytest.raises(ConditionError) as raised:
        check_regex('a"(?!b)')
    assert (raised.value.code, raised.value.start, raised.value.end) == ("P006", 2, 5)


@pytest.mark.parametrize(
    "pattern", [r"\pL{10}", r"\pL{100}", r"(a{10}){100}", r"[^a]{1000}", "a{1001}"]
)
def test_what_passes_here_compiles_at_run_time(pattern: str) -> None:
    matches = OPERATIONS["matches"].implementation
    try:
        check_regex(pattern)
    except ConditionError as error:
        assert error.code == "P006"
        with pytest.raises(re2.error):
            matches("x", pattern)
    else:
        assert matches("x", pattern) is False
