"""Comments that ask lint to leave something out.

    # callgate: ignore[L202] why                       behind a line, or alone above it
    # callgate: ignore[regex-on-command, L203] why
    # callgate: ignore[L202] until 2027-01-01 why
    # callgate: ignore-file[L301] why                  in the comments that a file begins with

A comment counts for findings that begin on its line and, where nothing else stands there, on the
lines below up to the first that is no comment; where a text of several lines begins there, for all
findings in it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Final

from callgate.load.document import Document
from callgate.load.nodes import Mapping, Node, Scalar
from callgate.model.span import Span

__all__ = ["IgnoreComment", "covered", "ignore_comments"]

_COMMENT: Final = re.compile(
    r"#[ \t]*[Cc]allgate:[ \t]*(?P<what>[\w-]*)(?:\[(?P<words>[^\]\r\n]*)\])?(?P<rest>[^\r\n]*)"
)
_IGNORES: Final = ("ignore", "ignore-file")
_OTHERS: Final = frozenset({"mutant"})
"""Words of other commands (`callgate test --mutate`)."""
_SEPARATORS: Final = " \t:,;-–—"
_UNTIL: Final = re.compile(r"until[ \t:]+([0-9]{4}-[0-9]{2}-[0-9]{2})\b(.*)", re.IGNORECASE)
_MEANT_UNTIL: Final = re.compile(
    r"\buntil[ \t:]+(?:[a-z]+\.?[ \t]+)?"
    r"(?:[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}\b"
    r"|(?:[0-9]{1,2}(?:st|nd|rd|th|[.,])?[ \t]+(?:[a-z]+[ \t.,]+)?)?20[0-9]{2}\b)",
    re.IGNORECASE,
)
Path = tuple[str | int, ...]
_Said = tuple[tuple[str, ...], str, date | None, str]

_WORD: Final = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """A comment that asks to leave findings out.

    `words`: codes or names of rules, each with its place. `lines`: the first and last line that it
    counts for. `removal`: what to take out of the file to remove it. `unread`: what in it can't be
    read: then it does not count. `whole_file`: whether it is meant for all of the file.
    """

    words: tuple[tuple[str, Span], ...]
    reason: str
    until: date | None
    span: Span
    lines: tuple[int, int]
    removal: Span
    unread: str = ""
    whole_file: bool = False

    def counts(self, today: date) -> bool:
        """Whether it leaves anything out."""
        return bool(self.reason) and not self.unread and not self.ended(today)

    @property
    def too_late(self) -> bool:
        """Whether it is meant for the whole file, and does not stand where the file begins."""
        return self.whole_file and self.lines == (0, 0)

    def covers(self, line: int) -> bool:
        """Whether a finding that begins on this line may be left out by it."""
        return self.lines[0] <= line <= self.lines[1]

    def ended(self, today: date) -> bool:
        """Whether it counts no more."""
        return self.until is not None and self.until <= today


def ignore_comments(document: Document) -> list[IgnoreComment]:
    """The comments of a file that ask for something to be left out, in order, and those of which
    the word is none that is known; what only looks like one and stands in a text is none."""
    text = document.source.text
    if "allgate:" not in text:
        return []
    found = [
        match
        for match in _COMMENT.finditer(text)
        if _may_begin(text, match.start()) and match["what"] not in _OTHERS
    ]
    if not found:
        return []
    texts = sorted(_texts(document.root, text))
    starts = [start for start, _ in texts]
    lines = _Lines(document, texts)
    comments: list[IgnoreComment] = []
    for match in found:
        before = bisect_right(starts, match.start()) - 1
        if before < 0 or texts[before][1] <= match.start():
            comments.append(_comment(match, document, lines))
    return comments


def covered(document: Document) -> Counter[tuple[_Said, frozenset[Path] | bool]]:
    """What the comments of a file are about: of each, what it says, its words first, and the places
    of the values that begin where it counts (True: the whole file)."""
    comments = ignore_comments(document)
    if not comments:
        return Counter()
    nodes = sorted(_starts(document.root, ()))
    places = [document.source.place(start)[0] for start, _ in nodes]
    found: list[tuple[_Said, frozenset[Path] | bool]] = []
    for comment in comments:
        first, last = comment.lines
        inside = nodes[bisect_left(places, first) : bisect_right(places, last)]
        everything = comment.whole_file and not comment.too_late
        about = True if everything else frozenset(path for _, path in inside)
        words = tuple(word for word, _ in comment.words)
        found.append(((words, comment.reason, comment.until, comment.unread), about))
    return Counter(found)


def _starts(node: Node, path: Path) -> Iterator[tuple[int, Path]]:
    """Where each value begins, and each key (as the last part of the path, with a colon)."""
    yield node.start, path
    if isinstance(node, Mapping):
        for name, (key, value) in node.entries.items():
            yield key.start, (*path, f"{name}:")
            yield from _starts(value, (*path, name))
    elif not isinstance(node, Scalar):
        for index, item in enumerate(node.items):
            yield from _starts(item, (*path, index))


def _may_begin(text: str, at: int) -> bool:
    """Whether YAML lets a comment begin here, outside of texts."""
    return at == 0 or text[at - 1] in " \t\r\n"


def _texts(node: Node, text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every scalar; of a block scalar without its first line, which may end in a
    comment."""
    if isinstance(node, Scalar):
        start = node.start
        if node.style in ("|", ">"):
            start = re.compile(r"\r\n|\r|\n|\Z").search(text, start).end()  # type: ignore[union-attr]
        if start < node.end:
            yield start, node.end
    elif isinstance(node, Mapping):
        for key, value in node.entries.values():
            yield key.start, key.end
            yield from _texts(value, text)
    else:
        for item in node.items:
            yield from _texts(item, text)


class _Lines:
    """Which lines a comment counts for."""

    def __init__(self, document: Document, texts: list[tuple[int, int]]) -> None:
        self.source = document.source
        self.lines = document.source.lines
        self._last: dict[int, int] = {}
        for start, end in texts:
            first, last = self.source.place(start)[0], self.source.place(end - 1)[0]
            if self._block_header(first - 1):
                first -= 1
            if last > first:
                self._last[first] = max(last, self._last.get(first, 0))
        self._content = [len(self.lines) + 1] * (len(self.lines) + 2)
        for number in range(len(self.lines), 0, -1):
            comment = self._is_comment(self.lines[number - 1])
            self._content[number] = self._content[number + 1] if comment else number
        content = (n for n, line in enumerate(self.lines, 1) if not self._is_comment(line))
        self.first_content = next((n for n in content if self.lines[n - 1].strip()), 0)

    def _block_header(self, line: int) -> bool:
        text = self.lines[line - 1] if line > 0 else ""
        return re.search(r"(?:^|[\s:-])[|>][-+0-9]*(?:\s+#.*)?$", text) is not None

    @staticmethod
    def _is_comment(line: str) -> bool:
        return line.lstrip().startswith("#")

    def of(self, line: int) -> tuple[int, int]:
        """The lines of a comment that stands on a line."""
        last = self._content[line]
        return line, max(last, self._last.get(last, 0))


def _comment(match: re.Match[str], document: Document, lines: _Lines) -> IgnoreComment:
    source = document.source
    line, column = source.place(match.start())
    until, reason, unread = _reason(match["rest"])
    if match["what"] not in _IGNORES:
        unread = match["what"] or match[0].partition(":")[2].strip().partition(" ")[0] or ":"
    offset = match.start("words")
    words = tuple(
        (word[0], source.span(offset + word.start(), offset + word.end()))
        for word in _WORD.finditer(match["words"] or "")
    )
    whole_file = match["what"] == "ignore-file"
    counts_for = lines.of(line)
    if whole_file:  # too late in the file, it counts for nothing
        counts_for = (1, len(lines.lines)) if line < lines.first_content else (0, 0)
    end = match.end() - len(match["rest"]) + len(match["rest"].rstrip())
    span = source.span(match.start(), end)
    head = lines.lines[line - 1][: column - 1]
    if not head.strip() and line < len(lines.lines):
        removal = Span(source.file, line, 1, line + 1, 1)
    else:
        before = len(head.rstrip()) + 1
        removal = Span(source.file, line, before, line, len(lines.lines[line - 1]) + 1)
    return IgnoreComment(words, reason, until, span, counts_for, removal, unread, whole_file)


def _reason(text: str) -> tuple[date | None, str, str]:
    """The day and the reason that a comment says, and what looks like a day and is none."""
    text = text.strip(_SEPARATORS)
    if not any(map(str.isalnum, text)):
        text = ""  # a dot, or what nobody sees, is no reason
    if said := _UNTIL.fullmatch(text):
        with suppress(ValueError):
            until, why = date.fromisoformat(said[1]), said[2].strip(_SEPARATORS)
            return until, why if any(map(str.isalnum, why)) else "", ""
    if re.match(r"until\b", text, re.IGNORECASE):
        return None, text, "until"
    return None, text, "until" if _MEANT_UNTIL.search(text) else ""
