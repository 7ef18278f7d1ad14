"""Rules that test the same value against constants become one `switch`.

`arrange` takes rules in order, each a condition with the node to go to, and gives the entry of a
chain of nodes that decides as walking the rules one by one would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from callgate.compiler.simplify import TRUE
from callgate.model.expr import And, Apply, Const, Expr, Fact

__all__ = ["Case", "Emitter", "arrange"]

_SHORTEST_RUN: Final = 3
_MOST_COPIES: Final = 4


@dataclass(frozen=True, slots=True)
class Case:
    """A rule's condition, where it leads, and the edge that unknown takes. `origin` is for the
    source map."""

    test: Expr
    target: int
    unknown_applies: bool
    origin: Any


class Emitter(Protocol):
    """What makes the nodes; both return the new node's handle."""

    def branch(self, case: Case, otherwise: int) -> int:
        """A branch to the case's target."""
        ...

    def switch(self, on: Expr, table: Sequence[tuple[Any, int]], default: int, origin: Any) -> int:
        """A switch on a value."""
        ...


def arrange(cases: Sequence[Case], after: int, emit: Emitter) -> int:
    """The entry of the chain for `cases`; `after` is where a call goes that none of them takes."""
    compared = [_comparisons(case.test) for case in cases]
    runs: list[tuple[int, int, Expr | None]] = []
    start = 0
    while start < len(cases):
        key, length = _best_key(compared, start)
        runs.append((start, start + length, key))
        start += length
    entry = after
    for start, stop, key in reversed(runs):
        if key is None:
            case = cases[start]
            entry = case.target if case.test == TRUE else emit.branch(case, entry)
        else:
            entry = _switch(cases[start:stop], key, entry, emit)
    return entry


def _switch(cases: Sequence[Case], key: Expr, after: int, emit: Emitter) -> int:
    groups: dict[Any, list[Case]] = {}
    for case in cases:
        values, remaining = _split(case.test, key)
        for value in values:
            groups.setdefault(value, []).append(
                Case(remaining, case.target, case.unknown_applies, case.origin)
            )
    table = [(value, arrange(group, after, emit)) for value, group in groups.items()]
    return emit.switch(key, table, after, cases[0].origin)


_Compared = dict[Expr, tuple[Any, ...]]


def _best_key(compared: Sequence[_Compared], start: int) -> tuple[Expr | None, int]:
    """The value that the longest run of cases from `start` on compares with constants; or None and
    1 when no run is worth a switch."""
    best: tuple[Expr | None, int] = (None, _SHORTEST_RUN - 1)
    for key, values in compared[start].items():
        stop, copies = start + 1, len(values)
        while stop < len(compared) and key in compared[stop]:
            copies += len(compared[stop][key])
            stop += 1
        length = stop - start
        if length > best[1] and copies <= _MOST_COPIES * length + 64:
            best = (key, length)
    return (None, 1) if best[0] is None else best


def _conjuncts(test: Expr) -> tuple[Expr, ...]:
    return test.items if isinstance(test, And) else (test,)


def _comparison(expr: Expr) -> tuple[Expr, tuple[Any, ...]] | None:
    if type(expr) is not Apply or expr.op not in ("eq", "in"):
        return None
    fact, other = expr.args
    if type(fact) is not Fact or type(other) is not Const:
        return None
    # Facts of the host and the agent are always known; effects and observations may not be.
    if fact.name.partition(".")[0] not in ("call", "args", "risk"):
        return None
    values = (other.value,) if expr.op == "eq" else other.value
    if type(values) is not tuple or not all(type(value) is str for value in values):
        return None
    return fact, tuple(dict.fromkeys(values))


def _comparisons(test: Expr) -> _Compared:
    found: _Compared = {}
    for item in _conjuncts(test):
        pair = _comparison(item)
        if pair is not None:
            found.setdefault(pair[0], pair[1])
    return found


def _split(test: Expr, key: Expr) -> tuple[tuple[Any, ...], Expr]:
    """The constants that `key` is compared with, and the condition without that comparison."""
    values: tuple[Any, ...] = ()
    remaining: list[Expr] = []
    for item in _conjuncts(test):
        pair = _comparison(item)
        if pair is not None and pair[0] == key and not values:
            values = pair[1]
        else:
            remaining.append(item)
    if not remaining:
        return values, TRUE
    return values, remaining[0] if len(remaining) == 1 else And(tuple(remaining))
