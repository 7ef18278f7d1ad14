"""Times of the day and of the week, on the clocks of a time zone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from callgate.model.suggest import closest
from callgate.model.types import BOOL, INT, STRING, TIME, Enum
from callgate.model.values import UNKNOWN
from callgate.stdlib.operation import example, operation, signature
from callgate.stdlib.zones import local_time, zone_problem

__all__ = ["ZONED", "during", "hour", "weekday"]

_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMES: Final = {
    name: place
    for place, day in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    )
    for name in (day, day[:3])
}
_RANGE: Final = re.compile(
    r"(?:([A-Za-z]+)(?:\s*-\s*([A-Za-z]+))?\s+)?(\d\d?):(\d\d)\s*-\s*(\d\d?):(\d\d)", re.ASCII
)
_ONLY_DAYS: Final = re.compile(r"[A-Za-z]+(?:\s*-\s*[A-Za-z]+)?", re.ASCII)
_AS_IN: Final = "write it as in `Mon-Fri 09:00-18:00`"
_DAY: Final = 24 * 60

_Range = tuple[frozenset[int], int, int]
"""Days (Monday is 0), and the minutes of the day between which it is: the end is not in it, and one
that is not after the beginning is on the next day."""


class _HoursError(Exception):
    """Hours that can't be read: what is wrong, and what to write."""


@lru_cache(maxsize=256)
def _hours(text: str) -> tuple[_Range, ...]:
    items = [item.strip() for item in text.split(",")]
    return tuple(_range(item, items[place + 1 :]) for place, item in enumerate(items))


def _range(item: str, after: Sequence[str]) -> _Range:
    """The range that an item says. `after`: the items behind it."""
    found = _RANGE.fullmatch(item)
    if found is None:
        if _ONLY_DAYS.fullmatch(item):
            help = f"say the hours of these days, too: `{_with_hours(item, after)}`"
            raise _HoursError(f"`{item}` has no hours", help)
        raise _HoursError(f"`{item}` is no time of the week", _AS_IN)
    first, last, *digits = found.groups()
    begin, end = _minute(*digits[:2]), _minute(*digits[2:])
    if begin == end:
        help = "for the whole day write `00:00-24:00`"
        raise _HoursError(f"`{item}` begins and ends at the same time", help)
    if begin == _DAY:
        raise _HoursError(f"`{item}` begins when the day is over", "write `00:00` of the next day")
    return _days(first, last), begin, end


def _with_hours(days: str, after: Sequence[str]) -> str:
    """Days with hours: those of the next item that says some, as in `Mon, Tue 09:00-10:00`."""
    written = [days]
    for item in after:
        found = _RANGE.fullmatch(item)
        if found is not None:
            hours = item[found.start(3) :]
            written += [item] if found[1] else []
            return ", ".join(day if day is item else f"{day} {hours}" for day in written)
        if not _ONLY_DAYS.fullmatch(item):
            break
        written.append(item)
    return f"{days} 00:00-24:00"


def _minute(hour: str, minute: str) -> int:
    found = int(hour) * 60 + int(minute)
    if int(minute) > 59 or found > _DAY:
        raise _HoursError(f"`{hour}:{minute}` is no time of the day", "days go from 00:00 to 24:00")
    return found


def _days(first: str | None, last: str | None) -> frozenset[int]:
    """The days from one to another, also over Sunday; all days when none is named."""
    if first is None:
        return frozenset(range(7))
    begin, end = _day(first), _day(last or first)
    return frozenset((begin + step) % 7 for step in range((end - begin) % 7 + 1))


def _day(name: str) -> int:
    place = _NAMES.get(name.lower())
    if place is None:
        near = closest(name, _NAMES)
        short = " ".join(day.capitalize() for day in _DAYS)
        help = f"did you mean `{near.capitalize()}`?" if near else f"days are {short}"
        raise _HoursError(f"there is no day `{name}`", help)
    return place


def _hours_problem(text: str) -> tuple[str, str] | None:
    try:
        _hours(text)
    except _HoursError as error:
        message, help = error.args
        return message, help
    return None


@operation(
    signature(BOOL, time=TIME, hours=STRING, zone=STRING),
    unknown=True,
    literals={"hours": _hours_problem, "zone": zone_problem},
    examples=(
        example(1_796_115_600_000_000, "Mon-Fri 09:00-18:00", "Europe/Berlin", gives=True),
        example(1_796_115_600_000_000, "Mon-Fri 09:00-18:00", "America/New_York", gives=False),
        example(1_796_115_600_000_000, "22:00-06:00, Sat-Sun 00:00-24:00", "UTC", gives=False),
        example(1_796_115_600_000_000, "09:00-18:00", "Europe/Berlino", gives=UNKNOWN),
    ),
)
def during(time: int, hours: str, zone: str) -> Any:
    """Whether a time is within these hours of the week, on the clocks of a time zone. Hours are
    `DAYS HH:MM-HH:MM`, several with commas between them; without days, every day. The end is not
    within them; hours that end before they begin (`Fri 22:00-06:00`) go on into the next day."""
    moment = local_time(time, zone)
    try:
        ranges = _hours(hours)
    except _HoursError:
        return UNKNOWN
    if moment is None:
        return UNKNOWN
    day, minute = moment.weekday(), moment.hour * 60 + moment.minute
    return any(
        (day in days and begin <= minute < end)
        if begin < end
        else (day in days and minute >= begin) or ((day - 1) % 7 in days and minute < end)
        for days, begin, end in ranges
    )


@operation(
    signature(Enum("weekday", _DAYS), time=TIME, zone=STRING),
    unknown=True,
    literals={"zone": zone_problem},
    examples=(
        example(1_796_115_600_000_000, "UTC", gives="tue"),
        example(1_796_166_000_000_000, "Asia/Tokyo", gives="wed"),
    ),
)
def weekday(time: int, zone: str) -> Any:
    """The day of the week of a time, on the clocks of a time zone: `mon`, `tue`, `wed`, `thu`,
    `fri`, `sat` or `sun`, as in `weekday(observed.time, "UTC") in sat|sun`."""
    moment = local_time(time, zone)
    return UNKNOWN if moment is None else _DAYS[moment.weekday()]


@operation(
    signature(INT, time=TIME, zone=STRING),
    unknown=True,
    literals={"zone": zone_problem},
    examples=(
        example(1_796_115_600_000_000, "UTC", gives=9),
        example(1_796_115_600_000_000, "Europe/Berlin", gives=10),
    ),
)
def hour(time: int, zone: str) -> Any:
    """The hour of the day of a time, from 0 to 23, on the clocks of a time zone."""
    moment = local_time(time, zone)
    return UNKNOWN if moment is None else moment.hour


ZONED: Final = frozenset({"during", "hour", "weekday"})
"""The operations that read the zone data."""
