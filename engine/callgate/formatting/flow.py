"""Lists and mappings between brackets: on one line, or filled to the width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from callgate.formatting.shapes import Role, Shape
from callgate.load.nodes import Mapping, Node, Scalar

__all__ = ["WIDTH", "Flow"]

WIDTH: Final = 100
"""The characters of a line."""

Write = Callable[[Scalar, Role], str]


class Flow:
    """Writes values between brackets; `scalar` writes a text there."""

    def __init__(self, scalar: Write) -> None:
        self._scalar = scalar

    def flat(self, node: Node, shape: Shape) -> str:
        """The value on one line."""
        if isinstance(node, Scalar):
            return self._scalar(node, shape.role)
        if isinstance(node, Mapping):
            parts = [
                f"{self._scalar(key, Role.PLAIN)}: {self.flat(value, shape.of(key.text))}"
                for key, value in node.entries.values()
            ]
            return "{" + ", ".join(parts) + "}"
        item = shape.item
        return "[" + ", ".join([self.flat(value, item) for value in node.items]) + "]"

    def lines(
        self, node: Node, shape: Shape, at: int, hang: int | None = None, after: int = 0
    ) -> list[str]:
        """The value as it begins in column `at`; its further lines are indented by `hang`, or to
        what stands after the bracket. `after`: characters that follow it."""
        flat = self.flat(node, shape)
        if isinstance(node, Scalar) or at + len(flat) + after <= WIDTH or len(flat) <= 2:
            return [flat]
        return self._filled(node, shape, at, at + 1 if hang is None else hang, after)

    def _filled(self, node: Node, shape: Shape, at: int, hang: int, after: int) -> list[str]:
        opened, closed = "{}" if isinstance(node, Mapping) else "[]"
        lines: list[str] = []
        line, base, fresh = opened, at, True
        children = list(self._children(node, shape))
        for number, (prefix, child, child_shape) in enumerate(children, 1):
            last = number == len(children)
            end = 1 + after * last
            text = prefix + self.flat(child, child_shape)
            gap = "" if fresh else " "
            if base + len(line) + len(gap) + len(text) + end > WIDTH:
                if not fresh:
                    lines.append(line)
                    line, base, gap = " " * hang, 0, ""
                at = base + len(line) + len(prefix)
                first, *more = self.lines(child, child_shape, at, None, end)
                text = prefix + first
                if more:
                    lines += [line + text, *more[:-1]]
                    line, base, text = "", 0, more[-1]
            line += gap + text + (closed if last else ",")
            fresh = False
        return [*lines, line]

    def _children(self, node: Node, shape: Shape) -> Iterator[tuple[str, Node, Shape]]:
        if isinstance(node, Mapping):
            for key, value in node.entries.values():
                yield f"{self._scalar(key, Role.PLAIN)}: ", value, shape.of(key.text)
        elif not isinstance(node, Scalar):
            for item in node.items:
                yield "", item, shape.item
