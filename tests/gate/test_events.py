"""Events: what happened, in its order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from callgate.gate.clock import stamp, time_of
from callgate.gate.database import Database, StateError
from callgate.gate.events import Events, write_event

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_they_are_kept_in_the_order_they_happened(db: Database) -> None:
    clock = iter([NOON, NOON - timedelta(days=1), NOON])
    events = Events(db, lambda: next(clock))
    events.add("reload", digest="a")
    events.add("grant.made", id="g", levels=["once", None], deep={"a": 1})
    events.add("grant.revoked", kind="x", id="g")
    found = events.list()
    assert [event.kind for event in found] == ["reload", "grant.made", "grant.revoked"]
    assert found[0].at == NOON
    assert found[1].at == NOON - timedelta(days=1)
    assert found[1].detail == {"id": "g", "levels": ["once", None], "deep": {"a": 1}}
    assert found[2].detail == {"kind": "x", "id": "g"}


def test_they_can_be_chosen(db: Database) -> None:
    events = Events(db)
    for kind in ("grant.made", "grants", "grant", "reload", "grant.revoked"):
        events.add(kind)
    assert [e.kind for e in events.list("grant")] == ["grant.made", "grant", "grant.revoked"]
    assert [e.kind for e in events.list("reload")] == ["reload"]
    assert [e.kind for e in events.list("%")] == []
    assert [e.kind for e in events.list(limit=2, newest=True)] == ["reload", "grant.revoked"]
    assert [e.kind for e in events.list("grant", limit=1, newest=True)] == ["grant.revoked"]
    first, second, *_ = events.list(limit=2)
    assert next(e.id for e in events.list(after=second.id)) == second.id + 1
    assert first.id == 1


def test_they_are_counted_since_a_time(db: Database) -> None:
    clock = iter([NOON, NOON + timedelta(hours=2), NOON + timedelta(hours=1)])
    events = Events(db, lambda: next(clock))
    for kind in ("reload", "reload", "reload.x"):
        events.add(kind)
    later = NOON + timedelta(hours=1)
    assert [e.id for e in events.list(since=later)] == [2, 3]
    assert [e.id for e in events.list(since=later + timedelta(microseconds=1))] == [2]
    assert events.tally("reload") == (3, NOON + timedelta(hours=2))
    assert events.tally("reload", after=2, since=later) == (1, later)
    assert events.tally("reload.x", since=NOON + timedelta(hours=2)) == (0, None)
    assert events.tally("other") == (0, None)


def test_one_is_undone_with_what_it_tells_of(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), db.transaction() as connection:
        write_event(connection, NOON, "grant.made", {})
        raise ZeroDivisionError
    assert Events(db).list() == []


def test_what_is_no_json_is_refused(db: Database) -> None:
    for value in (object(), {1, 2}, b"x", "\ud800"):
        with pytest.raises(StateError):
            Events(db).add("odd", value=value)
    assert Events(db).list() == []


@pytest.mark.parametrize("detail", ["{s3cret", "[1]", "null"])
def test_one_that_somebody_damaged_is_told(db: Database, detail: str) -> None:
    db.read().execute("INSERT INTO events (at, kind, detail) VALUES (1, 'x', ?)", (detail,))
    with pytest.raises(StateError, match="damaged"):
        Events(db).list()


def test_times_keep_their_microseconds() -> None:
    for time in (NOON, NOON + timedelta(microseconds=1), datetime(1969, 1, 1, tzinfo=UTC)):
        assert time_of(stamp(time)) == time
    with pytest.raises(ValueError, match="time zone"):
        stamp(datetime(2026, 1, 1))
