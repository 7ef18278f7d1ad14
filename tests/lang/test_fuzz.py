"""Any text gives a result or a ConditionError: never another exception."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.lang import (
    ConditionError,
    check_regex,
    parse_condition,
    parse_each,
    parse_pattern,
    parse_template,
    print_syntax,
)
from callgate.model.codes import CODES
from callgate.model.syntax import Syntax
from tests.lang.syntax_strategies import conditions_text, syntax_trees

_PARSERS = [parse_condition, parse_each, parse_pattern, parse_template, check_regex]

pattern_texts = st.text(st.sampled_from("git -=()[]|*$\\`;&'\"u{1}\n\t/#:.é\u202e"), max_size=20)


@pytest.mark.parametrize("parse", _PARSERS)
@given(st.one_of(conditions_text, pattern_texts, st.text(max_size=40)))
@settings(max_examples=200, deadline=None)
def test_any_text(parse: Callable[[str], object], text: str) -> None:
    try:
        parse(text)
    except ConditionError as error:
        assert error.code in CODES
        assert error.message
        assert 0 <= error.start <= error.end <= len(text)
        assert error.start < error.end or not text


@given(syntax_trees, st.data())
@settings(max_examples=100, deadline=None)
def test_conditions_with_a_change(tree: Syntax, data: st.DataObject) -> None:
    text = print_syntax(tree)
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    put = data.draw(
        st.sampled_from(["", " ", "(", ")", '"', "`", "not ", "|", ".", "0", "\\", "=="])
    )
    changed = text[:at] + put + text[at + cut :]
    try:
        parsed = parse_condition(changed)
    except ConditionError as error:
        assert 0 <= error.start <= error.end <= len(changed)
    else:
        assert parse_condition(print_syntax(parsed.tree)).tree == parsed.tree
