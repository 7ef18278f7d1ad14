"""The short way through plain texts gives the same commands as the grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects.shell.parser import parse_with_grammar
from callgate.effects.shell.plain import RESERVED, plain_script
from callgate.effects.shell.tree import Command, Node, Pipeline, Sequence
from callgate.effects.shell.words import Names, Place

WORDS = st.sampled_from(
    [
        *("a", "rm", "-rf", "/", "x=1", "--o=v", "2", "a2", "if", "done", "time", "-rf2", "-"),
        *("'q r'", "'a'", '"s t"', '"a"', "''", "'x\ny'", "'é'", "a'b'", "é", "{", "$X"),
        *(">f", "> f", ">>f", "2>f", "2> f", "2>&1", ">&2", "<f", "< f", "a>f", "&>f"),
    ]
)
BREAKS = st.sampled_from(
    [*[" "] * 8, "  ", "\t", "\n", ";", " ; ", " && ", "||", " | ", "|", "", "&"]
)


def flat(node: Node) -> object:
    """What a tree says, however its sequences are nested."""
    if isinstance(node, Command):
        words = [(word.text, word.span, word.offset, word.bare, word.glob) for word in node.words]
        redirects = [
            (redirect.operator, redirect.target.text)
            for redirect in node.redirects
            if redirect.operator not in (">&", "<&")
        ]
        return words, redirects
    if isinstance(node, Pipeline):
        return "|", [flat(item) for item in node.items]
    assert isinstance(node, Sequence)
    items: list[object] = []
    for operator, item in zip(node.operators, node.items, strict=True):
        inner = flat(item)
        if isinstance(item, Sequence):
            assert isinstance(inner, list)
            items += [(operator, inner[0][1]), *inner[1:]]
        else:
            items.append((operator, inner))
    return items


@given(st.lists(st.tuples(WORDS, BREAKS), min_size=1, max_size=8))
def test_both_ways_agree(parts: list[tuple[str, str]]) -> None:
    text = "".join(word + after for word, after in parts)
    plain = plain_script(text, Place(100))
    if plain is None:
        return
    script = parse_with_grammar(text, Names("~", "/w"), Place(100))
    if not script.problems:
        (other,) = script.nodes
        assert flat(plain) == flat(other)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "a |", "| a", "a &&", "; a", "a ; ; b", "a;;b", "a & b", "a >", "a > ; b"),
        *("$X", "a $X", "a `b`", "~/x", "a *", "a {b,c}", "a\\ b", "a # b", "(a)", "! a"),
        *("A=1 b", "A=1", "a 12>b", "a <<E\nE", "a <<< b", "a >| b", 'a "$b"', "a 'b", "a\0b"),
        *(f"{word} a" for word in sorted(RESERVED)),
        "a" * 5000 + " *",
    ],
)
def test_what_is_left_to_the_grammar(text: str) -> None:
    assert plain_script(text, Place()) is None


@pytest.mark.parametrize(
    "text",
    [
        "git status",
        "rm -rf /",
        "a && b || c; d | e\nf",
        "a > b 2>&1 < c",
        "a 'b $c' \"d\"",
        "a=b c",
    ],
)
def test_what_it_takes(text: str) -> None:
    assert (plain_script(text, Place()) is not None) is (text != "a=b c")
