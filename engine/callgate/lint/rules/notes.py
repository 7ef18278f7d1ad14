"""Notes that somebody left for later."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.load.document import Document
from callgate.load.nodes import Mapping, Node, Scalar, Sequence
from callgate.model.diagnostic import Severity

__all__ = ["Todo"]

_MARKS: Final = ("TODO", "FIXME", "XXX")
_NOTE: Final = re.compile(
    # At the beginning of a comment or of a part of it, or with a sign that makes it a note.
    r"(?:(?<=\s)|^)#(?:[^\n\r]*?[-.:;!?–—#([])?[ \t]*\b(TODO|FIXME|XXX)\b(?![.]?\w)[^\n\r]*"
    r"|(?:(?<=\s)|^)#[^\n\r]*?\b(TODO|FIXME|XXX)(?=:|\([^)\s]*\))[^\n\r]*",
    re.MULTILINE,
)


class Todo(Rule):
    """TODO, FIXME or XXX in a comment."""

    code = "L318"
    name = "todo"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for document in subject.documents:
            source = document.source
            if not any(mark in source.text for mark in _MARKS):
                continue
            notes = list(_NOTE.finditer(source.text))
            texts = sorted(_texts(document)) if notes else []
            for note in notes:
                at = bisect_right(texts, (note.start(), len(source.text)))
                if at and note.start() < texts[at - 1][1]:
                    continue  # it stands in a text, and is no comment
                group = 1 if note[1] else 2
                mark = note[group]
                yield self.found(
                    f"`{mark}`: {_words(note[0], mark)}".rstrip(": "),
                    source.span(note.start(group), note.start() + len(note[0].rstrip())),
                    "do it, or write down outside the policy who will",
                )


def _words(comment: str, mark: str) -> str:
    after = comment.partition(mark)[2].strip(" :-()")
    return after if len(after) <= 80 else f"{after[:79]}…"


def _texts(document: Document) -> Iterator[tuple[int, int]]:
    todo: list[Node] = [document.root]
    while todo:
        node = todo.pop()
        if isinstance(node, Mapping):
            todo.extend(value for _, value in node.entries.values())
        elif isinstance(node, Sequence):
            todo.extend(node.items)
        elif isinstance(node, Scalar):
            text = document.source.text[node.start : node.end]
            # The comment behind a block scalar's `|` or `>` is one.
            head = text.find("\n") if node.style in ("|", ">") else 0
            yield node.start + max(head, 0), node.start + len(text.rstrip())
