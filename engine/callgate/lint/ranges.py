"""Parts of a file's text: what scalars take up, what stands under certain keys."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from callgate.load import nodes
from callgate.load.document import Document

__all__ = ["inside", "ranges_of", "scalar_ranges"]


def scalar_ranges(document: Document) -> list[tuple[int, int]]:
    """Start and end of every key and scalar of a file, in order: offsets in its text."""
    return sorted((node.start, node.end) for node in _scalars(document.root))


def ranges_of(document: Document, key: str) -> list[tuple[int, int]]:
    """Start and end of what stands under every key of this name, in order."""
    return sorted(_under(document.root, key))


def inside(offset: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether an offset lies in one of these ranges, which are in order and apart."""
    index = bisect_right(ranges, (offset, float("inf"))) - 1
    return index >= 0 and offset < ranges[index][1]


def _scalars(node: nodes.Node) -> Iterator[nodes.Scalar]:
    if isinstance(node, nodes.Scalar):
        yield node
    elif isinstance(node, nodes.Mapping):
        for key, value in node.entries.values():
            yield key
            yield from _scalars(value)
    else:
        for item in node.items:
            yield from _scalars(item)


def _under(node: nodes.Node, wanted: str) -> Iterator[tuple[int, int]]:
    if isinstance(node, nodes.Mapping):
        for name, (_, value) in node.entries.items():
            if name == wanted:
                yield value.start, value.end
            else:
                yield from _under(value, wanted)
    elif isinstance(node, nodes.Sequence):
        for item in node.items:
            yield from _under(item, wanted)
