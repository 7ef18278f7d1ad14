"""What two tests of one value are to each other: whether one leaves nothing of the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from callgate.lint.globs import glob_covers, globs_apart
from callgate.lint.logic_forms import Test
from callgate.lint.patterns import apart, covers
from callgate.model.expr import Apply, CommandMatch, Const
from callgate.stdlib import OPERATIONS

__all__ = ["exclude", "follows", "may_hold"]

_PATHS = OPERATIONS["under_path"].implementation


def may_hold(test: Test, kept: Any) -> bool:
    """Whether a test may hold of a value, as it is kept in a set."""
    assert isinstance(test.apply, Apply)
    right = test.apply.args[1]
    if type(right) is not Const or len(test.apply.args) > 2:
        return True  # it depends on the home folder
    value = kept[1] if type(kept) is tuple else kept
    try:
        found = OPERATIONS[test.apply.op].implementation(value, right.value)
    except Exception:  # a value of another type: nothing can be told
        return True
    return found is test.holds


def exclude(one: Test, other: Test) -> bool:
    """Whether two tests of one value can't both hold."""
    if one.apply == other.apply:
        return one.holds is not other.holds
    if one.holds and other.holds:
        return _apart(one, other)
    if one.holds is other.holds:
        return False
    inner, outer = (one, other) if one.holds else (other, one)
    return _within(inner, outer)


def follows(wanted: Test, test: Test) -> bool:
    """Whether one test holds wherever another of the same value does."""
    if wanted.apply == test.apply:
        return wanted.holds is test.holds
    if wanted.holds is test.holds:
        return _within(test, wanted) if wanted.holds else _within(wanted, test)
    return test.holds and _apart(wanted, test)


def _within(inner: Test, outer: Test) -> bool:
    """Whether an operation is true wherever another one is."""
    one, other = inner.apply, outer.apply
    if isinstance(one, CommandMatch) and isinstance(other, CommandMatch):
        return covers(other, one)
    if not isinstance(one, Apply) or not isinstance(other, Apply):
        return False
    if one.op == other.op == "like":
        return glob_covers(_text(other), _text(one))
    if not inner.places or not outer.places:
        return False
    holds = _relation(one.op, other.op)
    if holds is None:
        return False
    return all(any(holds(place, other) for other in outer.places) for place in inner.places)


def _apart(one: Test, other: Test) -> bool:
    """Whether two operations are never both true."""
    mine, theirs = one.apply, other.apply
    if isinstance(mine, CommandMatch) and isinstance(theirs, CommandMatch):
        return apart(mine, theirs)
    if not isinstance(mine, Apply) or not isinstance(theirs, Apply) or mine.op != theirs.op:
        return False
    if mine.op == "like":
        return globs_apart(_text(mine), _text(theirs))
    if mine.op not in ("under_path", "under_host") or not one.places or not other.places:
        return False
    if any(place[:1] == "~" for place in (*one.places, *other.places)):
        return False
    holds = OPERATIONS[mine.op].implementation
    return not any(
        holds(a, b) is True or holds(b, a) is True for a in one.places for b in other.places
    )


def _text(test: Apply) -> str:
    text = test.args[1]
    assert isinstance(text, Const) and isinstance(text.value, str)
    return text.value


def _relation(inner: str, outer: str) -> Callable[[str, str], bool] | None:
    """What a place of one operation has to be to one of another, so that the other is true wherever
    the first is."""
    if inner == outer == "covers":  # what covers a covers a/b
        return lambda place, other: _PATHS(other, place) is True
    if inner == outer in ("under_path", "under_host"):  # what is inside a/b is inside a
        holds = OPERATIONS[inner].implementation
        return lambda place, other: holds(place, other) is True
    if outer == "touches" and inner in ("under_path", "touches"):
        return _touched
    return None


def _touched(place: str, other: str) -> bool:
    """Whether what touches one place touches another, or what is under it does."""
    # Of a path in a folder that nobody knows, the first components alone don't tell.
    deep = other == "/" or other.count("/") >= (1 if other[:1] == "~" else 2)
    plain = all(c.isascii() and (c.isalnum() or c in "/~._-") for c in place + other)
    return deep and plain and _PATHS(place, other) is True
