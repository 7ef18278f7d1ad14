"""Equality, order, lists and maps: what every condition is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from callgate.model.types import BOOL, INT, STRING, ListOf, MapOf, Optional
from callgate.model.values import UNKNOWN
from callgate.stdlib.operation import Anything, example, operation, signature

__all__ = ["eq", "ge", "gt", "in_", "item", "le", "length", "lt", "ne", "rank"]

_T: Final = Anything("T")
_PLAIN: Final = frozenset({str, int, bool, type(None)})


def _same(left: Any, right: Any) -> Any:
    """Equality as JSON means it: lists and tuples alike, 1 and 1.0 alike, but true is not 1.

    UNKNOWN as soon as something inside is. The depth is bounded by the call's.
    """
    if type(left) in _PLAIN and type(right) is type(left):
        return left == right
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if _holds_unknown(left) or _holds_unknown(right):
            return UNKNOWN
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    return bool(left == right)


def _holds_unknown(items: Sequence[Any]) -> bool:
    return any(
        item is UNKNOWN or (isinstance(item, list | tuple) and _holds_unknown(item))
        for item in items
    )


@operation(
    signature(BOOL, left=_T, right=_T),
    symbol="==",
    examples=(example("a", "a", gives=True), example("a", "A", gives=False)),
)
def eq(left: Any, right: Any) -> Any:
    """Whether two values are equal. Text is compared exactly, paths and hosts in their normal
    form. What can never be equal is an error of the condition, not false."""
    return _same(left, right)


@operation(signature(BOOL, left=_T, right=_T), symbol="!=", examples=(example(1, 2, gives=True),))
def ne(left: Any, right: Any) -> Any:
    """Whether two values differ."""
    same = _same(left, right)
    return UNKNOWN if same is UNKNOWN else not same


@operation(signature(BOOL, left=_T, right=_T), symbol="<", examples=(example(1, 2, gives=True),))
def lt(left: int, right: int) -> bool:
    """Less: integers, times (earlier), members of an ordered enum (listed before)."""
    return left < right


@operation(signature(BOOL, left=_T, right=_T), symbol="<=", examples=(example(2, 2, gives=True),))
def le(left: int, right: int) -> bool:
    """Less or equal."""
    return left <= right


@operation(signature(BOOL, left=_T, right=_T), symbol=">", examples=(example(1, 2, gives=False),))
def gt(left: int, right: int) -> bool:
    """Greater."""
    return left > right


@operation(signature(BOOL, left=_T, right=_T), symbol=">=", examples=(example(2, 2, gives=True),))
def ge(left: int, right: int) -> bool:
    """Greater or equal."""
    return left >= right


@operation(
    signature(INT, value=_T, members=ListOf(STRING)),
    internal=True,
    examples=(example("write", ("read", "write"), gives=1),),
)
def rank(value: str, members: Sequence[str]) -> int:
    """The place of a member of an ordered enum, from 0."""
    return members.index(value)


@operation(
    signature(BOOL, value=_T, items=ListOf(_T)),
    symbol="in",
    examples=(
        example("b", ("a", "b"), gives=True),
        example("c", ("a", "b"), gives=False),
        example("c", (), gives=False),
    ),
)
def in_(value: Any, items: Sequence[Any]) -> Any:
    """Whether a list has an element that is equal to the value. `not in` is its opposite."""
    unknown = False
    for other in items:
        same = _same(value, other)
        if same is True:
            return True
        unknown = unknown or same is UNKNOWN
    return UNKNOWN if unknown else False


@operation(
    signature(Optional(_T), map=MapOf(_T), key=STRING),
    symbol="m[key]",
    examples=(example({"a": 1}, "a", gives=1), example({"a": 1}, "b", gives=None)),
)
def item(mapping: Mapping[str, Any] | None, key: str) -> Any:
    """The value at a key of a map, absent when there is none: guard it with `has`, or give a
    default with `??`."""
    return None if mapping is None else mapping.get(key)


@operation(
    signature(INT, text=STRING),
    signature(INT, items=ListOf(_T)),
    signature(INT, map=MapOf(_T)),
    examples=(example("naïve", gives=5), example(("a", "b"), gives=2)),
)
def length(value: Any) -> Any:
    """The number of code points of a text, of elements of a list, or of keys of a map."""
    if value is None:
        return 0
    if isinstance(value, list | tuple) and any(element is UNKNOWN for element in value):
        return UNKNOWN
    return len(value)
