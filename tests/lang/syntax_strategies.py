"""Syntax trees and command patterns at random: every tree that the parser can make."""

from __future__ import annotations

import re
from typing import Any, Final

import re2
from hypothesis import strategies as st

from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern
from callgate.model.syntax import (
    Binary,
    BoolOp,
    Choice,
    FunctionCall,
    HasTest,
    ListLiteral,
    Lookup,
    Member,
    NotTest,
    Otherwise,
    PatternLiteral,
    Quantifier,
    RegexLiteral,
    Syntax,
    Value,
    Word,
)

__all__ = [
    "command_patterns",
    "conditions_text",
    "layouts",
    "names",
    "regexes",
    "syntax_trees",
    "texts",
]

KEYWORDS: Final = (
    *("or", "and", "not", "in", "has", "where", "under", "covers", "like", "matches", "is"),
    *("true", "false"),
)
COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "under", "covers", "like", "matches", "is")

fields = st.one_of(
    st.sampled_from(["x", "path", "any", "in", "or", "is", "a-b", "_", "session-all", "r"]),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,6}", fullmatch=True),
)
"""What may stand after a dot."""

names = fields.filter(lambda name: name not in KEYWORDS)
"""What may stand alone."""

texts = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\"\\`'{}#: \t\n\r\0\u202e\u00a0\u200b\ufeff|()*$=-[]"),
    ),
    max_size=12,
)
"""Texts with everything that needs an escape somewhere."""

integers = st.one_of(
    st.integers(-9, 99),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([-(2**63), 2**63 - 1]),
)


def _is_re2(pattern: str) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error:
        return False
    return True


regexes = (
    st.text(st.sampled_from("ab\"\\.*+?()[]|^$d{}1,: #-é'`"), max_size=10)
    .filter(_is_re2)
    .filter(lambda pattern: '\\"' not in re.sub(r'\\[^"]', "", pattern))
)
"""RE2 expressions. `\\"` is how a quote is written, so the parser never makes that pair."""


# --- command patterns ----------------------------------------------------------------------------

_chars = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from("abcx/-=:.#"),
    st.sampled_from("()|*$[]\\`;&<>\"' ~!{}%,\t\n\u202e\u00a0"),
)
_literals = st.text(_chars, min_size=1, max_size=6)


def _pieces(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """Literal pieces around `*`: empty ones at the ends only, and never nothing at all."""
    ends = st.one_of(st.just(""), texts)
    return st.one_of(
        st.tuples(texts),
        st.builds(
            lambda first, middle, last: (first, *middle, last),
            ends,
            st.lists(texts, max_size=2),
            ends,
        ),
    )


words = st.builds(WordPattern, _pieces(_literals))
programs = st.builds(WordPattern, _pieces(_literals.map(lambda t: t.replace("/", "_"))))
options = st.builds(
    OptionPattern,
    st.lists(
        _literals.map(lambda name: f"-{name}").filter(lambda name: name != "--"),
        min_size=1,
        max_size=3,
    ).map(tuple),
    st.none() | words,
)
command_patterns = st.builds(
    CommandPattern,
    st.lists(programs, min_size=1, max_size=3).map(tuple),
    st.lists(st.lists(words, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
    st.lists(options, max_size=3).map(tuple),
    st.lists(options, max_size=2).map(tuple),
    st.booleans(),
)


# --- trees ---------------------------------------------------------------------------------------

values = st.builds(Value, st.booleans() | integers | texts)
bare_words = st.builds(Word, names)
# A few of the others will do here: they have tests of their own, and are slow to draw.
_REGEXES: Final = ("", "a|b", '"', r"\d+\.?", r"\\", "(?i)x: y #z", "é`'")
_PATTERNS: Final = (
    CommandPattern((WordPattern(("git",)),), ((WordPattern(("push",)),),)),
    CommandPattern((WordPattern(("rm",)), WordPattern(("", ""))), (), (), (), True),
    CommandPattern((WordPattern(("`|",)),), (), (OptionPattern(("-f", "--x=")),)),
    CommandPattern(
        (WordPattern(("a:", "b")),),
        ((WordPattern(("#\u202e:",)), WordPattern(("-",)), WordPattern(("-x ",))),),
        (),
        (OptionPattern(("-o",), WordPattern(("", "é"))),),
    ),
)
leaves = st.one_of(
    bare_words,
    bare_words,
    values,
    st.sampled_from(_REGEXES).map(RegexLiteral),
    st.sampled_from(_PATTERNS).map(PatternLiteral),
)
dotted = st.recursive(bare_words, lambda base: st.builds(Member, base, fields), max_leaves=3)
choices = st.builds(Choice, st.lists(dotted | values, min_size=2, max_size=4).map(tuple))


def _larger(trees: st.SearchStrategy[Syntax]) -> st.SearchStrategy[Syntax]:
    several = st.lists(trees, max_size=3).map(tuple)
    two_or_more = st.lists(trees, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.builds(BoolOp, st.sampled_from(["and", "or"]), two_or_more),
        st.builds(NotTest, trees),
        st.builds(Binary, st.sampled_from(COMPARISONS), trees, trees),
        st.builds(Binary, st.sampled_from(["in", "not in"]), trees, trees | choices),
        st.builds(HasTest, trees),
        st.builds(Otherwise, trees, trees),
        st.builds(Member, trees, fields),
        st.builds(Lookup, trees, trees),
        st.builds(ListLiteral, several),
        st.builds(FunctionCall, names.filter(lambda n: n not in ("any", "none", "count")), several),
        st.builds(Quantifier, st.sampled_from(["any", "none", "count"]), names, trees, trees),
    )


syntax_trees: st.SearchStrategy[Syntax] = st.recursive(leaves, _larger, max_leaves=12)
"""Every kind of tree; none is nested deeper than the parser allows."""


# --- texts ---------------------------------------------------------------------------------------

_TOKENS: Final = [
    *KEYWORDS,
    *["any", "none", "count", "x", "d", "call", "effects", "r", "a-b", "=", "!", "&&", "||", "~"],
    *COMPARISONS,
    *"()[].,|'\"`{}:#\\",
    *["??", "0", "-1", "7", "007", "1.5", "9" * 20],
    *['""', '"a"', '"\\""', '"\\q"', 'r"a+"', 'r"(?=a)"', "`git push (-f|--force) $`", "``", "`;`"],
    *[" ", " ", "\n", "\t", "\u00a0", "é", "\u202e"],
]

conditions_text = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(_TOKENS), max_size=15).map("".join),
    st.lists(st.sampled_from(_TOKENS), max_size=15).map(" ".join),
)
"""Texts that are nearly conditions, or anything at all."""


@st.composite
def layouts(draw: st.DrawFn, text: str) -> str:
    """The text with other white space, outside literals, and with needless parentheses around."""
    from callgate.lang.literals import LITERAL

    pieces = LITERAL.split(text)
    space = st.sampled_from([" ", "  ", "\n", " \t ", "\r\n"])
    pieces[0::2] = [re.sub(" ", lambda _: draw(space), piece) for piece in pieces[0::2]]
    result = "".join(pieces)
    around: Any = draw(st.sampled_from([("", ""), ("(", ")"), (" ( ", " )\n"), ("\n", " ")]))
    return f"{around[0]}{result}{around[1]}"
