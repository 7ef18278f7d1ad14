"""Symbols and words of other languages, and how the same is said here."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from callgate.stdlib import OPERATIONS

__all__ = ["foreign_symbol", "foreign_word", "infix_function"]

_AND = ("conditions are joined with `and`", "write `and`")
_OR = ("alternatives are joined with `or`", "write `or`")
_NOT = ("negation is `not`", "write `not`")
_EQUAL = ("equality is `==`", "write `==`")
_UNEQUAL = ("inequality is `!=`", "write `!=`")
_MATCH = ("matching is `matches`, with an RE2 expression", 'write `matches r"…"`')
_NO_MATCH = ("matching is `matches`, with an RE2 expression", 'write `not text matches r"…"`')
_ORDER = ("the comparisons are `<`, `<=`, `>` and `>=`", "write `<=` or `>=`")
_ARITHMETIC = ("there is no arithmetic", "compare with a number or a setting")
_BITS = ("there is no arithmetic on bits", "join conditions with `and`, `or` and `not`")
_RANGE = ("there are no ranges", "write `x >= 1 and x <= 9`")
_TERNARY = ("there is no choice between two values", "write two rules, or `x ?? default`")
_DEFAULT = ("the default of an absent value stands after `??`", "write `x ?? default`")
_COMMENT = ("there are no comments inside a condition", "put it on a YAML line of its own")
_LAMBDA = ("there are no functions of your own", "write `any(x in list where condition)`")
_SIGIL = ("facts have no sigil", "write the bare name, such as `call.channel`")
_BRACES = ("there are no braces", 'a list is `["a", "b"]`; group with `(` and `)`')
_COLON = ("there are no pairs", "compare with `==`; look up with `map[key]`")
_SEMICOLON = ("a condition is one expression", "join its parts with `and` or `or`")
_OPTIONAL = ("a member is read with `.`", "guard it with `has x.y`, or write `x.y ?? default`")
_QUOTES = ("texts stand between plain double quotes", 'write `"…"`')

_SYMBOLS: Final = {
    symbol: said
    for symbols, said in (
        ("&& & &&& /\\ ∧", _AND),
        ("|| ||| \\/ ∨", _OR),
        ("! !! ¬", _NOT),
        ("= === := ≡", _EQUAL),
        ("!== <> =! /= ~= ≠", _UNEQUAL),
        ("=~ ~ ~~", _MATCH),
        ("!~", _NO_MATCH),
        ("=< => ≤ ≥ <=>", _ORDER),
        ("+ - * / % ** ++ -- += -=", _ARITHMETIC),
        ("^ << >>", _BITS),
        (".. ... …", _RANGE),
        ("?", _TERNARY),
        ("?: ??= ???", _DEFAULT),
        ("# // /*", _COMMENT),
        ("-> \\", _LAMBDA),
        ("$ @", _SIGIL),
        ("{ }", _BRACES),
        (": ::", _COLON),
        (";", _SEMICOLON),
        ("?.", _OPTIONAL),
        ("“ ” „ « » ‘ ’ ‚ ´", _QUOTES),
    )
    for symbol in symbols.split()
}
_VALUE: Final = r"""(?:[\w.-]|\["[^"\]]*"\])+|"[^"]*"|\["[^\]]*\]"""
_BEFORE: Final = re.compile(rf"({_VALUE})\s*\Z")
_AFTER: Final = re.compile(rf"\s*({_VALUE})")
_RUN: Final = frozenset("=!<>&|~?:^%+*/\\.-@$#")
_LONGEST: Final = max(map(len, _SYMBOLS))

_WORDS: Final = {
    **dict.fromkeys(["contains", "includes", "has"], 'write `x in list`, or `text like "*x*"`'),
    **dict.fromkeys(["startswith", "starts_with", "begins"], 'write `text like "start*"`'),
    **dict.fromkeys(["endswith", "ends_with", "ends"], 'write `text like "*end"`'),
    **dict.fromkeys(["eq", "equals", "equal"], "write `==`"),
    **dict.fromkeys(["ne", "neq"], "write `!=`"),
    **dict.fromkeys(["lt", "le", "gt", "ge", "lte", "gte"], "write `<`, `<=`, `>` or `>=`"),
    **dict.fromkeys(["match", "regex", "regexp", "rlike"], 'write `matches r"…"`'),
    **dict.fromkeys(["glob", "ilike"], 'write `like "…*"`'),
    **dict.fromkeys(["inside", "within", "below"], "write `path under folder`"),
    **dict.fromkeys(["if", "then", "else", "unless"], "write two rules, or join with `and`, `or`"),
    **dict.fromkeys(["xor"], "write `a != b`"),
    **dict.fromkeys(["implies"], "write `not a or b`"),
}
_OPERATORS: Final = ("and", "or", "not", "in", "under", "covers", "like", "matches", "is", "where")


def foreign_symbol(text: str, at: int, known: int = 0) -> tuple[str, int, int, str] | None:
    """The foreign symbol around an offset: message, start, end and help; None if there is none.

    `known` is the length of the token that begins there, which by itself is not foreign.
    """
    start = end = at
    while start > 0 and text[start - 1] in _RUN:
        start -= 1
    while end < len(text) and text[end] in _RUN:
        end += 1
    if text[start:end] not in _SYMBOLS:
        # `a==!b`: not the whole run, but what begins here.
        start = at
        lengths = range(min(_LONGEST, len(text) - at), known, -1)
        end = next((at + n for n in lengths if text[at : at + n] in _SYMBOLS), at)
    symbol = text[start:end]
    if symbol not in _SYMBOLS:
        return None
    said, help = _SYMBOLS[symbol]
    return f"`{symbol}` has no meaning here: {said}", start, end, help


def infix_function(text: str, start: int, end: int) -> str:
    """Help for a function's name that stands between two values, at offsets in a text; empty if it
    is none."""
    name = text[start:end]
    function = OPERATIONS.get(name)
    if function is None or function.kind != "function" or name in _WORDS:
        return ""
    before, after = _BEFORE.search(text[:start]), _AFTER.match(text[end:])
    values = f"{before[1]}, {after[1]}" if before and after else "…, …"
    return f"`{name}` is a function: write `{name}({values})`"


def foreign_word(word: str) -> str:
    """Help for a word that stands where an operator is expected; empty if none is known."""
    lower = word.lower()
    if lower in _OPERATORS:
        return f"write `{lower}`"
    if lower in _WORDS:
        return _WORDS[lower]
    close = get_close_matches(lower, _OPERATORS, n=1, cutoff=0.7)
    return f"did you mean `{close[0]}`?" if close else ""
