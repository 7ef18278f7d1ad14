"""A tree in block form, with its comments: the canonical lines of a rule file."""

from __future__ import annotations

from typing import Final

from callgate.formatting.flow import Flow
from callgate.formatting.margins import Margins, Part, joined
from callgate.formatting.shapes import Shape
from callgate.formatting.texts import Texts
from callgate.formatting.trivia import FORMAT_OFF, FORMAT_ON
from callgate.load.nodes import Mapping, Node, Scalar, Sequence
from callgate.load.source import Source
from callgate.model.diagnostic import Diagnostics

__all__ = ["Blocks", "OffError"]

_BLOCKS: Final = frozenset("|>")
_STEP: Final = 2
_DEEP: Final = 40
"""Behind this column there is no room for lists of mappings."""


class OffError(Exception):
    """A `# fmt: off` within brackets or behind a dash, where there are no lines to leave alone."""


class Blocks:
    """Writes the tree of one file. What can't be read in its conditions goes to `diagnostics`."""

    def __init__(self, source: Source, root: Node, diagnostics: Diagnostics) -> None:
        self._text = source.text
        self._margins = Margins(source.text, root)
        self._texts = Texts(source, diagnostics)
        self._flow = Flow(self._texts.between_brackets)

    def file(self, root: Mapping, shape: Shape) -> list[str]:
        """The lines of a file."""
        header = self._margins.before(self._first(root))
        if self._margins.off_since(0, 0, dash=False) is not None:
            return self._text.rstrip("\n").split("\n")
        # What stands alone at the top is about the file, not about its first key.
        blanks = [at for at, text in enumerate(header) if not text]
        split = blanks[-1] + 1 if blanks else len(header)
        header, own = header[:split], header[split:]
        lead, lines = self._collection(root, shape, 0, len(self._text) + 1, -1, lead=own)
        rest = self._margins.before(len(self._text) + 1)
        return joined([(header + lead, lines), (rest, [])])

    def _collection(
        self,
        node: Mapping | Sequence,
        shape: Shape,
        indent: int,
        until: int,
        floor: int,
        lead: list[str] | None = None,
        compact: bool = False,
    ) -> Part:
        """A list or mapping, from its first entry on.

        `until`: where what follows it begins; `floor`: the column of what it stands in; `lead`:
        what was taken before its first entry; `compact`: whether that stands behind a dash.
        """
        margins = self._margins
        bracketed = self._bracketed(node)
        column = floor if bracketed else margins.column(node.start)
        until = node.end - 1 if bracketed else until
        keys, values = _entries(node)
        starts = [(key or value).start for key, value in zip(keys, values, strict=True)]
        parts: list[Part] = []
        as_it_is = False
        at = 0
        while at < len(values):
            key, value, start = keys[at], values[at], starts[at]
            first = margins.taken
            above = (margins.before(start) if margins.next < start else []) + (lead or [])
            lead = None
            if FORMAT_OFF in above:
                if bracketed or (compact and at == 0):
                    raise OffError
                off = margins.off_since(first, start, dash=key is None)
                if off is not None:
                    at, lines = margins.verbatim(starts, values, off, until, indent - column)
                    lines[0] = " " * indent + FORMAT_OFF
                    parts.append((above[: off - first], lines))
                    as_it_is = True
                    continue
                if FORMAT_ON not in above[above.index(FORMAT_OFF) :]:
                    raise OffError
            at += 1
            limit = starts[at] if at < len(starts) else until
            kind = shape.item if key is None else shape.of(key.text)
            more, lines = self._value(key, value, kind, indent, limit, column)
            parts.append((above + more, lines))
        if isinstance(node, Mapping) and shape.ranks and not as_it_is:
            ranks = [shape.ranks.get(name, len(shape.ranks)) for name in node.entries]
            parts = [part for _, part in sorted(zip(ranks, parts, strict=True), key=_rank)]
        tail = margins.before(until) if bracketed else []
        if (
            not bracketed
            and margins.next < until
            and (column > floor or (column > 0 and margins.indent(until) < column))
        ):
            tail = margins.tail(until, column)
        above, lines = parts[0]
        return above, joined([([], lines), *parts[1:], (tail, [])], indent)

    def _value(
        self, key: Scalar | None, node: Node, shape: Shape, indent: int, until: int, floor: int
    ) -> Part:
        """The value of a key, or of a dash, with what stands before it on its line."""
        margins = self._margins
        keyed, end = key is not None, node.start if key is None else key.end
        head = f"{' ' * indent}{'-' if key is None else self._texts.key(key) + ':'}"
        trail: list[str] = margins.trailing(end, node.start)
        if isinstance(node, Scalar):
            lead = margins.comments_before(node.start)
            lines = self._texts.lines(node, shape.role, len(head) + 1, indent + _STEP)
            lines[0] = f"{head} {lines[0]}" if lines[0] else head
            at = node.start if node.style in _BLOCKS else node.end
            trail += margins.trailing(at, until)
            lead += trail[:-1]
            if trail:
                lines[0] += f"  {trail[-1]}"
            return lead, lines
        children = node.entries if isinstance(node, Mapping) else node.items
        if self._bracketed(node) and not (children and margins.commented(node.end)):
            lead = margins.comments_before(node.start)
            hang = indent + _STEP if keyed and self._hangs(node, len(head) + 2) else None
            lines = self._flow.lines(node, shape, len(head) + 1, hang)
            lines[0] = f"{head} {lines[0]}"
            if margins.next < until:
                trail += margins.comments_before(node.end)
                trail += margins.trailing(node.end, until)
            lead += trail[:-1]
            if trail:
                lines[-1] += f"  {trail[-1]}"
            return lead, lines
        if self._bracketed(node):
            trail += margins.trailing(node.start, self._first(node))
        above, lines = self._collection(
            node, shape, indent + _STEP, until, floor, compact=not keyed
        )
        if self._bracketed(node):
            trail += margins.trailing(node.end, until)
        if not keyed:
            lines[0] = head + lines[0][len(head) :]
            return [text for text in trail + above if text], lines
        first = f"{head}  {trail[-1]}" if trail else head
        return trail[:-1], [first, *joined([(above, lines)], indent + _STEP)]

    def _first(self, node: Mapping | Sequence) -> int:
        """Where the first entry of a list or mapping begins that has any."""
        if isinstance(node, Sequence):
            return node.items[0].start
        return next(iter(node.entries.values()))[0].start

    def _hangs(self, node: Node, column: int) -> bool:
        """Whether a list's further lines begin below its key, not below its first item."""
        if not isinstance(node, Sequence):
            return False
        return column > _DEEP or all(isinstance(item, Scalar) for item in node.items)

    def _bracketed(self, node: Node) -> bool:
        return self._text[node.start] in "[{" and not isinstance(node, Scalar)


def _entries(node: Mapping | Sequence) -> tuple[list[Scalar | None], list[Node]]:
    """The keys (None in a list) and values of a node."""
    if isinstance(node, Sequence):
        return [None] * len(node.items), node.items
    pairs = list(node.entries.values())
    return [key for key, _ in pairs], [value for _, value in pairs]


def _rank(ranked: tuple[int, Part]) -> int:
    return ranked[0]
