"""Comments that ask lint to leave something out.

    # callgate: ignore[L202] why                       behind a line, or alone above it
    # callgate: ignore[regex-on-command, L203] why
    # callgate: ignore[L202] until 2027-01-01 why
    # callgate: ignore-file[L301] why                  in the comments that a file begins with

A comment counts for findings that begin on its line, or on the line below the comments that it is
one of; where a text of several lines begins there, for all findings in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Final

from callgate.load.document import Document
from callgate.load.nodes import Mapping, Node, Scalar
from callgate.model.span import Span

__all__ = ["IgnoreComment", "ignore_comments"]

_COMMENT: Final = re.compile(
    r"#[ \t]*callgate:[ \t]*(?P<what>ignore(?:-file)?)(?![\w-])(?:\[(?P<words>[^\]\r\n]*)\])?"
    r"(?P<rest>[^\r\n]*)"
)
_UNTIL: Final = re.compile(r"[ \t]*until[ \t]+(\d{4}-\d\d-\d\d)\b[:,;]?(.*)")
_WORD: Final = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """A comment that asks to leave findings out.

    `words`: codes or names of rules, each with its place. `lines`: the first and last line that it
    counts for. `removal`: what to take out of the file to remove it.
    """

    words: tuple[tuple[str, Span], ...]
    reason: str
    until: date | None
    span: Span
    lines: tuple[int, int]
    removal: Span

    def covers(self, line: int) -> bool:
        """Whether a finding that begins on this line may be left out by it."""
        return self.lines[0] <= line <= self.lines[1]

    def ended(self, today: date) -> bool:
        """Whether it counts no more."""
        return self.until is not None and self.until <= today


def ignore_comments(document: Document) -> list[IgnoreComment]:
    """The comments of a file that ask for something to be left out, in order; what only looks like
    one and stands in a text is none."""
    text = document.source.text
    if "callgate:" not in text:
        return []
    found = [match for match in _COMMENT.finditer(text) if _may_begin(text, match.start())]
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
        while line <= len(self.lines) and self._is_comment(self.lines[line - 1]):
            line += 1
        return line, max(line, self._last.get(line, 0))

    def alone(self, line: int) -> bool:
        """Whether nothing but a comment is on a line."""
        return self._is_comment(self.lines[line - 1])


def _comment(match: re.Match[str], document: Document, lines: _Lines) -> IgnoreComment:
    source = document.source
    line, column = source.place(match.start())
    rest = match["rest"]
    until: date | None = None
    if said := _UNTIL.fullmatch(rest):
        with suppress(ValueError):  # no date: then it is a part of the reason
            until, rest = date.fromisoformat(said[1]), said[2]
    offset = match.start("words")
    words = tuple(
        (word[0], source.span(offset + word.start(), offset + word.end()))
        for word in _WORD.finditer(match["words"] or "")
    )
    if match["what"] == "ignore-file" and line < lines.first_content:
        covered = (1, len(lines.lines))
    elif match["what"] == "ignore-file":
        covered = (0, 0)  # too late in the file: it counts for nothing
    else:
        covered = lines.of(line)
    end = match.end() - len(match["rest"]) + len(match["rest"].rstrip())
    span = source.span(match.start(), end)
    if lines.alone(line) and line < len(lines.lines):
        removal = Span(source.file, line, 1, line + 1, 1)
    else:
        before = len(lines.lines[line - 1][: column - 1].rstrip()) + 1
        removal = Span(source.file, line, before, line, len(lines.lines[line - 1]) + 1)
    return IgnoreComment(words, rest.strip(" \t:,-–—"), until, span, covered, removal)
