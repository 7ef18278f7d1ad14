"""Here-documents and escapes, taken out of a text before the grammar sees it.

The grammar is slow on here-documents, loses words and commands after them, and takes escaped
blanks for blanks. A linear scan replaces `<<` and `<<<` by `<`, the bodies by blanks, and escapes
by letters, so that all positions stay, and tells where here-documents were. Where the shell's
rules leave a doubt, the scan gives up and says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from callgate.effects.shell.scanner import ScanError, Scanner
from callgate.effects.shell.tree import SLOT_BASE, Slots, Span, Variable
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Body", "Heredoc", "Masked", "mask", "read_body"]

_DELIMITER: Final = re.compile(
    r"""(?:[^\s\\'"`$()<>;&|]|\\[^\n]|'[^'\n]*'|"[^"\\$`\n]*")+""",
)
_ESCAPED: Final = re.compile(r"\\(?:([\\$`])|\n)")
_VARIABLE: Final = re.compile(
    r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])|\$\{[A-Za-z_][A-Za-z0-9_]*\}"
)
_LITERAL: Final = re.compile(r"[^\\$`]+")
_BREAKS: Final = frozenset(("", *" \t\n;&|()<>"))
_QUOTING: Final = re.compile(r"""\\(.)|['"]""", re.DOTALL)


@dataclass(slots=True)
class Heredoc:
    """A here-document: its body is `text[start:end]`. `literal`: the delimiter is quoted, so
    nothing in the body is expanded. `dash`: leading tabs are taken away."""

    literal: bool
    dash: bool
    start: int
    end: int


@dataclass(slots=True)
class Masked:
    """A text without here-documents. `heredocs`: by the position of their `<`; `operators`: what
    stands where the grammar sees another redirection (`<<<`, `<>`). `comments`: where they stand,
    outside of backticks; only a scan tells."""

    text: str
    heredocs: dict[int, Heredoc]
    operators: dict[int, str]
    comments: Sequence[Span] = ()


@dataclass(slots=True)
class Body:
    """The text of a here-document: known `pieces` and UNKNOWN for what is expanded; `commands` are
    the insides of its `$(…)` and backticks; `slots`: the same with its variables."""

    pieces: tuple[str | Unknown, ...]
    commands: list[tuple[int, int]]
    slots: Slots


def mask(text: str) -> Masked:
    """Take here-documents, here-strings and escapes out of a text. Raises ScanError."""
    return _Masker(text).run()


def read_body(text: str, start: int, end: int) -> Body:
    """Read a here-document's body in which things are expanded. Raises ScanError."""
    scanner = _BodyScanner(text, start, end, "H")
    scanner.scan()
    chars, marks = zip(*scanner.marked, strict=True) if scanner.marked else ((), ())
    slots = Slots("".join(chars), "".join(marks), tuple(scanner.variables))
    return Body(tuple(scanner.pieces), scanner.commands, slots)


class _BodyScanner(Scanner):
    """The scan that tells what is text and what is expanded."""

    def __init__(self, text: str, start: int, end: int, context: str) -> None:
        super().__init__(text, start, end, context)
        self.pieces: list[str | Unknown] = []
        self.marked: list[tuple[str, str]] = []
        self.variables: list[Variable] = []

    def body_text(self) -> None:
        """See Scanner."""
        text, start = self.text, self.at
        if found := _ESCAPED.match(text, start, self.end):
            self._known(found.group(1) or "")
            self.at = found.end()
        elif found := _VARIABLE.match(text, start, self.end):
            self.at = found.end()
            self._unknown(found.group().strip("${}"))
        elif text[start] in "$`":
            self.common()
            while len(self.stack) > 1 and self.at < self.end:
                self.step()
            if self.at > start + 1:
                self._unknown("")
            else:
                self._known("$")
        else:
            stop = found.end() if (found := _LITERAL.match(text, start, self.end)) else start + 1
            self._known(text[start:stop])
            self.at = stop

    def _known(self, text: str) -> None:
        self.pieces.append(text)
        self.marked.append((text, "q" * len(text)))

    def _unknown(self, name: str) -> None:
        self.pieces.append(UNKNOWN)
        self.marked.append((chr(SLOT_BASE + len(self.variables)) if name else "?", "v"))
        if name:
            self.variables.append(Variable(name))


@dataclass(slots=True)
class _Open:
    delimiter: str
    literal: bool
    dash: bool
    at: int
    depth: int


class _Masker(Scanner):
    """The scan that collects here-documents."""

    def __init__(self, text: str) -> None:
        super().__init__(text, 0, len(text), "C")
        self.waiting: list[_Open] = []
        self.heredocs: dict[int, Heredoc] = {}
        self.operators: dict[int, str] = {}
        self.parts: list[str] = []
        self.copied = 0
        self.escaped = -1

    def run(self) -> Masked:
        """Scan the whole text."""
        self.scan()
        if self.waiting:
            raise ScanError("a here-document has no text", self.waiting[0].at)
        self.parts.append(self.text[self.copied :])
        return Masked("".join(self.parts), self.heredocs, self.operators, self.comments)

    def _replace(self, start: int, end: int, new: str) -> None:
        self.parts += (self.text[self.copied : start], new)
        self.copied = end

    def escape(self) -> None:
        """See Scanner: two letters; where a line goes on, blanks between words."""
        text, at = self.text, self.at
        end = at
        while text.startswith("\\\n", end):
            end += 2
        if end == at:
            end = min(at + 2, len(text))
            self._replace(at, end, "_" * (end - at))
        else:
            last, next_ = text[at - 1 : at], text[end : end + 1]
            # `$(x)` may go on as a word; a function's `f()` does not.
            closes = last == ")" and next_ != "{"
            before = at != self.escaped and (at == 0 or (last in _BREAKS and not closes))
            between = before or next_ in _BREAKS
            self._replace(at, end, (" " if between else "_") * (end - at))
        self.at = self.escaped = end

    def less_than(self) -> None:
        """See Scanner: `<<`, `<<<` or `<>` begins here."""
        text, at = self.text, self.at
        for operator in ("<<<", "<>"):
            if text.startswith(operator, at):
                self.operators[at] = operator
                self.at += len(operator)
                self._replace(at, self.at, "<".ljust(len(operator)))
                return
        if self.in_test or self.in_subscript:
            raise ScanError("`<<` in a test or a subscript", at)
        dash = text.startswith("<<-", at)
        after = at + 2 + dash
        self._replace(at, after, "<".ljust(after - at))
        while text[after : after + 1] in (" ", "\t"):
            after += 1
        found = _DELIMITER.match(text, after)
        stop = found.end() if found else after
        if found is None or text[stop : stop + 1] in ("$", "`", "'", '"', "\\", "("):
            raise ScanError("the end of a here-document depends on more than plain text", at)
        word = found.group()
        literal = _QUOTING.search(word) is not None
        delimiter = _QUOTING.sub(lambda quote: quote.group(1) or "", word) if literal else word
        self.waiting.append(_Open(delimiter, literal, dash, at, len(self.stack)))
        self.at = stop

    def end_of_line(self) -> None:
        """See Scanner: the bodies of the line's here-documents begin after it."""
        for heredoc in self.waiting:
            if heredoc.depth != len(self.stack):
                raise ScanError("a here-document runs across brackets or quotes", heredoc.at)
            self._body(heredoc)
        self.waiting.clear()

    def closed(self) -> None:
        """See Scanner: a bracket was closed."""
        if self.waiting and self.waiting[-1].depth > len(self.stack):
            raise ScanError("a here-document runs across brackets", self.waiting[-1].at)

    def _body(self, heredoc: _Open) -> None:
        text, start = self.text, self.at
        at = start
        while at < len(text):
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            line = text[at:stop]
            if (line.lstrip("\t") if heredoc.dash else line) == heredoc.delimiter:
                break
            at = stop + 1
        else:
            raise ScanError("a here-document has no end", heredoc.at)
        self.heredocs[heredoc.at] = Heredoc(heredoc.literal, heredoc.dash, start, at)
        blank = re.sub(r"[^\n]", " ", text[start:stop])
        self._replace(start, stop, blank)
        self.at = min(stop + 1, len(text))
