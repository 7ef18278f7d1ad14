"""The short way for the most frequent texts: plain words, quotes that hold nothing special,
`&&`, `||`, `;`, `|` and redirections to files. Anything else is left to the grammar.

The two ways must agree on every text that this one takes, which a property test checks.
"""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.shell.bounds import MAX_BYTES, MAX_PIPES
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
"""Of a text that is tried whatever it holds."""

_UNLIKELY: Final = re.compile(r"[][\\$`(){}*?#~!]")
"""What a text hardly holds that is plain to its end."""

_TOKEN: Final = re.compile(
    r"""[ \t]*(?:
      ((?!\d+[<>])[\w./:=@%+,-]+)(?=[ \t\n;|&<>]|\Z)
    | '([^'\0\ud800-\udfff]*)'(?=[ \t\n;|&<>]|\Z)
    | "([^"\\$`\0\ud800-\udfff]*)"(?=[ \t\n;|&<>]|\Z)
    | (&&|\|\||;(?!;)|\||\n)
    | ([012]?>>?|[012]?>&[012](?=[ \t\n;|]|\Z)|0?<)(?![<>&|(\n])
    | \Z
    )""",
    re.ASCII | re.VERBOSE,
)
_BARE_WORD, _SINGLE, _DOUBLE, _JOIN, _REDIRECT = range(1, 6)
"""The groups of that: words bare, in single and in double quotes, what joins commands,
redirections."""

_BARE: Final = re.compile(r"[\w./:=@%+,-]+(?: [\w./:=@%+,-]+)*", re.ASCII)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)


def plain_script(text: str, place: Place) -> Node | None:
    """The commands of a text, when it is plain enough; else None."""
    if len(text) > _MAX_LENGTH and not _is_likely(text):
        return None
    if _BARE.fullmatch(text):
        return _bare(text, place)
    return _Plain(text, place).read()


def _is_likely(text: str) -> bool:
    """Whether a long text is worth a try, and within the bounds."""
    return (
        len(text) <= MAX_BYTES
        and text.isascii()
        and text.count("|") <= MAX_PIPES
        and not _UNLIKELY.search(text)
    )


def _bare(text: str, place: Place) -> Node | None:
    """One command of bare words that stand one blank apart."""
    written = text.split(" ")
    if written[0] in RESERVED or ("=" in written[0] and _ASSIGNMENT.match(text)):
        return None
    fixed, base = place.fixed, place.base
    if fixed is not None:
        return Command(tuple([Word(word, fixed, -1, True) for word in written]), fixed)
    words = []
    start = base
    for word in written:
        end = start + len(word)
        words.append(Word(word, (start, end), start, True))
        start = end + 1
    return Command(tuple(words), (base, base + len(text)))


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
        text, at, place = self.text, 0, self.place
        base, fixed = place.base, place.fixed
        match = _TOKEN.match
        while (found := match(text, at)) and (kind := found.lastindex):
            start, at = found.span(kind)
            if kind <= _DOUBLE:
                first, last = (start, at) if kind == _BARE_WORD else (start - 1, at + 1)
                if fixed is None:
                    span = (base + first, base + last)
                    word = Word(text[start:at], span, base + start, kind == _BARE_WORD)
                else:
                    word = Word(text[start:at], fixed, -1, kind == _BARE_WORD)
                if self.start < 0:
                    self.start = first
                self.end = at = last
                if self.operator:
                    self.redirects.append(Redirect(self.operator, word, word.span))
                    self.operator = ""
                else:
                    self.words.append(word)
            elif kind == _JOIN:
                if not self._join(text[start:at]):
                    return None
            elif self.operator:
                return None
            else:
                self._redirect(text[start:at], start, at)
        if found is None or not self._end():
            return None
        items = self.items
        return items[0] if len(items) == 1 else Sequence(tuple(items), tuple(self.operators))

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
