"""Times worth trying: one for every way in which the conditions of a graph tell times apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

from callgate.analysis.constants import conditions
from callgate.model.codec import decode_expr
from callgate.model.expr import Apply, Const, Expr, Fact, children
from callgate.stdlib import OPERATIONS
from callgate.stdlib.times import ZONED
from callgate.stdlib.zones import local_time

__all__ = ["TIME", "moments"]

TIME: Final = "observed.time"

_MOST_TESTS: Final = 16
_MOST_EDGES: Final = 4
_MOST_TRIED: Final = 4000
"""Times looked at; each is put to every test."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MONDAY: Final = datetime(2026, 1, 5, tzinfo=UTC)
"""Where a week is looked for that nothing else names."""

_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND
_DAYS: Final = 9
"""A week from any time on, whatever its zone."""

_FIRST: Final = (datetime(1000, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST: Final = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
"""Between these a time has four digits for its year in every zone."""

_CLOCK: Final = re.compile(r"(\d\d?):(\d\d)", re.ASCII)


def moments(document: Mapping[str, Any], now: Any) -> Iterator[str]:
    """Times at which the graph's conditions on the time hold otherwise than at `now`, which is the
    call's time as text, the nearest first: the first of each combination."""
    tests = _tests(document)
    start = OPERATIONS["time"].implementation(now) if isinstance(now, str) else None
    start = start if isinstance(start, int) else None
    edges = sorted({edge for test in tests for edge in _edges(test)})
    edges = sorted(edges, key=lambda edge: abs(edge - (start or 0)))[:_MOST_EDGES]
    seen = set() if start is None else {_combination(tests, start)}
    for moment in islice(_tried(tests, edges, start), _MOST_TRIED):
        if not _FIRST <= moment < _LAST:
            continue
        found = _combination(tests, moment)
        if found not in seen:
            seen.add(found)
            yield _text(moment)


def _tests(document: Mapping[str, Any]) -> list[Apply]:
    """What the conditions ask of the time, each once: the largest parts about nothing else."""
    found: dict[Apply, None] = {}
    todo = [*map(decode_expr, conditions(document)), *_switched(document)][::-1]
    while todo and len(found) < _MOST_TESTS:
        expr = todo.pop()
        if isinstance(expr, Apply) and _only_time(expr) and _reads_time(expr):
            found.setdefault(expr)
        else:
            todo += reversed(list(children(expr)))
    return list(found)


def _switched(document: Mapping[str, Any]) -> Iterator[Expr]:
    """What the switches of a graph compare with each of their values."""
    for node in document["nodes"]:
        if node[0] == "switch":
            value = decode_expr(node[2])
            yield from (Apply("eq", (value, Const(other))) for other, _ in node[3])


def _only_time(expr: Expr) -> bool:
    match expr:
        case Const() | Fact(name="observed.time"):
            return True
        case Apply(args=args):
            return all(map(_only_time, args))
    return False


def _reads_time(expr: Expr) -> bool:
    return isinstance(expr, Fact) or any(map(_reads_time, children(expr)))


def _zoned(expr: Expr) -> Iterator[Apply]:
    if isinstance(expr, Apply) and expr.op in ZONED:
        yield expr
    for child in children(expr):
        yield from _zoned(child)


def _edges(test: Apply) -> Iterator[int]:
    """The times that a test compares with."""
    if not any(True for _ in _zoned(test)):
        yield from (
            arg.value for arg in test.args if isinstance(arg, Const) and type(arg.value) is int
        )


def _clocks(tests: list[Apply]) -> dict[str, list[int]]:
    """By zone the minutes of the day at which a test may turn."""
    found: dict[str, set[int]] = {}
    for test in tests:
        for zoned in _zoned(test):
            *_, zone = zoned.args
            if isinstance(zone, Const):
                found.setdefault(str(zone.value), {0}).update(_minutes(zoned, test))
    return {zone: sorted(minutes) for zone, minutes in found.items()}


def _minutes(zoned: Apply, test: Apply) -> Iterator[int]:
    if zoned.op == "during" and isinstance(zoned.args[1], Const):
        for hour, minute in _CLOCK.findall(str(zoned.args[1].value)):
            yield int(hour) * 60 + int(minute)
    if zoned.op == "hour":
        for arg in test.args:
            if isinstance(arg, Const) and type(arg.value) is int and 0 <= arg.value < 24:
                yield from (arg.value * 60, arg.value * 60 + 60)


def _tried(tests: list[Apply], edges: list[int], start: int | None) -> Iterator[int]:
    """Times to look at: the week after the call's, then around each time of a condition."""
    clocks = _clocks(tests)
    if start is not None:
        yield from _week(clocks, start)
    for edge in edges:
        whole = -(-edge // _SECOND) * _SECOND
        yield from (whole, (edge - 1) // _SECOND * _SECOND, whole + _SECOND)
    for edge in edges:
        yield from _week(clocks, edge)
        yield from _week(clocks, edge - _DAYS * _DAY)
    if start is None and not edges:
        yield from _week(clocks, (_MONDAY - _EPOCH) // timedelta(microseconds=1))


def _week(clocks: Mapping[str, list[int]], start: int) -> Iterator[int]:
    """The times of the day in the days after a time, in order."""
    found: set[int] = set()
    for zone, minutes in clocks.items():
        local = local_time(start, zone)
        if local is None:
            continue
        midnight = datetime(local.year, local.month, local.day, tzinfo=UTC) - _EPOCH
        for minute in (day * 1440 + minute for day in range(_DAYS) for minute in minutes):
            clock = midnight // timedelta(microseconds=1) + minute * 60 * _SECOND
            there = local_time(clock, zone)
            offset = None if there is None else there.utcoffset()
            if offset is not None:
                found.add(clock - offset // timedelta(microseconds=1))
    yield from sorted(moment for moment in found if moment >= start)


def _combination(tests: list[Apply], moment: int) -> tuple[str, ...]:
    """What each test says of a time."""
    return tuple(str(_value(test, moment)) for test in tests)


def _value(expr: Expr, moment: int) -> Any:
    match expr:
        case Const(value=value):
            return value
        case Apply(op=op, args=args):
            return OPERATIONS[op].implementation(*(_value(arg, moment) for arg in args))
    return moment


def _text(moment: int) -> str:
    """The time as people write it: `2026-12-02T09:00:00Z`."""
    return (_EPOCH + timedelta(microseconds=moment)).strftime("%Y-%m-%dT%H:%M:%SZ")
