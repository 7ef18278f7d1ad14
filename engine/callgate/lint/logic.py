"""What can be said of conditions for every call: that some can't all be true, that one is always
true, that one is true wherever another is.

Cheap and sound: whatever is claimed holds (`tests/lint/test_logic.py` holds it to the evaluator),
and where something can't be told within a few steps, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from callgate.lint.logic_forms import (
    All,
    Form,
    Some,
    Test,
    Truth,
    form,
    may_be_unknown,
    tests_in,
)
from callgate.lint.logic_values import ANY, Values, above, among
from callgate.model.expr import Apply, Expr, Fact, Quant
from callgate.stdlib import OPERATIONS

__all__ = ["Logic", "doubtful_in", "known_in", "plain_in_doubt"]

_MOST_STEPS: Final = 64
_BOUNDS: Final = {"length": above(0), "hour": Values(low=0, high=23)}

_PATHS: Final = OPERATIONS["under_path"].implementation

_Tests = tuple[Test, ...]
_State = dict[Expr, tuple[Values, _Tests]]


class Logic:
    """Reasons about conditions. `domains`: the values that a fact may have, for facts with few."""

    def __init__(self, domains: Mapping[str, Sequence[Any]]) -> None:
        self._domains = {name: among(values) for name, values in domains.items()}

    def domain(self, term: Expr) -> Values:
        """The values that a term may have where it is known."""
        if type(term) is Fact:
            return self._domains.get(term.name, ANY)
        if type(term) is Apply:
            return _BOUNDS.get(term.op, ANY)
        if type(term) is Quant and term.kind == "count":
            return above(0)
        return ANY

    def possible(self, *forms: Form, steps: int = _MOST_STEPS) -> bool:
        """Whether these forms can all hold, as far as can be told: false is certain."""
        return _Search(self, steps).possible(forms, {})

    def implies(self, one: Expr, other: Expr) -> bool:
        """Whether, wherever one condition is true, another surely is true as well."""
        return self.covers(form(one), other)

    def covers(self, wanted: Form, other: Expr) -> bool:
        """Whether, wherever a form holds, a condition surely is true."""
        if self.possible(wanted, form(other, holds=False)):
            return False
        doubtful = doubtful_in(form(other))
        return not doubtful or doubtful <= known_in(wanted)

    def always(self, expr: Expr) -> bool:
        """Whether a condition is true for every call; never where it may be unknown."""
        return not self.possible(form(expr, holds=False)) and not doubtful_in(form(expr))


def doubtful_in(wanted: Form) -> set[Expr]:
    """What a form looks at that may be unknown."""
    return {test.term for test in tests_in(wanted) if test.doubtful or may_be_unknown(test.term)}


def plain_in_doubt(wanted: Form) -> bool:
    """Whether a form looks at everything that may be unknown only once: it is then unknown only
    where it could be true."""
    seen: set[Expr] = set()
    for test in tests_in(wanted):
        if test.term in seen and (test.doubtful or may_be_unknown(test.term)):
            return False
        seen.add(test.term)
    return True


def known_in(wanted: Form) -> set[Expr]:
    """What is surely known wherever a form holds."""
    match wanted:
        case Test(term=term, doubtful=doubtful):
            return set() if doubtful else {term}
        case All(items=items):
            return set().union(*map(known_in, items))
        case Some(items=items):
            first, *rest = map(known_in, items)
            return first.intersection(*rest)
    return set()


class _Search:
    """A search for values with which forms hold, within a number of steps."""

    def __init__(self, logic: Logic, steps: int) -> None:
        self._logic = logic
        self._left = steps

    def possible(self, forms: Iterable[Form], state: _State) -> bool:
        choices: list[Some] = []
        todo = list(forms)
        while todo:
            item = todo.pop()
            kind = type(item)
            if kind is Test:
                if not self._add(item, state):  # type: ignore[arg-type]
                    return False
            elif kind is All:
                todo.extend(item.items)  # type: ignore[union-attr]
            elif kind is Some:
                choices.append(item)  # type: ignore[arg-type]
            elif item == Truth(False):
                return False
        if not choices:
            return True
        choices.sort(key=_breadth)
        first, *others = choices
        for option in first.items:
            self._left -= 1
            if self._left < 0:
                return True
            if self.possible((option, *others), dict(state)):
                return True
        return False

    def _add(self, test: Test, state: _State) -> bool:
        """Take a test into what is known of its term; false where nothing is left of it."""
        term = test.term
        values, tests = state.get(term) or (self._logic.domain(term), ())
        if test.values is not None:
            values = values.meet(test.values)
        if test.apply is not None:
            if any(_exclude(test, other) for other in tests):
                return False
            tests = (*tests, test)
        if tests and values.listed:
            left = frozenset(v for v in values.listed if all(_may_hold(t, v) for t in tests))
            values = Values(left)
        state[term] = values, tests
        return not values.empty and self._elements(test, state)

    def _elements(self, test: Test, state: _State) -> bool:
        """Whether what is said of a list's elements agrees with what is said elsewhere of them."""
        term = test.term
        if type(term) is not Quant or term.kind != "any":
            return True
        for other, (values, _) in state.items():
            if type(other) is not Quant or other.kind != "any" or other is term:
                continue
            if (other.var, other.source) != (term.var, term.source):
                continue
            mine, theirs = state[term][0].listed, values.listed
            if not mine or not theirs or mine == theirs:
                continue
            there, not_there = (term, other) if ("bool", True) in mine else (other, term)
            self._left -= 1
            if self._left < 0:
                return True
            if not self.possible((form(there.where), form(not_there.where, False)), {}):
                return False
        return True


def _breadth(choice: Some) -> int:
    return len(choice.items)


def _value(kept: Any) -> Any:
    return kept[1] if type(kept) is tuple else kept


def _may_hold(test: Test, kept: Any) -> bool:
    """Whether a test may hold of a value."""
    assert test.apply is not None
    right = test.apply.args[1]
    if type(right) is Apply:
        return True  # it depends on the home folder
    try:
        found = OPERATIONS[test.apply.op].implementation(_value(kept), right.value)  # type: ignore[attr-defined]
    except Exception:  # a value of another type: nothing can be told
        return True
    return found is test.holds


def _exclude(one: Test, other: Test) -> bool:
    """Whether two tests of one value can't both hold."""
    assert one.apply is not None and other.apply is not None
    if one.apply == other.apply:
        return one.holds is not other.holds
    if one.apply.op != other.apply.op or not one.places or not other.places:
        return False
    if one.holds and other.holds:
        return _apart(one, other)
    if one.holds is other.holds:
        return False
    positive, negative = (one, other) if one.holds else (other, one)
    return _within(positive, negative)


def _relation(test: Test) -> Callable[[Any, Any], Any]:
    """Whether a place is inside another, as a test sees places."""
    assert test.apply is not None
    if test.apply.op == "covers":
        return lambda inner, outer: _PATHS(outer, inner)
    return OPERATIONS[test.apply.op].implementation


def _within(inner: Test, outer: Test) -> bool:
    """Whether everything at the places of one is at those of another."""
    # What is inside a/b is inside a; and what covers a covers a/b.
    assert inner.apply is not None
    holds = _relation(inner)
    return all(any(holds(place, other) is True for other in outer.places) for place in inner.places)


def _apart(one: Test, other: Test) -> bool:
    """Whether nothing can be at a place of each."""
    assert one.apply is not None
    if one.apply.op == "covers" or any(p[:1] == "~" for p in (*one.places, *other.places)):
        return False
    holds = _relation(one)
    return not any(
        holds(a, b) is True or holds(b, a) is True for a in one.places for b in other.places
    )
