"""Times of the week: tables of what must come out, and both evaluators on anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.values import UNKNOWN
from callgate.runtime.reference_values import apply
from callgate.stdlib import OPERATIONS
from callgate.stdlib.operation import Operation
from callgate.stdlib.times import ZONED
from callgate.stdlib.zones import version, zone_problem


def at(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def run(name: str, *arguments: Any) -> Any:
    found = OPERATIONS[name].implementation(*arguments)
    assert apply(name, arguments) == found
    return found


WORK = "Mon-Fri 09:00-18:00"


@pytest.mark.parametrize(
    ("time", "hours", "zone", "inside"),
    [
        # 2026-12-01 is a Tuesday. The beginning is in it, the end is not.
        ("2026-12-01T08:00:00+00:00", WORK, "Europe/Berlin", True),
        ("2026-12-01T07:59:59.999999+00:00", WORK, "Europe/Berlin", False),
        ("2026-12-01T16:59:59+00:00", WORK, "Europe/Berlin", True),
        ("2026-12-01T17:00:00+00:00", WORK, "Europe/Berlin", False),
        # In summer the same hours are an hour earlier in UTC.
        ("2026-07-01T07:00:00+00:00", WORK, "Europe/Berlin", True),
        ("2026-07-01T06:59:59+00:00", WORK, "Europe/Berlin", False),
        # The day is the zone's own.
        ("2026-11-29T23:30:00+00:00", "Mon 00:00-24:00", "Europe/Berlin", True),
        ("2026-11-29T23:30:00+00:00", "Mon 00:00-24:00", "UTC", False),
        ("2026-11-29T23:30:00+00:00", "Sun 00:00-24:00", "America/New_York", True),
        # Past midnight: the day is that of the beginning.
        ("2026-12-04T23:00:00+00:00", "Fri 22:00-06:00", "UTC", True),
        ("2026-12-05T05:59:00+00:00", "Fri 22:00-06:00", "UTC", True),
        ("2026-12-05T06:00:00+00:00", "Fri 22:00-06:00", "UTC", False),
        ("2026-12-04T05:00:00+00:00", "Fri 22:00-06:00", "UTC", False),
        ("2026-12-07T05:00:00+00:00", "Sun 22:00-06:00", "UTC", True),
        ("2026-12-01T00:00:00+00:00", "22:00-00:00", "UTC", False),
        ("2026-12-01T23:59:00+00:00", "22:00-00:00", "UTC", True),
        # Days over Sunday, several ranges, every way to write a day.
        ("2026-12-06T12:00:00+00:00", "Sat-Mon 09:00-18:00", "UTC", True),
        ("2026-12-08T12:00:00+00:00", "Sat-Mon 09:00-18:00", "UTC", False),
        ("2026-12-06T12:00:00+00:00", f"{WORK}, sunday 10:00-14:00", "UTC", True),
        ("2026-12-05T12:00:00+00:00", f"{WORK}, sunday 10:00-14:00", "UTC", False),
        ("2026-12-01T12:00:00+00:00", "MONDAY - friday 9:00 - 18:00", "UTC", True),
        ("2026-12-01T12:00:00+00:00", "Mon-Mon 00:00-24:00", "UTC", False),
        # Half an hour off, and a day that is elsewhere already.
        ("2026-12-01T03:29:00+00:00", "09:00-18:00", "Asia/Kolkata", False),
        ("2026-12-01T03:30:00+00:00", "09:00-18:00", "Asia/Kolkata", True),
        # What means nothing is never in time, nor out of it.
        ("2026-12-01T12:00:00+00:00", WORK, "Europe/Berln", UNKNOWN),
        ("2026-12-01T12:00:00+00:00", WORK, "../../etc/passwd", UNKNOWN),
        ("2026-12-01T12:00:00+00:00", WORK, "Europe", UNKNOWN),
        ("2026-12-01T12:00:00+00:00", "Mon", "UTC", UNKNOWN),
        ("2026-12-01T12:00:00+00:00", f"{WORK},", "UTC", UNKNOWN),
        ("2026-12-01T12:00:00+00:00", "09:00-25:00", "UTC", UNKNOWN),
        ("2026-12-01T12:00:00+00:00", "", "UTC", UNKNOWN),
    ],
)
def test_during(time: str, hours: str, zone: str, inside: Any) -> None:
    assert run("during", at(time), hours, zone) is inside


def test_the_clock_that_is_put_back() -> None:
    """02:30 happens twice in Berlin on 2026-10-25: both are during it."""
    for time in ("2026-10-25T00:30:00+00:00", "2026-10-25T01:30:00+00:00"):
        assert run("during", at(time), "Sun 02:00-03:00", "Europe/Berlin") is True
        assert run("hour", at(time), "Europe/Berlin") == 2


def test_day_and_hour() -> None:
    moment = at("2026-12-01T23:30:00+00:00")
    assert run("weekday", moment, "UTC") == "tue"
    assert run("weekday", moment, "Europe/Berlin") == "wed"
    assert run("hour", moment, "Europe/Berlin") == 0
    assert run("weekday", moment, "Mars/Olympus") is UNKNOWN
    assert run("hour", 10**18, "UTC") is UNKNOWN


_PARTS = ["Mon", "fri", "Sunday", "Frday", "-", " ", ",", "09:00", "24:00", "00:00", "7:5", "18:30"]
_HOURS = st.one_of(
    st.lists(st.sampled_from(_PARTS), max_size=9).map("".join),
    st.lists(
        st.builds(
            "{}{}{}:{:02}-{:02}:{:02}".format,
            st.sampled_from(["", "Mon ", "Sat-Tue ", "wed - thu ", "Sun-sun "]),
            st.just(""),
            st.integers(0, 24),
            st.sampled_from([0, 30, 59, 60]),
            st.integers(0, 24),
            st.sampled_from([0, 30, 59]),
        ),
        min_size=1,
        max_size=3,
    ).map(", ".join),
)
_ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu", "utc", "PST", ""]
)


@given(st.integers(0, 4_102_444_800).map(lambda s: s * 1_000_000), _HOURS, _ZONES)
def test_both_evaluators_read_the_same_hours(moment: int, hours: str, zone: str) -> None:
    run("during", moment, hours, zone)
    run("weekday", moment, zone)
    run("hour", moment, zone)


@pytest.mark.parametrize(
    ("hours", "message", "help"),
    [
        ("Mon-Fri", "`Mon-Fri` has no hours", "`Mon-Fri 00:00-24:00`"),
        ("Mon, Wed 09:00-17:00", "`Mon` has no hours", "`Mon 09:00-17:00, Wed 09:00-17:00`"),
        ("Mon,Tue , Sat 9:00-17:00", "", "`Mon 9:00-17:00, Tue 9:00-17:00, Sat 9:00-17:00`"),
        ("Sat-Sun, 09:00-17:00", "`Sat-Sun` has no hours", "`Sat-Sun 09:00-17:00`"),
        ("Mon, Fry, Tue 09:00-17:00", "", "`Mon 09:00-17:00, Fry 09:00-17:00, Tue 09:00-17:00`"),
        ("Mon, x9", "`Mon` has no hours", "`Mon 00:00-24:00`"),
        ("Mon-Fir 09:00-17:00", "there is no day `Fir`", "did you mean `Fri`?"),
        ("Mo-Fr 09:00-17:00", "there is no day `Mo`", ""),
        ("9-17", "`9-17` is no time of the week", "Mon-Fri 09:00-18:00"),
        ("09:00-09:00", "begins and ends at the same time", "00:00-24:00"),
        ("09:00-25:00", "`25:00` is no time of the day", "24:00"),
        ("09:60-10:00", "`09:60` is no time of the day", "24:00"),
        ("24:00-06:00", "begins when the day is over", "00:00"),
    ],
)
def test_hours_that_mean_nothing(hours: str, message: str, help: str) -> None:
    problem = OPERATIONS["during"].literals["hours"](hours)
    assert problem is not None
    assert message in problem[0] and help in problem[1]


@pytest.mark.parametrize(
    ("zone", "help"),
    [
        ("Europe/Berln", "did you mean `Europe/Berlin`?"),
        ("europe/berlin", "did you mean `Europe/Berlin`?"),
        ("Berlin", "did you mean `Europe/Berlin`?"),
        ("utc", "did you mean `UTC`?"),
        ("Mars/Olympus", "zones are named as in `Europe/Berlin` or `UTC`"),
    ],
)
def test_zones_that_are_none(zone: str, help: str) -> None:
    assert zone_problem(zone) == (f"there is no time zone `{zone}`", help)


def test_the_operations_that_read_zones_are_marked() -> None:
    def zoned(entry: Operation) -> bool:
        return any(name == "zone" for name, _ in entry.signatures[0].parameters)

    assert {name for name, entry in OPERATIONS.items() if zoned(entry)} == ZONED


def test_the_version_of_the_data_is_known() -> None:
    assert version()[:4].isdigit()


@pytest.mark.parametrize(
    ("offset", "fits"), [("+01:59", True), ("+01:60", False), ("-01:99", False)]
)
def test_offsets_have_sixty_minutes(offset: str, fits: bool) -> None:
    text = f"2026-12-01T09:00:00{offset}"
    for read in (OPERATIONS["time"].implementation, lambda text: apply("time", (text,))):
        assert (read(text) is not UNKNOWN) is fits
