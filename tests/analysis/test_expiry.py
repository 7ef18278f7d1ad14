"""Exceptions that have ended or are about to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from callgate.analysis.expiry import expiring
from callgate.model.policy import Guard, GuardDecision, RuleException
from tests.small import policy

UNTIL = datetime(2027, 1, 1, tzinfo=UTC)
ITEM = RuleException("x", None, 1_798_761_600_000_000, "2027-01-01", "ann", "for now")
GUARD = Guard("g", "G", GuardDecision.DENY, None, exceptions=(ITEM,))


@pytest.mark.parametrize(
    ("left", "found"),
    [
        (timedelta(days=15), []),
        (timedelta(days=14), [("L002", "info", "in 14 days")]),
        (timedelta(days=1, hours=3), [("L002", "info", "in 1 day")]),
        (timedelta(minutes=1), [("L002", "info", "within a day")]),
        (timedelta(0), [("L001", "warning", "ended at 2027-01-01")]),
        (timedelta(days=-400), [("L001", "warning", "ended at 2027-01-01")]),
    ],
)
def test_by_the_time_that_is_left(left: timedelta, found: list[tuple[str, str, str]]) -> None:
    elsewhere = timezone(timedelta(hours=5))
    items = list(expiring(policy(guards=(GUARD,)), (UNTIL - left).astimezone(elsewhere)))
    assert [(item.code, item.severity.value) for item in items] == [row[:2] for row in found]
    assert all(row[2] in item.message for item, row in zip(items, found, strict=True))
    assert all("ann" in item.help for item in items)
