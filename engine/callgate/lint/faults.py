"""Parts of conditions that say nothing: always true, never true, said already, or contradicted.

Each fault is found at the outermost place where it shows: inside a part that is never true nothing
more is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal

from callgate.compiler.simplify import FALSE, TRUE, simplify
from callgate.lint.domains import logic
from callgate.lint.logic import NAMES, Logic, doubtful_in
from callgate.lint.logic_forms import Form, Test, form, tests_in
from callgate.lint.logic_values import ANY
from callgate.lint.pieces import Way
from callgate.model.condition import Condition
from callgate.model.expr import (
    And,
    Apply,
    Const,
    Expr,
    Get,
    Has,
    Not,
    Or,
    Quant,
    children,
    facts_of,
)

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["Fault", "Kind", "Looked", "faults", "looked_at"]

Kind = Literal["always", "never", "contradiction", "twice", "idle"]

_MOST_SHARED: Final = 12
"""So many parts that look at one value are compared with each other."""

_MOST_PAIRS: Final = 64


@dataclass(frozen=True, slots=True)
class Looked:
    """A condition that is looked at. `what` it belongs to, as messages say it; `told`: whether the
    loader tells where it is always or never true."""

    what: str
    condition: Condition
    told: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a part of a condition. `way` leads to it, `other` to the part that it
    disagrees with or repeats; `joined`: how the parts are joined; `unknown`: a part that is said to
    be always true may be unknown as well."""

    kind: Kind
    looked: Looked
    way: Way
    other: Way | None = None
    joined: str = ""
    unknown: bool = False


def faults(subject: Subject) -> tuple[Fault, ...]:
    """Every fault in the conditions of a subject's own files (for `Subject.once`)."""
    finder = _Finder(subject.once(logic))
    return tuple(fault for looked in looked_at(subject) for fault in finder.of(looked))


def looked_at(subject: Subject) -> Iterator[Looked]:
    """The conditions of the bundle's own files that say yes or no."""
    policy = subject.policy
    for place in subject.places:
        if subject.own(place.span):
            told = place.role in ("rule", "step")
            yield Looked(f"the condition of `{place.owner}`", place.condition, told)
    risk = policy.risk
    for rule in (*risk.declared, *risk.raises) if risk else ():
        if subject.own(rule.when.span):
            yield Looked(f"the condition of `{rule.id}`", rule.when)
    for item in policy.dynamic:
        if subject.own(item.when.span):
            yield Looked(f"the condition of `{item.id}`", item.when)
    for check in policy.settings_checks:
        if check.when is not None and subject.own(check.when.span):
            yield Looked(f"the condition of `{check.id}`", check.when)


class _Finder:
    def __init__(self, logic: Logic) -> None:
        self._logic = logic

    def of(self, looked: Looked) -> Iterator[Fault]:
        expr = looked.condition.expr
        if type(expr) is Const:
            return  # written as it is meant
        if not isinstance(expr, And | Or | Not | Quant):
            wanted = form(expr)
            if isinstance(wanted, Test) and not self._bounded(wanted):
                return
        if looked.told and simplify(expr, lambda _: None) in (TRUE, FALSE):
            return
        yield from self._in(looked, expr, ())

    def _bounded(self, test: Test) -> bool:
        """Whether a single test could be true always, or never."""
        values = test.values
        if values is None:
            return False
        return values.empty or self._logic.domain(test.term) is not ANY

    def _in(self, looked: Looked, expr: Expr, way: Way) -> Iterator[Fault]:
        match expr:
            case And(items=items) | Or(items=items):
                yield from self._group(looked, expr, items, way)
            case Not(item=item):
                yield from self._in(looked, item, (*way, 0))
            case Quant(where=where) if type(where) is not Const:
                yield from self._in(looked, where, (*way, 0))
            case _:
                yield from self._alone(looked, expr, way)

    def _alone(self, looked: Looked, expr: Expr, way: Way) -> Iterator[Fault]:
        wanted = form(expr)
        if isinstance(wanted, Test) and not self._bounded(wanted):
            return
        if not self._logic.possible(wanted):
            yield Fault("never", looked, way)
        elif self._logic.never_false(expr):
            yield self._always(looked, expr, way)

    def _always(self, looked: Looked, expr: Expr, way: Way) -> Fault:
        """Of what is never false."""
        return Fault("always", looked, way, unknown=bool(doubtful_in(form(expr))))

    def _group(
        self, looked: Looked, expr: Expr, items: tuple[Expr, ...], way: Way
    ) -> Iterator[Fault]:
        joined = "and" if isinstance(expr, And) else "or"
        wrong: set[int] = set()
        for index, item in enumerate(items):
            inner = list(self._in(looked, item, (*way, index)))
            if any(fault.way == (*way, index) or fault.kind == "contradiction" for fault in inner):
                wrong.add(index)
            yield from inner
        left = [index for index in range(len(items)) if index not in wrong]
        forms = {index: form(items[index]) for index in left}
        shared = _shared(forms)
        ends = False
        seen: dict[Expr, int] = {}
        for index in left if shared else ():
            first = _first(seen, items[index], index)
            if first != index:
                wrong.add(index)
                yield Fault("twice", looked, (*way, index), (*way, first), joined)
        for one, other in shared:
            if ends or one in wrong or other in wrong:
                continue
            fault = self._pair(joined, items, forms, one, other)
            if fault is None:
                continue
            kind, index, against = fault
            ends = kind in ("contradiction", "always")
            wrong.add(index)
            if kind == "always":
                yield self._always(looked, Or((items[one], items[other])), way)
            elif kind != "idle" or _may_go(expr, items[index]):
                yield Fault(kind, looked, (*way, index), (*way, against), joined)
        if shared and not ends and len(left) > 2:
            if joined == "and" and not self._logic.possible(*forms.values()):
                yield Fault("contradiction", looked, way)
            elif joined == "or" and self._logic.never_false(expr):
                yield self._always(looked, expr, way)

    def _pair(
        self, joined: str, items: tuple[Expr, ...], forms: dict[int, Form], one: int, other: int
    ) -> tuple[Kind, int, int] | None:
        """What two parts are to each other: the kind, the part at fault, and the other."""
        logic = self._logic
        if joined == "and" and not logic.possible(forms[one], forms[other]):
            return "contradiction", other, one
        if joined == "or" and logic.never_false(Or((items[one], items[other]))):
            return "always", other, one
        for index, against in ((other, one), (one, other)):
            inner, outer = (against, index) if joined == "and" else (index, against)
            if logic.covers(forms[inner], items[outer]):
                return "idle", index, against
        return None


def _first(seen: dict[Expr, int], item: Expr, index: int) -> int:
    try:
        return seen.setdefault(item, index)
    except TypeError:  # a constant map
        return index


def _shared(forms: dict[int, Form]) -> list[tuple[int, int]]:
    """The pairs of parts that look at the same value."""
    by_term: dict[Expr, list[int]] = {}
    for index, item in forms.items():
        for test in tests_in(item):
            term = test.term
            if type(term) is Apply and term.op in NAMES:
                term = term.args[0]
            indexes = by_term.setdefault(term, [])
            if not indexes or indexes[-1] != index:
                indexes.append(index)
    found: dict[tuple[int, int], None] = {}
    for indexes in by_term.values():
        if len(indexes) > 1:
            found.update(dict.fromkeys(combinations(indexes[:_MOST_SHARED], 2)))
    return list(found)[:_MOST_PAIRS]


def _may_go(group: Expr, part: Expr) -> bool:
    """Whether a part may be left out: what makes a value known to be there, or says which tool's
    arguments are read, is needed, and a program's name before patterns is the quicker test."""
    if _has(part) or (isinstance(group, And) and _names_program(part)):
        return False
    facts = facts_of(group)
    return "call.tool" not in facts_of(part) or not any(name[:5] == "args." for name in facts)


def _names_program(part: Expr) -> bool:
    wanted = form(part)
    return isinstance(wanted, Test) and type(wanted.term) is Get and wanted.term.field == "program"


def _has(expr: Expr) -> bool:
    return isinstance(expr, Has) or any(map(_has, children(expr)))
