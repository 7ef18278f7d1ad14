"""Counts of decisions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.record import stats as module
from callgate.record.stats import By, Stats, rules_of
from tests.acme import acme
from tests.record.decisions import made, match, time_of


def _counted(by: By, records: Iterable[dict[str, Any]]) -> Stats:
    stats = Stats(by)
    for record in records:
        stats.add(record)
    return stats


def _rows(stats: Stats) -> list[tuple[Any, ...]]:
    return [
        (key, tally.fired, tally.decided, tally.allowed, tally.asked, tally.denied, tally.answered)
        for key, tally in stats.ordered()
    ]


RECORDS = [
    made(1),
    made(2, matched=[match("a.b"), match("c.d")]),
    made(3, rule="a.b", matched=[match("a.b")], decision="deny"),
    made(4, rule="human.once", matched=[match("a.b")], answers={"human": "once"}),
    made(5, rule="r", decision="deny", answers={"reviewer": None}, tool="write_file"),
    made(6, rule="grants", answers={"grant": True}),
    made(7, rule="human", decision="ask", tool="write_file"),
    made(8, rule="human", decision="deny", gate={"request_id": "q1", "kind": "approval_timeout"}),
    made(9, gate={"request_id": "", "kind": "", "walked": "allow"}, answers=None),
    made(10, rule="w", decision="deny", gate={"walked": "ask", "request_id": ""}),
]

ROWS: dict[By, list[tuple[Any, ...]]] = {
    "rule": [
        ("a.b", 3, 1, 2, 1, 1, 1),
        ("human", 2, 2, 0, 2, 1, 0),
        ("tiers.write", 3, 3, 3, 0, 0, 0),
        ("c.d", 1, 0, 1, 0, 0, 0),
        ("grants", 1, 1, 1, 0, 0, 0),
        ("human.once", 1, 1, 1, 1, 0, 1),
        ("r", 1, 1, 0, 1, 1, 1),
        ("w", 1, 1, 0, 1, 1, 0),
    ],
    "tool": [("exec", 8, 8, 5, 3, 3, 1), ("write_file", 2, 2, 0, 2, 1, 1)],
    "sender": [
        ("user_0", 3, 3, 2, 0, 1, 0),
        ("user_1", 4, 4, 2, 3, 1, 1),
        ("user_2", 3, 3, 1, 2, 2, 1),
    ],
    "decision": [
        ("allow", 5, 5, 5, 1, 0, 1),
        ("deny", 4, 4, 0, 3, 4, 1),
        ("ask", 1, 1, 0, 1, 0, 0),
    ],
}


@pytest.mark.parametrize("by", ROWS)
def test_decisions_are_counted(by: By) -> None:
    stats = _counted(by, RECORDS)
    assert sorted(_rows(stats)) == sorted(ROWS[by])
    assert [row[1] for row in _rows(stats)] == sorted((row[1] for row in ROWS[by]), reverse=True)
    assert (stats.records, stats.since, stats.until) == (10, time_of(1), time_of(10))


def test_the_time_to_answer() -> None:
    answered = {"answers": {"human": "once"}}
    stats = _counted("tool", (made(n, duration_us=n * 10, **answered) for n in range(1, 101)))
    tally = stats.tallies["exec"]
    assert (tally.time(0.5), tally.time(0.95), tally.time(1.0)) == (500, 950, 1000)
    one = _counted("tool", [made(1, duration_us=7, **answered)]).tallies["exec"]
    assert (one.time(0.5), one.time(0.95)) == (7, 7)
    assert _counted("tool", [made(1)]).tallies["exec"].time(0.5) is None
    odd = _counted("tool", [made(n, duration_us=d, **answered) for n, d in ((1, -5), (2, 2**63))])
    assert odd.tallies["exec"].time(0.5) == 0


def test_so_many_keys_that_they_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEYS", 3)
    stats = _counted("tool", (made(n, tool=f"t{n % 5}") for n in range(50)))
    assert (len(stats.tallies), stats.others, stats.records) == (3, 20, 50)


def test_a_sender_that_is_none_counts_as_no_name() -> None:
    calls: list[Any] = [None, {"context": {}}, {"context": {"sender_id": ["x"]}}]
    stats = _counted("sender", (made(n, call=call) for n, call in enumerate(calls)))
    assert _rows(stats)[0][:2] == ("", 3)


def test_rules_that_never_fired() -> None:
    graph = acme().program.graph
    rules = rules_of(graph)
    guards = [guard["id"] for guard in graph.document["guards"]]
    assert rules[: len(guards)] == guards
    assert len(set(rules)) == len(rules)
    kinds = {node[2]: node[0] for node in graph.nodes if node[0] in ("consult", "decide", "note")}
    assert {kinds.get(rule, "guard") for rule in rules} == {"guard", "decide"}
    stats = _counted("rule", [made(1, rule=rules[-1], matched=[match(rules[0])])])
    assert stats.never(rules) == rules[1:-1]


def test_rules_of_what_is_shown_do_not_count() -> None:
    graph = Engine.load("echo", cache=True).program.graph
    entry = graph.document["visibility"]["entry"]
    shows = {node[2] for node in graph.nodes[entry - 1 :] if node[0] == "decide"}
    before = {node[2] for node in graph.nodes[: entry - 1] if node[0] == "decide"}
    assert shows - before
    assert not set(rules_of(graph)) & (shows - before)
    assert before <= set(rules_of(graph))


def test_the_policy_is_that_of_the_newest_decision() -> None:
    old, new = {"digest": "sha256:old"}, {"digest": "sha256:new"}
    stats = _counted("rule", [made(1, policy=old), made(9, policy=new), made(3, policy=old)])
    assert stats.policy == "sha256:new"
    assert _counted("rule", [made(1, policy={"digest": 5})]).policy == ""
