"""Parsing by shape gives what a direct parse gives, places included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.lang import ConditionError, ParsedCondition, parse_condition, print_syntax
from callgate.lang.build import Builder
from callgate.lang.grammar import Grammar
from callgate.lang.mistakes import explain
from callgate.lang.skeleton import Positions, assemble, blank
from callgate.lang.text import check_text
from callgate.model.syntax import Binary, FunctionCall, Lookup, Member, Quantifier, Syntax, Value
from tests.lang.syntax_strategies import conditions_text, layouts, syntax_trees

_DIRECT = Grammar("condition.lark", ["condition", "each"], Builder(), explain, keep_all_tokens=True)


def directly(text: str) -> ParsedCondition:
    """A parse of the text itself, without blanking its literals."""
    skeleton = assemble(_DIRECT.parse(text, "condition"), {})
    return ParsedCondition(skeleton.fill(()), Positions(None, skeleton.ranges))


def nodes(tree: Syntax) -> list[Syntax]:
    """All nodes of a tree, itself first."""
    found = [tree]
    for field in fields(tree):
        value = getattr(tree, field.name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Syntax):
                found += nodes(item)
    return found


def assert_same(text: str) -> None:
    """Both ways give the same tree, numbers, value types and places."""
    expected, found = directly(text), parse_condition(text)
    assert found.tree == expected.tree
    assert repr(found.tree) == repr(expected.tree)  # `at`, and 1 is not True
    numbers = [node.at for node in nodes(found.tree)]
    assert numbers == list(range(len(found.positions)))
    for at in numbers:
        assert found.positions[at] == expected.positions[at]
        assert found.positions.name(at) == expected.positions.name(at)


@given(syntax_trees, st.data())
@settings(max_examples=120, deadline=None)
def test_trees(tree: Syntax, data: st.DataObject) -> None:
    assert_same(data.draw(layouts(print_syntax(tree))))


def outcome(text: str, parse: Callable[[str], ParsedCondition]) -> object:
    """The printed condition, or what is wrong and where."""
    try:
        return print_syntax(parse(text).tree)
    except ConditionError as error:
        return error.code, error.message, error.start, error.end, error.help


@given(conditions_text)
@settings(max_examples=300, deadline=None)
def test_any_text(text: str) -> None:
    shape, literals = blank(text)
    assert (shape, len(literals)) == (blank(shape)[0], len(blank(shape)[1]))
    try:
        check_text(text)
    except ConditionError:
        return
    expected = outcome(text, directly)
    assert outcome(text, parse_condition) == expected
    if isinstance(expected, str):
        assert_same(text)


def test_conditions_of_one_shape_differ_in_literals_only() -> None:
    texts = [
        f'call.tool == "tool_{n}" and n <= {n} and p under "/data/{"x" * n}"' for n in range(9)
    ]
    assert len({blank(text)[0] for text in texts}) == 1
    for text in texts:
        assert_same(text)


def test_what_only_looks_like_a_literal_stays() -> None:
    for text in ("tool_7", "a-3", "x7y", 'xr"a"', "r", "a.b7", "_0"):
        assert not [literal for literal in blank(text)[1] if literal[0] in "r0123456789"]


def test_places_of_nodes_and_of_their_names() -> None:
    text = 'call.tool == "tool_7" and any(d in effects.delete where f(d.path)) and m["k"] in a|"b"'
    parsed = parse_condition(text)
    shown = [(type(n), text[slice(*parsed.positions[n.at])]) for n in nodes(parsed.tree)]
    assert shown[0][1] == text
    assert (Value, '"tool_7"') in shown
    assert (Member, "effects.delete") in shown
    assert (Lookup, 'm["k"]') in shown
    named = {
        type(node): text[slice(*parsed.positions.name(node.at))]
        for node in nodes(parsed.tree)
        if isinstance(node, Quantifier | FunctionCall | Lookup | Member | Binary)
    }
    assert named == {
        Quantifier: "d", FunctionCall: "f", Lookup: '"k"', Member: "path", Binary: "in"
    }  # fmt: skip


def test_parentheses_belong_to_what_stands_around_them() -> None:
    text = '(a or "é") and (b)'
    parsed = parse_condition(text)
    assert parsed.positions[0] == (0, len(text))
    assert text[slice(*parsed.positions[1])] == 'a or "é"'


def test_positions_can_be_moved() -> None:
    parsed = parse_condition('a == "b"').moved(7)
    assert parsed.positions[0] == (7, 15)
    assert parsed.moved(1).positions.name(0) == (10, 12)
