"""Leaving out what comments and the configuration ask for; which of them ask in vain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from callgate.lint.catalogue import find_rule
from callgate.lint.comments import IgnoreComment, ignore_comments
from callgate.lint.config import Ignore
from callgate.lint.rule import Finding
from callgate.load.document import Document
from callgate.load.nodes import Mapping, Node, Scalar
from callgate.load.nodes import Sequence as Items
from callgate.model.codes import CODES
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span

__all__ = ["Ignores", "code_of"]


def code_of(word: str) -> str | None:
    """The code that a word of an ignore means; None where there is none such."""
    if word in CODES and not word.startswith("L"):
        return word
    try:
        return find_rule(word).code
    except LookupError:
        return None


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
    _by_file: dict[str, list[int]] = field(init=False)
    _ids: dict[str, list[Span]] = field(init=False)

    def __post_init__(self) -> None:
        self.comments = [c for document in self.documents for c in ignore_comments(document)]
        self._by_file = defaultdict(list)
        for index, comment in enumerate(self.comments):
            self._by_file[comment.span.file].append(index)
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
        if span is None or not (is_rule or item.severity is not Severity.ERROR):
            return False
        left_out = False
        for index in self._by_file.get(span.file, ()):
            comment = self.comments[index]
            if not comment.covers(span.line) or not comment.reason or comment.ended(self.today):
                continue
            for position, (word, _) in enumerate(comment.words):
                if code_of(word) == item.code:
                    self.used_words.add((index, position))
                    left_out = True
        for position, entry in enumerate(self.configured):
            if entry.code == item.code and not entry.ended(self.today) and self._fits(entry, span):
                self.used_entries.add(position)
                left_out = True
        return left_out

    def _fits(self, entry: Ignore, span: Span) -> bool:
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
