"""JSON for calls: what json accepts is accepted, but duplicates and non-numbers, with places."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.cli.strict_json import JsonError, parse, parse_items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES, st.booleans())
def test_valid_json_is_read_as_json_reads_it(value: Any, ascii: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii), "f") == value


@settings(deadline=None)
@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1, 2]))
def test_a_list_is_read_item_by_item(values: list[Any], indent: int | None) -> None:
    assert [item for _, item in parse_items(json.dumps(values, indent=indent), "f")] == values


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_value_or_a_diagnostic(text: str) -> None:
    for read in (lambda: parse(text, "f"), lambda: parse_items(text, "f")):
        try:
            read()
        except JsonError as error:
            span = error.diagnostic.span
            assert span is not None
            assert span.line >= 1
            assert span.column >= 1


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ('{"a": 1, "a": 2}', "duplicate key `a`", "f:1:10"),
        ('{"a": {"a": 1}, "b": {"c": 1, "c": 2}}', "duplicate key `c`", "f:1:31"),
        ('{"k": "\\"k\\"", "v": ["k", "k"],\n "k": 1}', "duplicate key `k`", "f:2:2"),
        ('{"\\u0061": 1, "a": 2}', "duplicate key `a`", "f:1:15"),
        ('{"tool": }', "not JSON: expecting value", "f:1:10"),
        ('{"tool": NaN}', "`NaN` is not a JSON number", "f:1:1"),
        ('{"n": -Infinity}', "`-Infinity` is not a JSON number", "f:1:1"),
        ("[" * 100_000, "nested too deep", "f:1:1"),
        ('{"n": ' + "9" * 5000 + "}", "a number with too many digits", "f:1:1"),
        ('{"a": 1} {"b": 2}', "not JSON: extra data", "f:1:10"),
    ],
)
def test_refused(text: str, message: str, place: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse(text, "f")
    assert caught.value.diagnostic.message == message
    assert str(caught.value.diagnostic.span) == place
    assert caught.value.diagnostic.code == "R001"


def test_items_know_their_lines() -> None:
    text = '[\n  {"tool": "a"},\n  {"tool":\n   "b"}\n]\n'
    assert parse_items(text, "f") == [(2, {"tool": "a"}), (3, {"tool": "b"})]


@pytest.mark.parametrize("text", ["[1", "[1 2]", "[1,]", "[1] x", "[1,,2]", '[{"a":1,"a":2}]'])
def test_broken_lists(text: str) -> None:
    with pytest.raises(JsonError):
        parse_items(text, "f")
