"""The short way for the most frequent texts: plain words, quotes that hold nothing special,
`&&`, `||`, `;`, `|` and redirections to files. Anything else is left to the grammar.

The two ways must agree on every text that this one takes, which a property test checks.
"""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.shell.tree import Command, Node, Pipeline, Redirect, Sequence, Word
from callgate.effects.shell.words import Place

__all__ = ["RESERVED", "plain_script"]

RESERVED: Final = frozenset(
    [
        *("!", "{", "}", "[[", "]]", "case", "do", "done", "elif", "else", "esac", "fi", "for"),
        *("function", "if", "in", "select", "then", "until", "while"),
    ]
)
"""The words that are no commands where a command begins."""

_MAX_LENGTH: Final = 4000
_TOKEN: Final = re.compile(
    r"""[ \t]*(?:
      (?P<redirect>[012]?>>?|[012]?>&[012](?=[ \t\n;|]|\Z)|0?<)(?![<>&|(\n])
    | (?P<bare>(?!\d+[<>])[\w./:=@%+,-]+)(?=[ \t\n;|&<>]|\Z)
    | '(?P<single>[^'\0\ud800-\udfff]*)'(?=[ \t\n;|&<>]|\Z)
    | "(?P<double>[^"\\$`\0\ud800-\udfff]*)"(?=[ \t\n;|&<>]|\Z)
    | (?P<join>&&|\|\||;(?!;)|\||\n)
    | \Z
    )""",
    re.ASCII | re.VERBOSE,
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)


def plain_script(text: str, place: Place) -> Node | None:
    """The commands of a text, when it is plain enough; else None."""
    if len(text) > _MAX_LENGTH:
        return None
    return _Plain(text, place).read()


class _Plain:
    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place
        # The command that is being read.
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.operator = ""
        self.start = -1
        self.end = 0
        # The pipeline that it is in, and what stands before that.
        self.piped: list[Node] = []
        self.before = ""
        self.items: list[Node] = []
        self.operators: list[str] = []

    def read(self) -> Node | None:
        text, at = self.text, 0
        match = _TOKEN.match
        while (found := match(text, at)) and (kind := found.lastgroup):
            at = found.end()
            start = found.start(kind)
            if kind == "bare":
                self._word(found[kind], start, at, start, True)
            elif kind == "single" or kind == "double":
                self._word(found[kind], start - 1, at, start, False)
            elif kind == "join":
                if not self._join(found[kind]):
                    return None
            elif self.operator:
                return None
            else:
                self._redirect(found[kind], start, at)
        if found is None or not self._end():
            return None
        items = self.items
        return items[0] if len(items) == 1 else Sequence(tuple(items), tuple(self.operators))

    def _word(self, text: str, start: int, end: int, offset: int, bare: bool) -> None:
        place = self.place
        if place.fixed is None:
            base = place.base
            word = Word(text, (base + start, base + end), base + offset, bare)
        else:
            word = Word(text, place.fixed, -1, bare)
        if self.start < 0:
            self.start = start
        self.end = end
        if self.operator:
            self.redirects.append(Redirect(self.operator, word, word.span))
            self.operator = ""
        else:
            self.words.append(word)

    def _redirect(self, operator: str, start: int, end: int) -> None:
        if self.start < 0:
            self.start = start
        self.end = end
        # `2>&1` and the like only connect what is there.
        if "&" not in operator:
            self.operator = operator.lstrip("012")

    def _join(self, join: str) -> bool:
        if self.start < 0:
            return join == "\n" and self._may_end()
        if not self._command():
            return False
        if join != "|":
            self._pipeline()
            self.before = join
        return True

    def _end(self) -> bool:
        if self.start < 0:
            return self._may_end() and bool(self.items)
        if not self._command():
            return False
        self._pipeline()
        return True

    def _may_end(self) -> bool:
        return not self.piped and self.before not in ("&&", "||")

    def _command(self) -> bool:
        words = self.words
        if self.operator:
            return False
        if words and words[0].bare:
            first = str(words[0].text)
            if first in RESERVED or _ASSIGNMENT.match(first):
                return False
        span = self.place.span(self.start, self.end)
        self.piped.append(Command(tuple(words), span, (), tuple(self.redirects)))
        self.words, self.redirects, self.start = [], [], -1
        return True

    def _pipeline(self) -> None:
        piped = self.piped
        self.items.append(piped[0] if len(piped) == 1 else Pipeline(tuple(piped)))
        self.operators.append(self.before if self.before in ("&&", "||") else "")
        self.piped = []
