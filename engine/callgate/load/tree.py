"""YAML events → a tree with positions, without what makes YAML surprising.

Refused, each with a diagnostic, and left out of the tree: duplicate keys, tags, merge keys,
aliases, keys that are no texts, further documents, deep nesting.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from callgate.load.anchors import Anchors
from callgate.load.nodes import Mapping, Node, Scalar, Sequence
from callgate.load.source import Source, empty_file
from callgate.load.words import found, shown
from callgate.model.diagnostic import Diagnostics

__all__ = ["MAX_DEPTH", "TOO_DEEP", "build_tree"]

MAX_DEPTH: Final = 64
"""Lists and mappings nested deeper than this are refused."""

TOO_DEEP: Final = (
    f"lists and mappings are nested more than {MAX_DEPTH} deep",
    "no rule needs that; look for a bracket that is never closed",
)
"""Message and help of Y012."""

_PROPERTIES: Final = re.compile(r"(?:[&!][^\s,\[\]{}]*\s*)+")
_TAG: Final = re.compile(r"!(?:<[^>]*>|[^\s,\[\]{}]*)")

# A key whose value is to be dropped.
_DROPPED: Final = Scalar("", "", 0, 0)


def build_tree(
    next_event: Callable[[], Any], source: Source, diagnostics: Diagnostics, aliases: bool
) -> Node | None:
    """The tree of the first document, or None when it is empty (Y008) or nested too deep (Y012).

    `aliases`: whether aliases are followed (Y005 where they are not, or where they grow without
    bound). Raises what `next_event` raises.
    """
    return _Builder(source, diagnostics, aliases).build(next_event)


class _Builder:
    def __init__(self, source: Source, diagnostics: Diagnostics, aliases: bool) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.anchors = Anchors(source, diagnostics, MAX_DEPTH) if aliases else None
        self.refused: set[int] = set()

    def build(self, next_event: Callable[[], Any]) -> Node | None:
        stack: list[tuple[Mapping | Sequence | None, Scalar | None]] = []
        node: Mapping | Sequence | None = None
        key: Scalar | None = None
        child: Node | None
        root: Node | None = None
        rooted = False
        documents = 0
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                child = Scalar(
                    event.value, event.style or "", event.start_mark.index, event.end_mark.index
                )
                if event.tag or event.anchor:
                    child = self.scalar_with_properties(event, child)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                start, end = event.start_mark.index, event.end_mark.index
                if len(stack) >= MAX_DEPTH:
                    self.too_deep(start)
                    return None
                stack.append((node, key))
                node = Mapping(start, end) if kind is MappingStartEvent else Sequence(start, end)
                key = None
                if event.tag or event.anchor:
                    self.open_properties(event, node)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                assert node is not None
                node.end = event.end_mark.index
                child = self.closed(node)
                node, key = stack.pop()
            elif kind is AliasEvent:
                child = self.alias(event, len(stack))
            elif kind is DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self.second_document(event)
                    return root
                continue
            elif kind is StreamEndEvent:
                return self.checked(root, rooted)
            else:
                continue

            if node is None:
                root, rooted = child, True
            elif isinstance(node, Sequence):
                if child is None:
                    node.lost = True
                else:
                    node.items.append(child)
            elif key is None:
                key = self.key(node, child)
            else:
                if child is None:
                    node.lost = True
                elif key is not _DROPPED:
                    node.entries[key.text] = (key, child)
                key = None

    def checked(self, root: Node | None, rooted: bool) -> Node | None:
        if not rooted or (isinstance(root, Scalar) and root.data is None):
            empty_file(self.source.file, self.diagnostics)
            return None
        return root

    # --- keys ----------------------------------------------------------------------------------

    def key(self, node: Mapping, child: Node | None) -> Scalar:
        """The key that the next value belongs to; `_DROPPED` when it belongs to none."""
        if not isinstance(child, Scalar):
            node.lost = True
            if child is not None:
                self.no_text(child, found({} if isinstance(child, Mapping) else []))
            return _DROPPED
        if not child.style and (problem := self.plain_key(child)):
            node.lost = True
            return problem
        if child.text in node.entries:
            first = node.entries[child.text][0]
            self.diagnostics.error(
                "Y002",
                f"duplicate key {shown(child.text)}",
                self.source.span(child.start, child.end),
                "remove one of the two, or rename it",
                related=(("first written here", self.source.span(first.start, first.end)),),
            )
            return _DROPPED
        return child

    def plain_key(self, key: Scalar) -> Scalar | None:
        if key.text == "<<":
            self.diagnostics.error(
                "Y004",
                "merge keys (`<<`) are not read",
                self.source.span(key.start, key.end),
                "write the keys out, so that a reader sees them where they count",
            )
            return _DROPPED
        value = key.data
        if isinstance(value, str):
            return None
        self.no_text(key, found(value), f'put it in quotes: `"{key.text}"`')
        return _DROPPED

    def no_text(self, key: Node, what: str, help: str = "a key is a text") -> None:
        span = self.source.span(key.start, key.end)
        self.diagnostics.error("Y011", f"expected a text as key, found {what}", span, help)

    # --- anchors, aliases, tags ----------------------------------------------------------------

    def scalar_with_properties(self, event: Any, scalar: Scalar) -> Scalar | None:
        properties = _PROPERTIES.match(self.source.text, scalar.start, scalar.end)
        if properties:
            scalar.start = properties.end()
        if event.tag:
            self.tag(event)
            return None
        if self.anchors:
            self.anchors.define(event.anchor, scalar)
        else:
            self.no_alias(event, "anchor")
        return scalar

    def open_properties(self, event: Any, node: Mapping | Sequence) -> None:
        if event.tag:
            self.tag(event)
            self.refused.add(id(node))
        elif self.anchors:
            self.anchors.open(event.anchor, node)
        else:
            self.no_alias(event, "anchor")

    def closed(self, node: Mapping | Sequence) -> Node | None:
        if self.refused and id(node) in self.refused:
            return None
        if self.anchors:
            self.anchors.close(node)
        return node

    def alias(self, event: Any, depth: int) -> Node | None:
        if self.anchors:
            return self.anchors.follow(event, depth)
        self.no_alias(event, "alias")
        return None

    def no_alias(self, event: Any, what: str) -> None:
        name = event.anchor
        self.diagnostics.error(
            "Y005",
            f"{what} `{'*' if what == 'alias' else '&'}{name}` in a rule file",
            self.source.span(event.start_mark.index, event.start_mark.index + len(name) + 1),
            "write it out, or name it once under `define:` or `lists:`; "
            "put it in quotes if it is meant as a text",
        )

    def tag(self, event: Any) -> None:
        start = event.start_mark.index
        tag = _TAG.search(self.source.text, start)
        text = tag[0] if tag else "!"
        at = tag.start() if tag else start
        word = text.lstrip("!") if self.anchors is None else ""
        help = "put the whole value in quotes if it is meant as a text"
        if text.startswith("!") and not text.startswith("!!") and word:
            help = f"for the opposite write `not {word}`; " + help
        self.diagnostics.error(
            "Y003",
            f"YAML takes {shown(text if word else '!')} for a tag, and tags are not read",
            self.source.span(at, at + len(text)),
            help,
        )

    # --- bounds --------------------------------------------------------------------------------

    def too_deep(self, start: int) -> None:
        message, help = TOO_DEEP
        self.diagnostics.error("Y012", message, self.source.span(start, start + 1), help)

    def second_document(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self.diagnostics.error(
            "Y010",
            "a second document begins here",
            self.source.span(start, max(end, start + 1)),
            "put it into a file of its own, or remove the `---` line",
        )
