"""Values of other types from text and JSON: times, and typed values of untyped arguments."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from callgate.model.types import BOOL, INT, JSON, STRING, TIME, Optional
from callgate.model.values import UNKNOWN
from callgate.stdlib.operation import example, operation, signature

__all__ = ["as_bool", "as_int", "as_string", "time"]

_RFC_3339: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:[0-5]\d)", re.ASCII
)
_FRACTION: Final = re.compile(r"\.(\d+)")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@operation(
    signature(TIME, text=STRING),
    unknown=True,
    examples=(
        example("1970-01-01T00:00:01Z", gives=1_000_000),
        example("2026-12-01T10:00:00+01:00", gives=1_796_115_600_000_000),
        example("tomorrow", gives=UNKNOWN),
    ),
)
def time(text: str) -> Any:
    """The time that an RFC 3339 text says, to the microsecond: `2026-12-01T09:00:00Z`. Unknown
    when it says none; it must name its zone."""
    if not _RFC_3339.fullmatch(text):
        return UNKNOWN
    plain = _FRACTION.sub(lambda found: "." + found[1][:6].ljust(6, "0"), text.upper())
    try:
        return (datetime.fromisoformat(plain) - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return UNKNOWN


@operation(
    signature(Optional(STRING), value=Optional(JSON)),
    examples=(example("a", gives="a"), example(1, gives=None), example(None, gives=None)),
)
def as_string(value: Any) -> str | None:
    """The value when it is a text, else absent."""
    return value if type(value) is str else None


@operation(
    signature(Optional(INT), value=Optional(JSON)),
    examples=(example(3, gives=3), example(3.0, gives=3), example("3", gives=None)),
)
def as_int(value: Any) -> int | None:
    """The value when it is a whole number, else absent."""
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


@operation(
    signature(Optional(BOOL), value=Optional(JSON)),
    examples=(example(True, gives=True), example(1, gives=None)),
)
def as_bool(value: Any) -> bool | None:
    """The value when it is true or false, else absent."""
    return value if type(value) is bool else None
