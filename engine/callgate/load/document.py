"""A rule file that has been read: its data, and where everything in it stands."""

from __future__ import annotations

from typing import Any

from callgate.load.nodes import Mapping, Node, Scalar, Sequence, to_data
from callgate.load.positions import Ranges, character_ranges
from callgate.load.source import Source
from callgate.model.span import Span

__all__ = ["Document", "ScalarText"]


class ScalarText:
    """A scalar's value, and the way back from an offset in it to the file."""

    __slots__ = ("_ranges", "_scalar", "_source")

    def __init__(self, source: Source, scalar: Scalar) -> None:
        self._source = source
        self._scalar = scalar
        self._ranges: Ranges | None = None

    @property
    def value(self) -> str:
        """The YAML value as a text: what stands in the file after quotes, escapes and folding.

        Of a plain `true` or `12` it is that text.
        """
        return self._scalar.text

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The span in the file of `value[start:end]`, offsets in code points.

        An empty range gives the empty span where the text would go on.
        """
        scalar = self._scalar
        size = len(scalar.text)
        start = min(max(start, 0), size)
        end = size if end is None else min(max(end, start), size)
        raw = self._source.text[scalar.start : scalar.end]
        if raw == scalar.text:
            return self._source.span(scalar.start + start, scalar.start + end)
        if raw[1:-1] == scalar.text and scalar.style in ("'", '"'):
            return self._source.span(scalar.start + 1 + start, scalar.start + 1 + end)
        if self._ranges is None:
            self._ranges = character_ranges(
                self._source.text, scalar.start, scalar.end, scalar.style, scalar.text
            )
        if not self._ranges:
            return self._source.span(scalar.start, scalar.end)
        first = self._ranges[start][1] if start < size else self._ranges[-1][2]
        return self._source.span(first, self._ranges[end - 1][2] if end > start else first)


class Document:
    """A file of a bundle, or a settings file (kind `settings`).

    `data` is its content as dicts, lists and scalars; `root` the same with positions. `file` is
    the path as shown to people. `incomplete`: something was refused, reported and left out of
    both, so what refers to it should not be reported once more.
    """

    __slots__ = ("data", "incomplete", "kind", "root", "source")

    def __init__(self, kind: str, source: Source, root: Mapping, incomplete: bool = False) -> None:
        self.kind = kind
        self.source = source
        self.root = root
        self.incomplete = incomplete
        self.data: dict[str, Any] = to_data(root)

    @property
    def file(self) -> str:
        """The path as shown to people."""
        return self.source.file

    def span(self, *path: str | int, key: bool = False) -> Span:
        """Where the value at a path of keys and list indexes stands; with `key`, its key.

        Where there is no such value, the span of the nearest one around it.
        """
        node, name, _ = self._find(path)
        if key and name is not None:
            node = name
        end = node.end
        if not isinstance(node, Scalar) or node.style in ("|", ">"):
            end = node.start + len(self.source.text[node.start : node.end].rstrip())
        return self.source.span(node.start, end)

    def text(self, *path: str | int) -> ScalarText:
        """The scalar at a path. Raises KeyError when there is none."""
        node = self.node(*path)
        if not isinstance(node, Scalar):
            raise KeyError(path)
        return ScalarText(self.source, node)

    def node(self, *path: str | int) -> Node:
        """The node at a path. Raises KeyError when there is none."""
        node, _, rest = self._find(path)
        if rest:
            raise KeyError(path)
        return node

    def _find(self, path: tuple[str | int, ...]) -> tuple[Node, Scalar | None, int]:
        """The node at a path, or the last on the way there; its key; how many steps are left."""
        node: Node = self.root
        name: Scalar | None = None
        for done, step in enumerate(path):
            if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
                name, node = node.entries[step]
            elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
                name, node = None, node.items[step]
            else:
                return node, None, len(path) - done
        return node, name, 0
