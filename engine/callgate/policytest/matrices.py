"""A matrix → a case per combination of its values, with what its first fitting rule expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from callgate.load.matrix import (
    MOST_COMBINATIONS,
    combination_name,
    combinations,
    size_of,
    value_text,
)
from callgate.load.words import did_you_mean
from callgate.model.suggest import closest
from callgate.policytest.case import Case
from callgate.policytest.columns import laid, mistake
from callgate.policytest.entry import Entry

__all__ = ["combinations_of"]


def combinations_of(entry: Entry) -> Iterator[Case]:
    """The cases of a matrix. Reported are paths and conditions that can't be used (S004), too many
    cases (S004), a combination of which nothing is expected (S002), and a rule that is never the
    first to fit (S004)."""
    matrix = entry.data
    base, given = entry.base("with")
    size = size_of(matrix)
    if size > MOST_COMBINATIONS:
        message = f"a matrix of {size:,} cases"
        help = f"it may have {MOST_COMBINATIONS:,}: leave values out, or make two of it"
        entry.error("S004", message, help, "over")
        return
    if not (_paths_right(entry) and _rules_right(entry)):
        return
    rules, over = matrix.get("rules") or (), matrix["over"]
    without = frozenset(matrix.get("without") or ())
    used: set[int] = set()
    for values in combinations(matrix):
        number = next(
            (n for n, rule in enumerate(rules) if _fits(rule["when"], values, over)), None
        )
        if number is not None:
            used.add(number)
        name = combination_name(matrix, values)
        if name in without:  # a bundle that extends this one replaces it
            continue
        expect = dict(matrix.get("expect") or {})
        if number is not None:
            expect |= rules[number]["expect"]
        if not expect:
            help = "add a rule for it, or say under `expect` what holds for all"
            told = name.removeprefix(f"{matrix['matrix']}: ")
            entry.error("S002", f"nothing is expected of {told}", help, "matrix")
            return
        call, settings = deepcopy(base), deepcopy(given)
        for path, value in values.items():
            settings = laid(call, settings, path, value)
        place: tuple[str | int, ...] = ("expect",) if number is None else ("rules", number)
        yield entry.case(name, call, settings, expect, *place)
    for number in sorted(set(range(len(rules))) - used):
        help = "the rules before it fit all of its combinations: move it up, or remove it"
        entry.error("S004", "this rule is never the first that fits", help, "rules", number)


def _paths_right(entry: Entry) -> bool:
    right = True
    for path in entry.data["over"]:
        help = mistake(path, ())
        if help is not None:
            entry.error("S004", f"`{path}` is no path", help, "over", path)
            right = False
    return right


def _rules_right(entry: Entry) -> bool:
    """Whether every condition is about paths of the matrix and values that they have there."""
    over: Mapping[str, Any] = entry.data["over"]
    right = True
    for number, rule in enumerate(entry.data.get("rules") or ()):
        for path, wanted in rule["when"].items():
            place = ("rules", number, "when", path)
            if path not in over:
                help = did_you_mean(closest(path, over)) or f"it has {', '.join(over)}"
                entry.error("S004", f"`{path}` is no path of this matrix", help, *place)
                right = False
                continue
            for value in _listed(wanted, over[path]):
                if not any(_same(value, other) for other in over[path]):
                    texts = [item for item in over[path] if isinstance(item, str)]
                    help = did_you_mean(closest(str(value), texts)) or "add it under `over`"
                    entry.error(
                        "S004", f"`{path}` is never `{value_text(value)}` here", help, *place
                    )
                    right = False
    return right


def _fits(when: Mapping[str, Any], values: Mapping[str, Any], over: Mapping[str, Any]) -> bool:
    return all(
        any(_same(value, values[path]) for value in _listed(wanted, over[path]))
        for path, wanted in when.items()
    )


def _listed(wanted: Any, values: list[Any]) -> list[Any]:
    """The values of which one must be there: a list is one of them only where it is meant as it
    stands."""
    if isinstance(wanted, list) and not any(_same(wanted, value) for value in values):
        return wanted
    return [wanted]


def _same(one: Any, other: Any) -> bool:
    """Equality in which true is not 1."""
    return type(one) is type(other) and bool(one == other)
