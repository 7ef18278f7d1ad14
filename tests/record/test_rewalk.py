"""Walking recorded decisions again: what is the same, what is not, what can't be told."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import orjson
import pytest

from callgate.record.archive import GraphArchive
from callgate.record.errors import RecordError
from callgate.record.json_lines import JsonLines
from callgate.record.query import Query
from callgate.record.recheck import Rechecked, _cores, recheck
from callgate.record.record import Answer
from callgate.record.rewalk import Rewalker
from callgate.record.rewalk_graph import GraphWalker
from callgate.record.store import Segment, open_store
from tests.acme import CALLS, acme
from tests.record.calls import MARK, cases, engine, records
from tests.record.decided import changed, record_all

ASK = {"tool": "save", "args": {"path": "/srv/a"}}
TEMPORARY = {"tool": "save", "args": {"path": "/tmp/a"}}


def checked(place: Path, query: Query | None = None, many: bool = False) -> Rechecked:
    store = open_store(place, create=False)
    try:
        return recheck(store, query, many, lambda lines, size: None)
    finally:
        store.close()


@pytest.mark.parametrize("name", ["records", "records.db"])
@pytest.mark.parametrize("live", [False, True])
def test_all_calls_come_out_the_same(tmp_path: Path, name: str, live: bool) -> None:
    calls = [{k: v for k, v in call.items() if k != "settings"} for call in CALLS.values()]
    calls += [
        {"tool": "look", "args": {"path": "/a", "é": 0.1, "$x": 2**60, "deep": [{"a": []}]}},
        {"tool": "save", "args": {"path": "/tmp/a", "password": "hunter2hunter2"}},
        {"tool": "save", "args": {"path": "/srv/" + "long/" * 5000}},
    ]
    record_all(tmp_path / name, acme(), calls, live)
    found = checked(tmp_path / name)
    assert found.whole
    assert found.equal + sum(found.unwalked.values()) == found.decisions == len(calls)
    assert found.equal >= len(calls) - 1


def test_settings_of_a_call_have_a_graph_of_their_own(tmp_path: Path) -> None:
    record_all(tmp_path / "r", acme(), CALLS.values())
    found = checked(tmp_path / "r")
    assert (found.equal, found.whole) == (len(CALLS), True)


@pytest.mark.parametrize("bundle", ["echo", "tests/cases/shop"])
def test_the_calls_of_policy_tests_come_out_the_same(tmp_path: Path, bundle: str) -> None:
    of = engine(bundle)
    archive = GraphArchive(tmp_path)
    archive.keep(of.graph)
    rewalker, made = Rewalker(archive), records(of)
    walked = 0
    for case in cases(bundle):
        for live in (False, True):
            record = orjson.loads(made.of(of.program.decide(dict(case.call), live), MARK))
            if record["rewalk"]:
                assert rewalker.differences(record) == [], case.span
                walked += 1
    assert walked > 1.9 * len(cases(bundle))


def test_what_a_graph_does_not_read_makes_no_other_call(tmp_path: Path) -> None:
    """Walks are remembered without it; so nothing may come to hang on it."""
    of = engine("echo")
    walker = GraphWalker(of.program)
    assert {"trace_id", "execution_id", "session_key"} <= walker._unread
    for case in cases("echo")[::9]:
        context = case.call.get("context") or {}
        for live in (False, True):
            then = walker._of(of.program.decide(dict(case.call), live))
            for value in ("cli", "/etc/passwd", "user_123", "\n"):
                call = {**case.call, "context": {**context, **dict.fromkeys(walker._unread, value)}}
                assert walker._of(of.program.decide(call, live)) == then, case.span


def test_what_a_graph_reads_makes_another_call(tmp_path: Path) -> None:
    calls = [
        {
            "tool": "start",
            "args": {"count": 3},
            "context": {"channel": "ops", "sender_id": sender, "trace_id": trace},
        }
        for sender in ("anna", "ben", "anna")
        for trace in ("1", "2")
    ]
    calls += [
        {"tool": "save", "args": {"path": path}, "context": {field: folder}}
        for field, path in (("cwd", "x"), ("home", "~/x"))
        for folder in ("/etc", "/srv", "/tmp")
    ]
    times: list[Any] = [{"time": t} for t in ("2026-12-01T09:00:00Z", "2026-13-01T09:00:00Z", "x")]
    calls += [{"tool": "look", "args": {"path": "/a"}, "observed": time} for time in times * 2]
    record_all(tmp_path / "r", acme(), calls)
    assert checked(tmp_path / "r").equal == len(calls)
    changed(tmp_path / "r", lambda record: record["call"]["context"].update(sender_id="anna"))
    assert checked(tmp_path / "r").differences == 2


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], object]:
    def change(record: dict[str, Any]) -> None:
        inner: Any = record
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("decision", put("decision", value="allow")),
        ("rule", put("rule", value="human.once")),
        ("step", put("step", value="human")),
        ("risk", put("risk", value="low")),
        ("pending", put("pending", value={"consult": "human", "outcomes": ["allow"]})),
        ("error", put("error", value={"code": "R006", "message": ""})),
        ("matched", put("matched", 0, "rule", value="files.other")),
        ("matched", put("matched", 0, "decide", value="ask")),
        ("matched", put("matched", value=[])),
        ("trace", put("trace", 0, "node", value=99)),
        ("trace", put("trace", 0, "value", value=None)),
        ("trace", put("trace", value=[])),
    ],
)
def test_each_part_that_decides_is_compared(
    tmp_path: Path, key: str, change: Callable[[dict[str, Any]], object]
) -> None:
    (id_,) = record_all(tmp_path / "r", acme(), [{"tool": "save", "args": {"path": "/etc/x"}}])
    assert checked(tmp_path / "r").whole
    changed(tmp_path / "r", change)
    found = checked(tmp_path / "r")
    (item,) = found.differing
    assert (item.decision_id, [each.key for each in item.differences]) == (id_, [key])
    assert (found.decisions, found.equal, found.whole) == (1, 0, False)


@pytest.mark.parametrize(
    "change",
    [
        put("call", "args", "path", value="/etc/x"),
        put("call", "context", "unattended", value=True),
        put("answers", value={"human": "deny"}),
        put("call", "tool", value="look"),
    ],
)
def test_what_was_decided_on_is_what_is_walked(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    record_all(tmp_path / "r", acme(), [{**TEMPORARY, "answers": {"human": "once"}}])
    changed(tmp_path / "r", change)
    assert checked(tmp_path / "r").differences == 1


def test_equal_calls_with_other_answers_are_told_apart(tmp_path: Path) -> None:
    calls = [{**ASK, "answers": answers} for answers in ({}, {"human": "once"}, {"human": "deny"})]
    record_all(tmp_path / "r", acme(), calls * 3)
    record_all(tmp_path / "r", acme(), calls, live=True)
    assert checked(tmp_path / "r").equal == 12
    changed(tmp_path / "r", put("answers", value={"human": "once"}))
    assert checked(tmp_path / "r").differences == 8


def test_the_walk_counts_not_what_the_gate_made_of_it(tmp_path: Path) -> None:
    nobody = Answer(False, "nobody answered", kind="approval_pending")
    record_all(tmp_path / "r", acme(), [ASK], live=True, answer=nobody)
    found = checked(tmp_path / "r", Query(decision="deny"))
    assert (found.equal, found.whole) == (1, True)


def test_what_can_not_be_walked_again_is_told_with_the_reason(tmp_path: Path) -> None:
    record_all(tmp_path / "r", acme(), [ASK] * 3)
    changed(tmp_path / "r", lambda record: record.update(rewalk=False, rewalk_why="a secret"))
    found = checked(tmp_path / "r")
    assert (found.unwalked, found.equal, found.whole) == ({"a secret": 3}, 0, True)


def test_a_value_that_was_masked_is_no_difference(tmp_path: Path) -> None:
    record_all(tmp_path / "r", acme(), [ASK])
    changed(tmp_path / "r", put("trace", 0, "value", value="*** and more"))
    assert checked(tmp_path / "r").whole


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda file: file.unlink(), "is not kept"),
        (lambda file: file.write_bytes(file.read_bytes()[:-9]), "is not what it was"),
        (lambda file: file.write_bytes(b"x"), "is not what it was"),
    ],
)
def test_a_graph_is_missed_once(tmp_path: Path, damage: Callable[[Path], object], why: str) -> None:
    record_all(tmp_path / "r", acme(), [ASK, TEMPORARY])
    record_all(tmp_path / "r", acme(), [{**ASK, "settings": {"approval": {"mode": "off"}}}])
    (file,) = (tmp_path / "r" / "graphs").glob(f"{acme().graph.digest[7:]}*")
    damage(file)
    found = checked(tmp_path / "r")
    ((digest, (count, said)),) = found.graphs.items()
    assert (digest, count, found.equal, found.whole) == (acme().graph.digest, 2, 1, False)
    assert why in said


def test_lines_that_can_not_be_read(tmp_path: Path) -> None:
    record_all(tmp_path / "r", acme(), [ASK])
    changed(tmp_path / "r", lambda record: record.pop("pending"))
    found = checked(tmp_path / "r")
    ((chain, seq, why),) = found.unreadable
    assert (len(chain), seq, why) == (32, 1, "the record is not in the form of a decision")
    (file,) = (tmp_path / "r").glob("*/*.jsonl")
    with file.open("ab") as stream:
        stream.write(b"nonsense\n[]\n" + b'{"record":{"kind":"decision"}}\n')
    assert [item[:2] for item in checked(tmp_path / "r").unreadable][1:] == [("", -1)] * 3


def test_other_processes_find_the_same(tmp_path: Path) -> None:
    calls = [*CALLS.values()] * 120
    record_all(tmp_path / "r", acme(), calls)

    def change(record: dict[str, Any]) -> None:
        if record["rule"] == "files.private":
            record["rule"] = "files.other"

    changed(tmp_path / "r", change)
    for query in (None, Query(decision="deny")):
        here, there = (checked(tmp_path / "r", query, many) for many in (False, True))
        assert here == there
        assert here.differences == 120
    assert there.decisions < len(calls)


class Endless(JsonLines):
    """A store that never comes to its end."""

    def lines(self, segment: Segment) -> Iterator[bytes]:
        return cycle(list(super().lines(segment)))


@pytest.mark.skipif(_cores() < 2, reason="there are no other processes")
def test_a_process_that_ends_is_told_and_all_is_not_read_at_once(tmp_path: Path) -> None:
    record_all(tmp_path / "r", acme(), [ASK])
    store = Endless(tmp_path / "r", create=False)
    done: list[int] = []

    def killed(lines: int, size: int) -> None:
        done.append(lines)
        for process in multiprocessing.active_children():
            process.kill()

    with pytest.raises(RecordError, match="has ended"):
        recheck(store, None, True, killed)
    assert done
    store.close()
