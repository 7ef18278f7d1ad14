"""Comparing decisions: what is counted, what is grouped, what an ask is known by."""

from __future__ import annotations

import pytest

from callgate.analysis import compare
from callgate.analysis.compare import Comparison, Side
from callgate.model.decision import Decision
from tests.acme import acme

LOOK = {"tool": "look", "args": {"path": "/a"}}
TEMPORARY = {"tool": "save", "args": {"path": "/tmp/a"}}
PRIVATE = {"tool": "save", "args": {"path": "/etc/a"}}
START = {"tool": "start"}
OPAQUE = {"tool": "look"}


def decided(call: dict[str, object]) -> Decision:
    return acme().decide(call)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (TEMPORARY, LOOK, "allowed"),
        (PRIVATE, LOOK, "allowed"),
        (PRIVATE, TEMPORARY, "weaker"),
        (LOOK, TEMPORARY, "stricter"),
        (LOOK, PRIVATE, "stricter"),
        (TEMPORARY, PRIVATE, "stricter"),
        (TEMPORARY, START, ""),
        (PRIVATE, PRIVATE, ""),
    ],
)
def test_kinds(before: dict[str, object], after: dict[str, object], kind: str) -> None:
    comparison = Comparison(3)
    comparison.add("one", LOOK, decided(before), decided(after))
    assert [group.kind for group in comparison.groups()] == ([kind] if kind else [])
    assert comparison.counts == {name: int(name == kind) for name in compare.KINDS}
    assert (comparison.calls, comparison.changed) == (1, int(bool(kind)))


def test_an_ask_is_known_by_what_asked_first() -> None:
    comparison = Comparison(0)
    for call in (TEMPORARY, START, OPAQUE):
        comparison.add("one", call, decided(LOOK), decided(call))
    assert [group.after for group in comparison.groups()] == [
        Side("ask", "human.pending", ""),
        Side("ask", "human.pending", "builtin.opaque"),
        Side("ask", "human.pending", "files.temporary"),
    ]


def test_of_too_many_groups_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "_MOST_GROUPS", 1)
    comparison = Comparison(1)
    for before in (PRIVATE, TEMPORARY, PRIVATE):
        comparison.add("one", LOOK, decided(before), decided(LOOK))
    (group,) = comparison.groups()
    assert (group.count, len(group.examples), comparison.ungrouped) == (2, 1, 1)
    assert comparison.counts["allowed"] == 3
