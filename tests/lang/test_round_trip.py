"""Text to tree and back: nothing is lost, and the canonical text is a fixed point."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.lang import (
    ConditionError,
    parse_condition,
    parse_pattern,
    print_pattern,
    print_syntax,
)
from callgate.lang.literals import LITERAL
from callgate.model.pattern import CommandPattern
from callgate.model.syntax import BoolOp, Member, NotTest, RegexLiteral, Syntax, Value, Word
from tests.lang.syntax_strategies import (
    command_patterns,
    conditions_text,
    layouts,
    regexes,
    syntax_trees,
)


@given(syntax_trees)
@settings(max_examples=200, deadline=None)
def test_a_printed_tree_parses_to_itself(tree: Syntax) -> None:
    assert parse_condition(print_syntax(tree)).tree == tree


@given(syntax_trees, st.data())
@settings(max_examples=100, deadline=None)
def test_layout_means_nothing(tree: Syntax, data: st.DataObject) -> None:
    text = data.draw(layouts(print_syntax(tree)))
    assert parse_condition(text).tree == tree


@given(conditions_text)
@settings(max_examples=300, deadline=None)
def test_printing_what_was_parsed_is_idempotent(text: str) -> None:
    try:
        tree = parse_condition(text).tree
    except ConditionError:
        return
    printed = print_syntax(tree)
    assert parse_condition(printed).tree == tree
    assert print_syntax(parse_condition(printed).tree) == printed


@given(syntax_trees)
@settings(max_examples=100, deadline=None)
def test_printed_text_is_legal_in_plain_yaml(tree: Syntax) -> None:
    printed = print_syntax(tree)
    outside = LITERAL.sub(lambda found: found[0] if found[0][0] == "`" else "_", printed)
    assert ": " not in outside
    assert " #" not in outside
    assert "\n" not in printed
    assert printed.isprintable() or not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", printed)


@given(command_patterns)
@settings(max_examples=120, deadline=None)
def test_a_printed_pattern_parses_to_itself(pattern: CommandPattern) -> None:
    text = print_pattern(pattern)
    assert parse_pattern(text) == pattern
    assert not re.search(r": | #|(?<!\\)`", text)


@given(regexes)
@settings(max_examples=100, deadline=None)
def test_a_printed_expression_parses_to_itself(regex: str) -> None:
    tree = RegexLiteral(regex)
    assert parse_condition(print_syntax(tree)).tree == tree


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("((a))", "a"),
        ("(a and b) or c", "a and b or c"),
        ("a and (b or c)", "a and (b or c)"),
        ("(a or b) or c", "(a or b) or c"),
        ("not (a in b)", "not a in b"),
        ("not(a)", "not a"),
        ("(not a) == b", "(not a) == b"),
        ("not (a and b)", "not (a and b)"),
        ("(has a.b) and c", "has a.b and c"),
        ("(a ?? b) == c", "a ?? b == c"),
        ("a ?? (b ?? c)", "a ?? b ?? c"),
        ("(a ?? b) ?? c", "(a ?? b) ?? c"),
        ("(a == b) == c", "(a == b) == c"),
        ("(a ?? b).c", "(a ?? b).c"),
        ("( a.b )[ 1 ] . c", "a.b[1].c"),
        ("x in a | b", "x in a|b"),
        ("x   not\n in [ 1 ,2 ]", "x not in [1, 2]"),
        (
            "any( d in effects.delete where (d.recursive) )",
            "any(d in effects.delete where d.recursive)",
        ),
        ("f( )", "f()"),
        ("-5 < x", "-5 < x"),
        ('"\\u{41}"', '"A"'),
        ('x == "\u00e9\\t"', 'x == "é\\t"'),
        ('t matches r"\\"\\d\\\\"', 't matches r"\\"\\d\\\\"'),
        ("r is `git push -f main`", "r is `git push main -f`"),
        ("r is `git [--verbose] status$`", "r is `git status [--verbose] $`"),
    ],
)
def test_canonical_form(text: str, canonical: str) -> None:
    tree = parse_condition(text).tree
    assert print_syntax(tree) == canonical
    assert parse_condition(canonical).tree == tree


def test_precedence() -> None:
    assert print_syntax(parse_condition("a or b and not c.d == e ?? f").tree) == (
        "a or b and not c.d == e ?? f"
    )
    tree = parse_condition("a or b and not c").tree
    assert tree == BoolOp("or", (Word("a"), BoolOp("and", (Word("b"), NotTest(Word("c"))))))


def test_keywords_are_fields_but_no_names() -> None:
    assert parse_condition("x.in.or.true").tree == Member(
        Member(Member(Word("x"), "in"), "or"), "true"
    )
    with pytest.raises(ConditionError):
        parse_condition("in == 3")


def test_names_may_begin_like_keywords() -> None:
    assert parse_condition("inside").tree == Word("inside")
    assert parse_condition("not-x").tree == Word("not-x")
    assert print_syntax(parse_condition("a in inside").tree) == "a in inside"


def test_any_none_and_count_are_words_unless_they_quantify() -> None:
    assert print_syntax(parse_condition("guards.asks == none").tree) == "guards.asks == none"
    assert print_syntax(parse_condition("guards.asks in any|count").tree) == (
        "guards.asks in any|count"
    )


def test_literals_hold_what_else_is_syntax() -> None:
    (literal,) = LITERAL.findall('"a `b` 3 r\\"c"')
    assert parse_condition(literal).tree == Value('a `b` 3 r"c')
