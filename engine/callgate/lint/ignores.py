"""Leaving out what comments and the configuration ask for; which of them ask in vain."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import accumulate

from callgate.lint.catalogue import find_code
from callgate.lint.config import Ignore
from callgate.lint.rule import Finding
from callgate.load.document import Document
from callgate.load.ignore_comments import IgnoreComment, ignore_comments
from callgate.load.nodes import Mapping, Node, Scalar
from callgate.load.nodes import Sequence as Items
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span

__all__ = ["Ignores", "code_of"]

_Word = tuple[int, int]
"""A comment, and the position of a word in it."""
_Said = tuple[int, int, _Word]
"""The first and last line that a word of a comment counts for."""


def code_of(word: str) -> str | None:
    """The code that a word of an ignore means; None where there is none such."""
    try:
        return find_code(word)
    except LookupError:
        return None


class _Ranges:
    """Words of comments by the lines that they count for."""

    def __init__(self, said: list[_Said]) -> None:
        self._said = sorted(said)
        self._firsts = [first for first, _, _ in self._said]
        self._reach = list(accumulate((last for _, last, _ in self._said), max))

    def around(self, line: int) -> list[_Word]:
        """Those that count for a line."""
        found = []
        at = bisect_right(self._firsts, line) - 1
        while at >= 0 and self._reach[at] >= line:
            if self._said[at][1] >= line:
                found.append(self._said[at][2])
            at -= 1
        return found


@dataclass
class Ignores:
    """What is to be left out of the findings in some files.

    `documents`: the bundle's own files; `root`: the path that all of them begin with, and a `/`.
    After `keep`, `used` holds which words of comments (comment, position) and which entries of the
    configuration (position) left something out.
    """

    documents: tuple[Document, ...]
    configured: tuple[Ignore, ...]
    root: str
    today: date
    used_words: set[tuple[int, int]] = field(default_factory=set)
    used_entries: set[int] = field(default_factory=set)
    comments: list[IgnoreComment] = field(init=False)
    _said: dict[tuple[str, str], _Ranges] = field(init=False)
    _ids: dict[str, list[Span]] = field(init=False)

    def __post_init__(self) -> None:
        self.comments = [c for document in self.documents for c in ignore_comments(document)]
        by_code: dict[tuple[str, str], list[_Said]] = defaultdict(list)
        for index, comment in enumerate(self.comments):
            for position, (word, _) in enumerate(comment.words):
                code = code_of(word)
                if code is not None and comment.counts(self.today):
                    by_code[comment.span.file, code].append((*comment.lines, (index, position)))
        self._said = {key: _Ranges(said) for key, said in by_code.items()}
        wanted = {item.id for item in self.configured if item.id is not None}
        self._ids = defaultdict(list)
        for document in self.documents if wanted else ():
            for id_, span in _with_id(document.root, wanted, document):
                self._ids[id_].append(span)

    def keep(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that nothing asks to leave out."""
        return [item for item in findings if not self._ignored(item.diagnostic)]

    def _ignored(self, item: Diagnostic) -> bool:
        span = item.span
        is_rule = item.code.startswith("L")
        if not is_rule and item.severity is Severity.ERROR:
            return False
        left_out = False
        said = self._said.get((span.file, item.code)) if span else None
        if span is not None and said is not None:
            used = said.around(span.line)
            self.used_words.update(used)
            left_out = bool(used)
        for position, entry in enumerate(self.configured):
            if entry.code == item.code and not entry.ended(self.today) and self._fits(entry, span):
                self.used_entries.add(position)
                left_out = True
        return left_out

    def _fits(self, entry: Ignore, span: Span | None) -> bool:
        if span is None:
            return not entry.files and entry.id is None
        if not entry.in_file(span.file, self.root):
            return False
        if entry.id is None:
            return True
        at = (span.line, span.column)
        return any(
            place.file == span.file
            and (place.line, place.column) <= at < (place.end_line, place.end_column)
            for place in self._ids.get(entry.id, ())
        )


def _with_id(node: Node, wanted: set[str], document: Document) -> list[tuple[str, Span]]:
    """The mappings that have one of these ids, with their places."""
    found: list[tuple[str, Span]] = []
    stack: list[Node] = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, Items):
            stack.extend(node.items)
        elif isinstance(node, Mapping):
            stack.extend(value for _, value in node.entries.values())
            _, id_ = node.entries.get("id", (None, None))
            if isinstance(id_, Scalar) and id_.text in wanted:
                found.append((id_.text, document.source.span(node.start, node.end)))
    return found
