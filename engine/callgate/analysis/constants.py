"""What a graph compares its facts with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from callgate.analysis.facts import leaf_name, leaves
from callgate.model.codec import decode_expr
from callgate.model.expr import Apply, Const, Default, Expr, Has, Quant, children

__all__ = ["Compared", "compared_in", "conditions"]

_PATTERNS: Final = frozenset({"like", "matches"})


@dataclass(slots=True)
class Compared:
    """The constants beside one fact, in order: texts and numbers. `flag`: it is used as a condition
    itself; `optional`: a condition asks whether it is there."""

    texts: dict[str, None] = field(default_factory=dict)
    numbers: dict[int, None] = field(default_factory=dict)
    flag: bool = False
    optional: bool = False


def compared_in(document: Mapping[str, Any]) -> dict[str, Compared]:
    """Every fact that the graph reads, with what it is compared with, in the order of the graph."""
    found: dict[str, Compared] = {}
    for form in conditions(document):
        _collect(decode_expr(form), found)
    for node in document["nodes"]:
        if node[0] == "switch":
            for name in map(leaf_name, leaves(decode_expr(node[2]))):
                _add(found, name, (value for value, _ in node[3]))
    for guard in document["guards"]:
        if guard["tools"]:
            _add(found, "call.tool", guard["tools"])
    return found


def conditions(document: Mapping[str, Any]) -> Iterator[Any]:
    """Every condition of a graph in its JSON form: flow, guards, risk, effects."""
    for node in document["nodes"]:
        if node[0] == "branch":
            yield node[2]
    for guard in document["guards"]:
        yield guard["when"]
        yield from (when for _, when in guard["exceptions"])
    risk = document["risk"] or {"declared": (), "raises": ()}
    yield from (rule["when"] for rule in (*risk["declared"], *risk["raises"]))
    for item in document["dynamic"]:
        yield item["when"]
    for tool in document["tools"].values():
        yield from (when for _, _, when in tool["effects"] if when is not None)


def _collect(expr: Expr, found: dict[str, Compared]) -> None:
    if leaf_name(expr):
        _of(found, leaf_name(expr)).flag = True
        return
    if isinstance(expr, Has):
        for leaf in leaves(expr.item):
            _of(found, leaf_name(leaf)).optional = True
        return
    if isinstance(expr, Apply | Default):
        _beside(expr, found)
        return
    if isinstance(expr, Quant):
        for leaf in leaves(expr.source):
            _add(found, leaf_name(leaf), _constants(expr.where))
        _collect(expr.where, found)
        return
    for child in children(expr):
        _collect(child, found)


def _beside(expr: Expr, found: dict[str, Compared]) -> None:
    # A pattern is no value that a fact could have.
    pattern = isinstance(expr, Apply) and expr.op in _PATTERNS
    constants = [] if pattern else list(_constants(expr))
    for leaf in leaves(expr):
        _add(found, leaf_name(leaf), constants)
        _of(found, leaf_name(leaf)).flag |= isinstance(expr, Default)


def _constants(expr: Expr) -> Iterator[Any]:
    if isinstance(expr, Const):
        yield from _flat(expr.value)
    for child in children(expr):
        yield from _constants(child)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value:
            yield from _flat(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _flat(item)
    else:
        yield value


def _of(found: dict[str, Compared], name: str) -> Compared:
    return found.setdefault(name, Compared())


def _add(found: dict[str, Compared], name: str, values: Any) -> None:
    compared = _of(found, name)
    for value in values:
        if type(value) is str:
            compared.texts.setdefault(value)
        elif type(value) is int:
            compared.numbers.setdefault(value)
        elif type(value) is bool:
            compared.flag = True
