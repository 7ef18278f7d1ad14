"""Rules and guards by what they look at, to find those that may cover another without trying all.

What covers a rule is true wherever the rule's condition is. So all that it looks at, in one of its
alternatives, the rule looks at as well; and a value that it wants is one that the rule wants.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from callgate.lint.logic_forms import All, Form, Some, Test, Truth
from callgate.lint.logic_tests import follows
from callgate.lint.logic_values import ANY, Values
from callgate.lint.patterns import index_keys
from callgate.model.expr import CommandMatch, Expr

__all__ = ["Index", "alternatives", "conjuncts"]

T = TypeVar("T")

_MOST_VALUES: Final = 8
_MOST_ALTERNATIVES: Final = 8
_MOST: Final = 6
"""So many candidates under one key are tried, the latest first."""

_MOST_STRANGE: Final = 1
"""So many values that a form does not look at may an item look at that holds for some of it."""

_ALWAYS: Final = "always"


@dataclass(slots=True)
class _Looks:
    """What tests in an `and` say of one value: the values that they leave, and other tests."""

    values: Values = ANY
    tests: list[Test] = field(default_factory=list)


_Option = dict[Expr, _Looks]


class Index(Generic[T]):
    """Things by the form that tells where they hold."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, list[tuple[T, tuple[_Option, ...]]]] = {}

    def add(self, wanted: Form, item: T) -> None:
        """Add an item that holds where the form does."""
        options = alternatives(wanted)
        entry = item, tuple(map(_looks, options))
        for key in {key for option in options for key in _best(option)}:
            self._by_key.setdefault(key, []).append(entry)

    def candidates(self, wanted: Form, *, whole: bool) -> Iterator[T]:
        """Items that may hold wherever the form does (`whole`), or for some of its calls while
        they look at hardly anything else; each once."""
        seen: set[int] = set()
        first = alternatives(wanted)[0]
        mine = _looks(first)
        for key in _keys(first):
            for item, options in reversed(self._by_key.get(key, ())[-_MOST:]):
                if id(item) in seen:
                    continue
                seen.add(id(item))
                if any(_fits(option, mine, whole) for option in options):
                    yield item


def _looks(wanted: Form) -> _Option:
    found: _Option = {}
    for test in conjuncts(wanted):
        looks = found.setdefault(test.term, _Looks())
        if test.values is not None:
            looks.values = looks.values.meet(test.values)
        else:
            looks.tests.append(test)
    return found


def _fits(option: _Option, mine: _Option, whole: bool) -> bool:
    """Whether an alternative may hold where all of these tests do, or for some of those calls."""
    strange = 0
    for term, theirs in option.items():
        own = mine.get(term)
        if own is None:
            strange += 1
            if whole or strange > _MOST_STRANGE:
                return False
        elif whole:
            if not _may_be_whole(own, theirs):
                return False
        elif own.values.meet(theirs.values).empty:
            return False
    return True


def _may_be_whole(own: _Looks, theirs: _Looks) -> bool:
    if own.values is not ANY or not theirs.tests:
        return own.values.may_be_within(theirs.values)
    return all(any(follows(test, mine) for mine in own.tests) for test in theirs.tests)


def alternatives(wanted: Form) -> tuple[Form, ...]:
    """The forms of which one at least holds where the whole does; a few at most."""
    if isinstance(wanted, Some) and len(wanted.items) <= _MOST_ALTERNATIVES:
        return tuple(option for item in wanted.items for option in alternatives(item))
    return (wanted,)


def conjuncts(wanted: Form) -> Iterator[Test]:
    """The single tests that hold wherever the whole does."""
    if isinstance(wanted, Test):
        yield wanted
    elif isinstance(wanted, All):
        for item in wanted.items:
            yield from conjuncts(item)


def _named(test: Test) -> tuple[tuple[Hashable, ...], int]:
    """The keys of a test, and how much they tell: few items share what tells most."""
    values = test.values
    if values is not None and values.listed is not None and len(values.listed) <= _MOST_VALUES:
        return tuple((test.term, value) for value in values.listed), 2
    if type(test.apply) is CommandMatch and test.holds:
        keys = tuple((test.term, *key) for key in index_keys(test.apply))
        if keys:
            return keys, 3
    elif test.apply is not None and not test.places:
        return ((test.term, test.apply), (test.term, None)), 2
    return ((test.term, None),), 1


def _best(wanted: Form) -> tuple[Hashable, ...]:
    """The keys of the test of a form that tells most."""
    if isinstance(wanted, Truth):
        return (_ALWAYS,)
    best: tuple[tuple[Hashable, ...], int] = ((_ALWAYS,), 0)
    for test in conjuncts(wanted):
        found = _named(test)
        if found[1] > best[1] or (found[1] == best[1] and len(found[0]) < len(best[0])):
            best = found
    return best[0]


def _keys(wanted: Form) -> Iterator[Hashable]:
    """The keys under which something may stand that covers a form."""
    for test in conjuncts(wanted):
        keys, _ = _named(test)
        key = keys[0] if keys else (test.term, None)
        yield key
        if type(test.apply) is CommandMatch and isinstance(key, tuple):
            yield (*key[:2], None)
        yield (test.term, None)
    yield _ALWAYS
