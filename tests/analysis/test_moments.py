"""The times that why-not tries: those that a graph's conditions tell apart."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.analysis.moments import moments
from callgate.analysis.why_not import MAX_WALKS, why_not
from callgate.engine import Engine
from tests.runtime.agreement import loaded
from tests.strategies import Files, forms_of

TUESDAY = "2026-12-01T20:15:00Z"
CALL: dict[str, Any] = {"tool": "cronjob", "args": {"names": [], "retries": 1}}


def engine(*rules: tuple[str, str], **more: Any) -> Engine:
    """An engine whose rules decide where their conditions hold, and that denies else."""
    listed = [
        {"id": f"s.r{n}", "title": "R", "when": when, "decide": decide, **more}
        for n, (when, decide) in enumerate(rules)
    ]
    return loaded(Files(forms_of(steps=[{"id": "s", "title": "S", "rules": listed}])))


def asked(time: str) -> dict[str, Any]:
    return {**CALL, "observed": {"time": time}} if time else CALL


def changes(made: Engine, time: str, decision: str) -> list[list[tuple[str, str, str]]]:
    call = asked(time)
    found = why_not(made.decide, call, made.decide(call))
    (item,) = [item for item in found if item.decision == decision]
    return [[(c.fact, c.actual, c.expected) for c in a.changes] for a in item.alternatives]


@pytest.mark.parametrize(
    ("when", "time", "expected"),
    [
        (
            'during(observed.time, "Mon-Fri 09:00-18:00", "Europe/Berlin")',
            TUESDAY,
            "2026-12-02T08:00:00Z",
        ),
        ('during(observed.time, "09:00-18:00", "UTC")', TUESDAY, "2026-12-02T09:00:00Z"),
        (
            'not during(observed.time, "Tue 10:00-06:00", "UTC")',
            TUESDAY,
            "2026-12-02T06:00:00Z",
        ),
        ('weekday(observed.time, "UTC") in sat|sun', TUESDAY, "2026-12-05T00:00:00Z"),
        ('weekday(observed.time, "UTC") == mon', TUESDAY, "2026-12-07T00:00:00Z"),
        ('hour(observed.time, "Asia/Tokyo") >= 22', TUESDAY, "2026-12-02T13:00:00Z"),
        ('hour(observed.time, "UTC") == 3', TUESDAY, "2026-12-02T03:00:00Z"),
        ('observed.time > time("2027-03-01T00:00:00Z")', TUESDAY, "2027-03-01T00:00:01Z"),
        ('observed.time >= time("2027-03-01T00:00:00.5Z")', TUESDAY, "2027-03-01T00:00:01Z"),
        ('observed.time < time("2026-03-01T00:00:00Z")', TUESDAY, "2026-02-28T23:59:59Z"),
        (
            'weekday(observed.time, "UTC") == fri and hour(observed.time, "UTC") >= 22',
            TUESDAY,
            "2026-12-04T22:00:00Z",
        ),
        (
            'observed.time > time("2027-03-01T00:00:00Z") '
            'and during(observed.time, "Mon 09:00-10:00", "UTC")',
            TUESDAY,
            "2027-03-01T09:00:00Z",
        ),
        ('during(observed.time, "Mon-Fri 09:00-18:00", "UTC")', "", "2026-01-05T09:00:00Z"),
        ('observed.time < time("2026-03-01T00:00:00Z")', "", "2026-02-28T23:59:59Z"),
    ],
)
def test_a_time_at_which_it_would_be_otherwise(when: str, time: str, expected: str) -> None:
    found = changes(engine((when, "allow")), time, "allow")
    assert [("observed.time", time or "absent", expected)] in found


def test_hours_that_several_rules_share_are_tried_together() -> None:
    made = engine(
        ('during(observed.time, "Mon-Fri 09:00-18:00", "UTC")', "ask"),
        ('weekday(observed.time, "UTC") in sat|sun', "allow"),
    )
    assert changes(made, TUESDAY, "ask")[0] == [
        ("observed.time", TUESDAY, "2026-12-02T09:00:00Z"),
    ]
    assert changes(made, TUESDAY, "allow")[0] == [
        ("observed.time", TUESDAY, "2026-12-05T00:00:00Z"),
    ]


def test_with_the_time_of_another_fact() -> None:
    hours = 'call.nested and during(observed.time, "Mon-Fri 09:00-18:00", "UTC")'
    assert changes(engine((hours, "allow")), TUESDAY, "allow") == [
        [
            ("context.nested", "false", "true"),
            ("observed.time", TUESDAY, "2026-12-02T09:00:00Z"),
        ]
    ]


def test_before_an_exception_ends() -> None:
    item = {"id": "s.x", "until": "2026-11-01", "owner": "ann", "reason": "r"}
    during = 'during(observed.time, "Wed 09:00-10:00", "Europe/Berlin")'
    made = engine(("true", "ask"), exceptions=[{**item, "when": during}])
    assert changes(made, TUESDAY, "deny") == [
        [("observed.time", TUESDAY, "2026-10-28T08:00:00Z")],
    ]


def test_a_policy_that_reads_no_time_has_none() -> None:
    assert list(moments(engine(("call.nested", "allow")).program.graph.document, TUESDAY)) == []


@pytest.mark.parametrize("time", [TUESDAY, "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", ""])
def test_many_conditions_cost_no_more_than_the_bound(time: str) -> None:
    zones = ("UTC", "Europe/Berlin", "Pacific/Apia", "Asia/Kolkata")
    hours = [
        f'during(observed.time, "{day} {n:02}:{n:02}-{n + 3}:59", "{zone}")'
        for n, day in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
        for zone in zones
    ]
    years = [f'observed.time > time("{year}-01-01T00:00:00Z")' for year in range(2001, 2060)]
    made = engine(*((when, "allow") for when in (*hours, *years)))
    tried = list(moments(made.program.graph.document, time or None))
    assert len(tried) == len(set(tried)) <= 4000
    call = asked(time)
    for item in why_not(made.decide, call, made.decide(call)):
        assert item.walks <= MAX_WALKS
