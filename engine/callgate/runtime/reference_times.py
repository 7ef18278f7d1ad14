"""Times of the week on the clocks of a zone, written the plainest way: every minute of the week is
either within the hours or not."""

from __future__ import annotations

from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any, Final
from zoneinfo import ZoneInfo

from callgate.model.values import UNKNOWN

__all__ = ["during", "hour", "weekday"]

_WEEK: Final = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_FULL: Final = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def _local(moment: int, zone: str) -> Any:
    """The time on the zone's clocks; unknown where there is no such zone, or no such year."""
    data = files("tzdata")
    if zone not in data.joinpath("zones").read_text("utf-8").splitlines():
        return UNKNOWN
    with data.joinpath(f"zoneinfo/{zone}").open("rb") as stream:
        clocks = ZoneInfo.from_file(stream)
    try:
        utc = datetime(1970, 1, 1) + timedelta(microseconds=moment)
        return clocks.fromutc(utc.replace(tzinfo=clocks))
    except OverflowError:
        return UNKNOWN


def during(moment: int, hours: str, zone: str) -> Any:
    """Whether a time is within these hours of the week; unknown for hours that mean nothing."""
    now = _local(moment, zone)
    if now is UNKNOWN:
        return UNKNOWN
    minutes: set[int] = set()
    for part in hours.split(","):
        found = _minutes_of(part)
        if not found:
            return UNKNOWN
        minutes |= found
    return (now.weekday() * 24 + now.hour) * 60 + now.minute in minutes


def _minutes_of(part: str) -> set[int]:
    """The minutes of the week that `Mon-Fri 09:00-18:00` names; none where it means nothing."""
    begins = next((place for place, letter in enumerate(part) if letter in "0123456789"), None)
    if begins is None:
        return set()
    days, clock = part[:begins], part[begins:]
    named = [name.strip().lower() for name in days.split("-")] if days.strip() else ["mon", "sun"]
    if len(named) > 2 or (days.strip() and not days[-1].isspace()):
        return set()
    places = [_WEEK.index(n) if n in _WEEK else _FULL.index(n) if n in _FULL else -1 for n in named]
    times = [_minute(text.strip()) for text in clock.split("-")]
    if -1 in places or len(times) != 2 or -1 in times or times[0] in (times[1], 24 * 60):
        return set()
    begin, end = times
    length = end - begin if end > begin else end + 24 * 60 - begin
    found: set[int] = set()
    day = places[0]
    while True:
        found |= {(day * 24 * 60 + begin + step) % (7 * 24 * 60) for step in range(length)}
        if day == places[-1]:
            return found
        day = (day + 1) % 7


def _minute(text: str) -> int:
    """The minute of the day, or -1."""
    hour, colon, minute = text.partition(":")
    digits = hour.isascii() and minute.isascii() and hour.isdigit() and minute.isdigit()
    if not colon or not digits or len(hour) > 2 or len(minute) != 2 or int(minute) > 59:
        return -1
    found = int(hour) * 60 + int(minute)
    return found if found <= 24 * 60 else -1


def weekday(moment: int, zone: str) -> Any:
    """The day of the week."""
    now = _local(moment, zone)
    return UNKNOWN if now is UNKNOWN else _WEEK[now.weekday()]


def hour(moment: int, zone: str) -> Any:
    """The hour of the day."""
    now = _local(moment, zone)
    return UNKNOWN if now is UNKNOWN else now.hour
