"""The operations of conditions, written the plainest way: the second half of the specification.

`apply(op, args)` is what `Apply(op, args)` of `callgate.model.expr` means. Nothing here is shared
with `callgate.stdlib`; the two are compared on generated policies.

Left out are `url` and `host`, which parse URLs: that belongs to one place.

Values: bool, int, str, list or tuple, dict, `UNKNOWN`. An absent value (None) never reaches an
operation of a well-typed condition; where one does, the operation raises and the call is denied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import re2

from callgate.model.values import UNKNOWN, Unknown
from callgate.runtime.reference_paths import (
    components,
    covers,
    expand_home,
    extension,
    inside,
    parent,
    path_of,
)
from callgate.runtime.reference_places import has_part, holds, named, touches
from callgate.runtime.reference_times import during, hour, weekday

__all__ = ["EvaluationError", "Truth", "apply", "some_of"]

Truth = bool | Unknown
"""True, False, or UNKNOWN."""


class EvaluationError(Exception):
    """A condition that is not well-typed, or broken input: the call is denied."""


def apply(op: str, args: tuple[Any, ...]) -> Any:
    """The value of the operation `op` on `args`.

    An unknown argument makes the result unknown, but nothing is in an empty list. An unknown
    *element* of a list of alternatives does so only where no other already makes the result true.
    Raises `EvaluationError` for an operation that does not exist or an argument of the wrong type.
    """
    if op not in _OPERATIONS:
        raise EvaluationError(f"no operation `{op}`")
    if op == "in" and args[1] in ((), []):
        return False  # nothing is in an empty list, whatever it is
    if any(arg is UNKNOWN for arg in args):
        return UNKNOWN
    try:
        return _OPERATIONS[op](*args)
    except (TypeError, ValueError, AttributeError) as error:
        raise EvaluationError(f"`{op}` does not take {args!r}") from error


def some_of(truths: Iterator[Truth]) -> Truth:
    """Kleene's or: true as soon as one is; else unknown when one is; else false."""
    seen = list(truths)
    if any(truth is True for truth in seen):
        return True
    if any(truth is UNKNOWN for truth in seen):
        return UNKNOWN
    return False


# --- equality and order ---------------------------------------------------------------------


def _has_unknown(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_has_unknown(item) for item in value)
    if isinstance(value, Mapping):
        return any(_has_unknown(item) for item in value.values())
    return value is UNKNOWN


def _plain(value: Any) -> Any:
    """A form in which equal values are equal: as JSON means it, so true is not 1, but 1.0 is."""
    if isinstance(value, list | tuple):
        return ("list", [_plain(item) for item in value])
    if isinstance(value, Mapping):
        return ("map", {key: _plain(item) for key, item in value.items()})
    return ("number" if type(value) in (int, float) else type(value).__name__, value)


def _eq(left: Any, right: Any) -> Truth:
    if _has_unknown(left) or _has_unknown(right):
        return UNKNOWN
    return bool(_plain(left) == _plain(right))


def _ne(left: Any, right: Any) -> Truth:
    same = _eq(left, right)
    return UNKNOWN if isinstance(same, Unknown) else not same


def _number(value: Any) -> int:
    if type(value) is not int:
        raise EvaluationError(f"{value!r} is not a number")
    return value


def _rank(word: str, members: tuple[str, ...]) -> Any:
    """The place of a word in an ordered enum, least first; nobody knows it for another word."""
    return list(members).index(word) if word in members else UNKNOWN


# --- lists and maps -------------------------------------------------------------------------


def _in(item: Any, items: Any) -> Truth:
    return some_of(_eq(item, other) for other in items)


def _item(mapping: Mapping[str, Any] | None, key: str) -> Any:
    """The value at a key; None where there is none, or no map."""
    return None if mapping is None else mapping.get(key)


def _length(value: Any) -> Any:
    """The number of code points, elements or keys; unknown words may be several, or none."""
    return UNKNOWN if isinstance(value, list | tuple) and _has_unknown(value) else len(value)


# --- lists of alternatives -----------------------------------------------------------------


def _each_alternative(test: Callable[[Any, Any], Truth]) -> Callable[[Any, Any], Truth]:
    """The relation on a list of right sides: true when it is for one of them."""

    def relation(left: Any, right: Any) -> Truth:
        alternatives = list(right) if isinstance(right, list | tuple) else [right]
        return some_of(
            UNKNOWN if alternative is UNKNOWN else test(left, alternative)
            for alternative in alternatives
        )

    return relation


# --- hosts and text -------------------------------------------------------------------------


def _under_host(host: str, domain: str) -> bool:
    """The same host or a sub-domain, label by label; an address has no sub-domains."""
    labels = host.rstrip(".").lower().split(".")
    suffix = domain.rstrip(".").lower().split(".")
    if suffix[-1] == "" or suffix[-1][-1].isdigit():
        return labels == suffix
    return labels[-len(suffix) :] == suffix


def _like(text: str, glob: str) -> bool:
    """Whether the whole text fits the glob, in which `*` stands for any text, also none."""
    if not glob:
        return not text
    if glob[0] == "*":
        return _like(text, glob[1:]) or (bool(text) and _like(text[1:], glob))
    return bool(text) and text[0] == glob[0] and _like(text[1:], glob[1:])


def _matches(text: str, pattern: str) -> bool:
    """Whether the whole text matches the RE2 pattern."""
    return re2.fullmatch(pattern, text) is not None


def _begins(program: str, words: Any, text: str) -> Truth:
    """Whether the words of a command begin with those of the text."""
    wanted = text.split()
    beginning = [program, *words][: len(wanted)]
    for place, given in enumerate(beginning):
        if isinstance(given, Unknown):
            return UNKNOWN
        if given != wanted[place]:
            return False
    return bool(wanted) and len(beginning) == len(wanted)


def _calls(program: str, subcommand: Any, operands: Any, text: str) -> Truth:
    """Whether a program, its sub-command and its operands begin with the words of the text."""
    return _begins(program, operands if subcommand == "" else [subcommand, *operands], text)


def _blank(text: str) -> bool:
    """Whether there is nothing but white space."""
    return all(letter in " \t\n\r\f\v" for letter in text)


def _time(text: str) -> Any:
    """A time with its zone (RFC 3339) as microseconds since 1970 UTC; unknown for other text."""
    if not re2.fullmatch(_RFC_3339, text):
        return UNKNOWN
    whole, _, rest = text.upper().partition(".")
    digits = rest.rstrip("Z").partition("+")[0].partition("-")[0]
    zone = rest[len(digits) :]
    try:
        moment = datetime.fromisoformat(whole + zone)
    except ValueError:
        return UNKNOWN
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return seconds * 1_000_000 + int((digits + "000000")[:6])


def _only(kind: type) -> Callable[[Any], Any]:
    """An untyped value where it is of the type; else absent."""

    def only(value: Any) -> Any:
        if kind is int and type(value) is float and value.is_integer():
            return int(value)
        return value if type(value) is kind else None

    return only


_RFC_3339: Final = r"(?i)[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]" + (
    r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-5][0-9])"
)


def _each_place(test: Callable[..., Truth]) -> Callable[..., Truth]:
    """The relation to a list of places; one that is no path leaves it open."""

    def relation(path: str, places: Any, home: str, homes: Any) -> Truth:
        listed = places if isinstance(places, list | tuple) else [places]
        known = [UNKNOWN if place is UNKNOWN else path_of(place, "") for place in listed]
        folders = [folder for folder in homes if folder is not UNKNOWN]
        return some_of(
            UNKNOWN if place is UNKNOWN else test(path, place, home, folders) for place in known
        )

    return relation


_OPERATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "eq": _eq,
    "ne": _ne,
    "lt": lambda a, b: _number(a) < _number(b),
    "le": lambda a, b: _number(a) <= _number(b),
    "gt": lambda a, b: _number(a) > _number(b),
    "ge": lambda a, b: _number(a) >= _number(b),
    "rank": _rank,
    "in": _in,
    "item": _item,
    "length": _length,
    "under_path": _each_alternative(inside),
    "covers": _each_alternative(covers),
    "touches": _each_place(touches),
    "holds": _each_place(holds),
    "has_part": _each_alternative(has_part),
    "named": _each_alternative(named),
    "path": path_of,
    "expand_home": expand_home,
    "basename": lambda path: components(path)[-1],
    "extension": extension,
    "parent": parent,
    "under_host": _each_alternative(_under_host),
    "like": _like,
    "matches": _matches,
    "contains": lambda text, part: part in text,
    "begins": _begins,
    "blank": _blank,
    "calls": _calls,
    "lower": lambda text: text.lower(),
    "upper": lambda text: text.upper(),
    "time": _time,
    "during": during,
    "weekday": weekday,
    "hour": hour,
    "as_string": _only(str),
    "as_int": _only(int),
    "as_bool": _only(bool),
}
