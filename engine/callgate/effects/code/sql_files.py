"""The files that statements of SQL, and the own commands of its clients, are told of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.spec import Language
from callgate.effects.code.values import Call
from callgate.effects.shell.tree import Span, Word, unresolved

__all__ = ["add_files", "dot_words"]

_WORD: Final = re.compile(r"'([^']*)'?|\"((?:[^\"\\]|\\.)*)\"?|(\|.*|[^\s'\"]\S*)")
_PART: Final = re.compile(
    r"(?s)'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|`[^`]*(?:`|\Z)|(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<end>;)|[^'\"`;/-]+|."
)
_STATEMENT: Final = re.compile(
    r"(?is)\s*(?:(?P<attach>attach)\b(?:\s*or\s+replace\b)?(?:\s*database\b)?"
    r"(?:\s*if\s+not\s+exists\b)?|(?P<vacuum>vacuum)\b(?:(?:\s*[\w.\"'`\[\]]+)?\s*)\binto\b)"
    r"\s*(?P<file>.*)"
)
_FILE: Final = re.compile(
    r"(?is)(?:'((?:[^']|'')*)'|\"([^\"]*)\"|`([^`]*)`|\[([^\]]*)\])\s*(?:\Z|[\w(\"'`\[].*)"
)
_URI: Final = "file:"
_MAX_WORDS: Final = 32


def dot_words(text: str, span: Span, surely: bool) -> list[Word]:
    """The words after a client's own command, without their quotes. One that begins with `|`
    reaches to the end. `surely`: no part of the text is unknown."""
    words: list[Word] = []
    for found in _WORD.finditer(text):
        if len(words) == _MAX_WORDS:
            return [*words, unresolved(span)]
        word = found[1] or found[2] or found[3] or ""
        if (found[2] and "\\" in word) or (not surely and "_" in word):
            words.append(unresolved(span))
        elif word:
            words.append(Word(word, span))
    return words


def add_files(text: str, language: Language, maker: Maker, surely: bool) -> None:
    """Add the databases that statements open or write beside the one they are told to. `surely`: no
    part of the text is unknown."""
    for start, statement in _divided(text):
        found = _STATEMENT.match(statement)
        effects = language.calls.get((found["attach"] or found["vacuum"]).lower()) if found else ()
        if found and effects:
            span = (start, start + len(statement))
            word = _file(found["file"], span, surely)
            maker.call(effects, Call(None, "attach", span, None, [word]))


def _file(written: str, span: Span, surely: bool) -> Word | None:
    """The file that a statement names; None where it is no plain text."""
    found = _FILE.fullmatch(written)
    if found is None:
        return None
    name = next(group for group in found.groups() if group is not None).replace("''", "'")
    if name.lower().startswith(_URI):
        name = name[len(_URI) :].partition("?")[0]
        if "%" in name:
            return None
        name = re.sub(r"^//(?:localhost)?(?=/)", "", name)
    return None if not surely and "_" in name else Word(name, span)


def _divided(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a text without their comments, and where they begin."""
    parts: list[str] = []
    start = 0
    for found in _PART.finditer(text):
        if found["end"]:
            yield start, "".join(parts)
            parts, start = [], found.end()
        else:
            parts.append(" " if found["comment"] else found[0])
    yield start, "".join(parts)
