"""Exceptions that have ended or are about to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from callgate.lint.rules.exceptions import EndedException, EndingException
from tests.lint.bundles import findings, subject

UNTIL = datetime(2027, 1, 1, tzinfo=UTC)
GUARDS = """\
    kind: guards
    rules:
      - id: g
        title: G
        decide: deny
        when: call.sender_id == "ann"
        reason: no
        exceptions:
          - {id: g.x, when: call.agent_id == "a", until: 2027-01-01, owner: ann, reason: for now}
    """


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
def test_by_the_time_that_is_left(
    left: timedelta, found: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    now = (UNTIL - left).astimezone(timezone(timedelta(hours=5)))
    bundle = subject(tmp_path, guards=GUARDS, now=now)
    items = [*findings(bundle, EndedException), *findings(bundle, EndingException)]
    told = [item.diagnostic for item in items]
    assert [(item.code, item.severity.value) for item in told] == [row[:2] for row in found]
    assert all(row[2] in item.message for item, row in zip(told, found, strict=True))
    assert all("ann" in item.help for item in told)
