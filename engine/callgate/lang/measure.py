"""How large a typed condition is with everything it uses written out."""

from __future__ import annotations

from typing import Final

from callgate.model.expr import Expr, children

__all__ = ["MAX_DEPTH", "MAX_SIZE", "Measure"]

MAX_SIZE: Final = 20_000
"""Conditions with more parts than this are refused."""

MAX_DEPTH: Final = 96
"""Conditions nested deeper than this are refused; evaluation recurses so deep."""


class Measure:
    """Measures expressions that share parts; what was measured once is not walked again."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expr, int, int]] = {}

    def __call__(self, expr: Expr) -> tuple[int, int]:
        """The number of parts, shared ones counted each time, and the depth."""
        known = self._known
        todo = [expr]
        while todo:
            node = todo[-1]
            if id(node) in known:
                todo.pop()
                continue
            parts = list(children(node))
            waiting = [part for part in parts if id(part) not in known]
            if waiting:
                todo.extend(waiting)
                continue
            sizes = [known[id(part)] for part in parts]
            size = 1 + sum(size for _, size, _ in sizes)
            depth = 1 + max((depth for _, _, depth in sizes), default=0)
            known[id(node)] = (node, size, depth)
            todo.pop()
        _, size, depth = known[id(expr)]
        return size, depth
