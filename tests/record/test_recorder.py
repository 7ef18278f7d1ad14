"""The recorder: from a decision to a line of a store."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.record.errors import RecordError
from callgate.record.ids import new_id, timestamp
from callgate.record.json_lines import JsonLines
from callgate.record.recorder import Recorder
from callgate.record.rewalk import Rewalker
from callgate.record.store import Store
from tests.record.calls import engine
from tests.record.stores import KINDS, Opened, json_lines, lines_of, sqlite

CALL = {"tool": "exec", "args": {"command": "git status"}, "context": {"channel": "cli"}}


def decisions_in(store: Store) -> list[Any]:
    found = [
        orjson.loads(line)["record"] for chain in store.chains() for line in lines_of(store, chain)
    ]
    return [record for record in found if record["kind"] == "decision"]


@pytest.mark.parametrize("opened", KINDS)
def test_a_decision_is_a_line(tmp_path: Path, opened: Opened) -> None:
    store = opened(tmp_path)
    recorder = Recorder(store, source="eval")
    of = engine()
    first = recorder.record(of.decide(CALL), settings_digest=of.settings_digest, duration_us=12)
    assert recorder.record(of.decide(CALL), decision_id="f" * 32) == "f" * 32
    one, two = decisions_in(store)
    assert (one["decision_id"], two["decision_id"]) == (first, "f" * 32)
    assert (one["source"], one["duration_us"]) == ("eval", 12)
    assert one["settings_digest"] == of.settings_digest
    assert one["timestamp"] <= two["timestamp"]
    rewalker = Rewalker(store.archive)
    assert [rewalker.differences(record) for record in (one, two)] == [[], []]
    recorder.close()
    store.close()


def test_the_graph_of_each_policy_is_kept(tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records")
    recorder = Recorder(store)
    of = engine()
    other = of.with_settings({"permissions": {"approval": {"mode": "off"}}})
    for each in (of, other, of):
        recorder.record(each.decide(CALL))
    assert store.archive.digests() == sorted({of.graph.digest, other.graph.digest})
    told = [record["policy"]["digest"] for record in decisions_in(store)]
    assert told == [of.graph.digest, other.graph.digest, of.graph.digest]
    store.close()


def test_threads_share_it(tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records")
    recorder = Recorder(store)
    of = engine()

    def some(number: int) -> list[str]:
        calls = [{**CALL, "args": {"command": f"cat x{number}-{n}; ls"}} for n in range(40)]
        return [recorder.record(of.decide(call)) for call in calls]

    with ThreadPoolExecutor(4) as pool:
        ids = [id_ for made in pool.map(some, range(4)) for id_ in made]
    found = decisions_in(store)
    assert sorted(ids) == sorted(record["decision_id"] for record in found)
    rewalker = Rewalker(store.archive)
    assert not any(rewalker.differences(record) for record in found)
    store.close()


def test_a_store_that_can_be_used_no_more(tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records")
    recorder = Recorder(store)
    recorder.record(engine().decide(CALL))
    store.close()
    with pytest.raises(RecordError, match="closed"):
        recorder.record(engine().decide(CALL))


def test_what_fails_while_it_is_told_quotes_nothing(tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records")
    decision = engine().decide(CALL)
    broken = Decision()
    broken.outcome, broken.trace, broken.frame = decision.outcome, [10**6], decision.frame
    broken.source = decision.source
    with pytest.raises(RecordError) as caught:
        Recorder(store).record(broken)
    assert str(caught.value) == "a decision can't be told: IndexError"
    store.close()


@pytest.mark.parametrize(
    ("opened", "sync", "waits"),
    [
        (json_lines, "written", False),
        (json_lines, "each", True),
        (json_lines, timedelta(seconds=1), False),
        (sqlite, "written", True),
        (sqlite, "each", True),
    ],
)
def test_what_would_wait_is_not_done(
    tmp_path: Path, opened: Opened, sync: Any, waits: bool
) -> None:
    store = opened(tmp_path, sync=sync)
    assert store.waits is waits
    recorder = Recorder(store)
    decision = engine().decide(CALL)
    assert recorder.record(decision, wait=False) == ""  # nothing is ready yet
    assert not store.chains()
    recorder.record(decision)
    again = recorder.record(decision, wait=False)
    assert bool(again) is not waits
    assert [record["decision_id"] for record in decisions_in(store)][1:] == [again] * (not waits)
    store.close()


def test_ids_sort_by_time_and_differ_after_a_fork() -> None:
    early, late = 1_700_000_000_000_000_000, 1_700_000_000_001_000_000
    assert new_id(early) < new_id(late)
    assert re.fullmatch("[0-9a-f]{32}", new_id(late))
    assert new_id(early) != new_id(early)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, new_id(early).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 32).decode() != new_id(early)
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (999_999_999, "1970-01-01T00:00:00.999999Z"),
        (1_796_115_600_123_456_789, "2026-12-01T09:00:00.123456Z"),
        (1_000, "1970-01-01T00:00:00.000001Z"),
    ],
)
def test_timestamps(nanoseconds: int, text: str) -> None:
    assert timestamp(nanoseconds) == text


def test_the_settings_digest() -> None:
    plain = Engine.load("echo")
    secret = {"tools": {"web": {"search_api_key": "abcdefgh"}}}
    other = {"tools": {"web": {"search_api_key": "ijklmnop"}}}
    digests = [Engine.load("echo", given).settings_digest for given in (None, secret, other)]
    assert digests[0] == plain.settings_digest == plain.with_settings({}).settings_digest
    assert digests[0] != digests[1] == digests[2]
    assert re.fullmatch("sha256:[0-9a-f]{64}", digests[0])
