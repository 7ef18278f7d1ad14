"""Takes comments out of code, where it can be told what is one.

Python says itself. Of other languages a policy tells how comments and strings are written, but no
language is described to its last literal, and one that the description misses may make code look
like a comment. So of their comments only those go that could do nothing if they were code: words
and harmless marks. They hold nothing that ends a literal, so what they might have hidden stays in.
"""

from __future__ import annotations

import re
from io import StringIO
from itertools import accumulate
from tokenize import COMMENT, TokenError, generate_tokens
from typing import Final

from callgate.effects.code.lexer import Lexer
from callgate.effects.code.python_tree import parse_python, recoded
from callgate.effects.code.spec import Language, Syntax
from callgate.effects.shell.bounds import too_long
from callgate.effects.shell.tree import Span, Word
from callgate.gate.shell_comments import without_spans

__all__ = ["without_code_comments"]

_OTHER_LINE_ENDS: Final = re.compile("[\r\f\v\0\x85\u2028\u2029]")
_DOUBTFUL: Final = re.compile(r"\A#!|<!--|-->|\\$", re.MULTILINE)
"""Comments that end with their line in some languages, and lines that go on."""
_HARMLESS: Final = re.compile(r"[/*#-]*(?:\s[\w\s.,:?!*\x80-\U0010ffff-]*)?")
"""What may stand behind a comment's opening. A mark there would be a directive, or text that some
database runs; then no bracket, quote, operator or end of a statement."""


def without_code_comments(text: str, language: Language) -> str:
    """The text without the comments that can be told; as it is, where none can. Never raises."""
    if too_long(text) or _OTHER_LINE_ENDS.search(text):
        return text
    try:
        if language.reader == "python":
            return without_spans(text, _of_python(text))
        if language.reader in ("tokens", "sql"):
            return without_spans(text, _of_tokens(text, language.syntax), " ")
    except (TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return text


def _of_python(text: str) -> list[Span]:
    if "#" not in text or recoded(text) or parse_python(text) is None:
        return []
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return [
        (starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1])
        for token in generate_tokens(StringIO(text).readline)
        if token.type == COMMENT
    ]


def _of_tokens(text: str, syntax: Syntax) -> list[Span]:
    # Where words alone are a call, or end a text, words may do something.
    if syntax.quotes or syntax.heredocs or syntax.inside is not None or _DOUBTFUL.search(text):
        return []
    if not any(opening in text for opening, _ in syntax.comments):
        return []
    fragments, complete = Lexer(syntax).tokens(text)
    if not complete:
        return []
    pairs = sorted(syntax.comments, key=lambda pair: -len(pair[0]))
    comment = re.compile("|".join(_pattern(*pair) for pair in pairs), re.DOTALL)
    found: list[Span] = []
    at = 0
    # What no token covers is blanks and comments.
    for token in fragments[0]:
        found += _harmless(comment, text, at, token.start)
        at = max(at, token.end, token.value.span[1] if isinstance(token.value, Word) else 0)
    return [*found, *_harmless(comment, text, at, len(text))]


def _pattern(opening: str, closing: str) -> str:
    # One without an end takes the rest, so that nothing is looked through twice.
    body = rf"(?:(.*?){re.escape(closing)}|.*)" if closing else r"([^\n]*)"
    return re.escape(opening) + body


def _harmless(comment: re.Pattern[str], text: str, start: int, end: int) -> list[Span]:
    """The comments between two tokens that only say something."""
    comments = comment.finditer(text, start, end) if start < end else ()
    return [
        found.span()
        for found in comments
        if found.lastindex and _HARMLESS.fullmatch(found[found.lastindex])
    ]
