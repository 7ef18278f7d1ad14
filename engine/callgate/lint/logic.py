"""What can be said of conditions for every call: that some can't all be true, that one is always
true, that one is true wherever another is.

Cheap and sound: whatever is claimed holds (`tests/lint/test_logic.py` holds it to the evaluator),
and where something can't be told within a few steps, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
from callgate.lint.logic_tests import exclude, follows, may_hold
from callgate.lint.logic_values import ANY, Values, above, among
from callgate.model.expr import Apply, Expr, Fact, Get, Quant
from callgate.stdlib import OPERATIONS

__all__ = ["NAMES", "Logic", "doubtful_in", "plain_in_doubt"]

NAMES: Final = ("basename", "extension")
"""What is read off the last component of a path."""

_MOST_STEPS: Final = 64
_BOUNDS: Final = {"length": above(0), "hour": Values(low=0, high=23)}

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
        return all(_settles(wanted, test) for test in doubtful)

    def always(self, expr: Expr) -> bool:
        """Whether a condition is true for every call; never where it may be unknown."""
        return self.never_false(expr) and not doubtful_in(form(expr))

    def never_false(self, expr: Expr) -> bool:
        """Whether a condition is false for no call; it may be unknown."""
        return not self.possible(form(expr, holds=False))


def doubtful_in(wanted: Form) -> list[Test]:
    """The tests of a form that look at what may be unknown."""
    return [t for t in tests_in(wanted) if t.doubtful or may_be_unknown(t.known)]


def plain_in_doubt(wanted: Form) -> bool:
    """Whether a form, or each of its alternatives, looks at everything that may be unknown only
    once: it is then unknown only where it could be true."""
    if type(wanted) is Some:
        return all(map(plain_in_doubt, wanted.items))
    seen: set[Expr] = set()
    for test in tests_in(wanted):
        if test.implied:
            continue
        term = test.term
        if type(term) is Get and term.field == "program":
            term = term.base  # patterns speak of it as well
        if term in seen and (test.doubtful or may_be_unknown(test.known)):
            return False
        seen.add(term)
    return True


def _settles(wanted: Form, test: Test) -> bool:
    """Whether a test surely is true or false wherever a form holds."""
    match wanted:
        case Test():
            return not wanted.doubtful and (wanted.known == test.known or _decides(wanted, test))
        case All(items=items):
            return any(_settles(item, test) for item in items)
        case Some(items=items):
            return all(_settles(item, test) for item in items)
    return False


def _decides(one: Test, other: Test) -> bool:
    """Whether the operation of one test, where it is true, makes that of another true or false."""
    if one.apply is None or other.apply is None or one.term != other.term or not one.holds:
        return False
    return follows(replace(other, holds=True), one) or follows(replace(other, holds=False), one)


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
            if any(exclude(test, other) for other in tests):
                return False
            tests = (*tests, test)
        if tests and values.listed:
            left = frozenset(v for v in values.listed if all(may_hold(t, v) for t in tests))
            values = Values(left)
        state[term] = values, tests
        if values.empty:
            return False
        if type(term) is Apply and term.op in NAMES:
            return _one_name(term, state)
        return self._elements(test, state)

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


def _one_name(term: Apply, state: _State) -> bool:
    """Whether what is said of a path's last component agrees with what is said of its ending."""
    name, ending = (state.get(Apply(op, term.args)) for op in NAMES)
    if name is None or ending is None or name[0].listed is None:
        return True
    extension = OPERATIONS["extension"].implementation
    endings = among(extension(text) for text in name[0].listed if type(text) is str)
    left = endings.meet(ending[0]).listed or ()
    return any(all(may_hold(test, text) for test in ending[1]) for text in left)
