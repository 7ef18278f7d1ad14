"""What every store does, whatever keeps its lines."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from callgate.record import durability
from callgate.record.checkpoints import Checkpoints
from callgate.record.errors import RecordError
from callgate.record.line import NO_HASH, line_hash, split
from callgate.record.store import Retention, open_store
from callgate.record.verify import verify
from callgate.storage.files import locked
from tests.record.stores import (
    KINDS,
    Opened,
    id_of,
    json_lines,
    kinds_of,
    lines_of,
    number_of,
    numbers_in,
    record,
    sqlite,
)

pytestmark = pytest.mark.parametrize("opened", KINDS)


def test_a_record_is_there_when_append_returns(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)
    lane = store.lane()
    assert lane.head[0] == 0  # the mark at the beginning
    for number in range(3):
        seq, digest = lane.append(record(number))
        assert (seq, digest) == lane.head == store.head(lane.chain)
        # Another process would see it.
        line = lines_of(opened(tmp_path, create=False), lane.chain)[-1]
        assert (split(line).record, split(line).seq) == (record(number), seq)
        assert line_hash(line) == digest
    assert numbers_in(store) == [0, 1, 2]
    store.close()


def test_what_is_appended_at_once_begins_no_segment(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    lane = store.lane()
    count = 0
    # What begins a segment may wait for this.
    with locked(store.folder / "checkpoints.jsonl"):
        while lane.append_at_once(record(count)):
            count += 1
            assert count < 20
        assert not lane.append_at_once(record(count))
    lane.append(record(count))
    assert lane.append_at_once(record(count + 1))
    assert numbers_in(store) == list(range(count + 2))
    assert verify(store).findings == []
    store.close()
    with pytest.raises(ValueError, match="one line"):
        lane.append_at_once(b"{}\n")
    assert not lane.append_at_once(record(count))


def test_what_is_appended_at_once_waits_for_no_thread(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)
    lane = store.lane()
    with lane._lock:
        assert not lane.append_at_once(record(0))
    assert lane.append_at_once(record(0))
    assert numbers_in(store) == [0]
    store.close()


def test_a_chain_that_nobody_writes_to_is_taken_over(opened: Opened, tmp_path: Path) -> None:
    for number in range(4):
        store = opened(tmp_path)
        store.lane().append(record(number))
        store.close()
    store = opened(tmp_path)
    assert len(store.chains()) == 1
    assert numbers_in(store) == [0, 1, 2, 3]
    assert kinds_of(store, store.chains()[0]) == [["segment", *["decision"] * 4]]


def test_two_writers_have_a_chain_each(opened: Opened, tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path)
    for number in range(10):
        (one if number % 2 else two).lane().append(record(number))
    assert one.lane().chain != two.lane().chain
    assert sorted(numbers_in(one)) == list(range(10))
    assert one.chains() == two.chains() == sorted([one.lane().chain, two.lane().chain])
    one.close()
    two.close()


def test_a_store_has_one_lane_until_it_is_closed(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)
    lane = store.lane()
    assert store.lane() is lane
    lane.close()
    lane.close()
    with pytest.raises(RecordError, match="closed"):
        lane.append(record(1))
    with pytest.raises(RecordError, match="closed"):
        lane.head  # noqa: B018
    store.lane().append(record(2))
    assert numbers_in(store) == [2]
    store.close()
    store.close()


def test_a_record_is_one_line(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)
    with pytest.raises(ValueError, match="one line"):
        store.lane().append(b'{"a":\n1}')
    assert numbers_in(store) == []
    store.close()


def test_full_segments_are_sealed(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    for number in range(30):
        store.lane().append(record(number))
    (chain,) = store.chains()
    *sealed, last = kinds_of(store, chain)
    assert len(sealed) >= 4
    for kinds in sealed:
        assert (kinds[0], kinds[-1]) == ("segment", "seal")
        assert set(kinds[1:-1]) == {"decision"}
    assert last[0] == "segment" and "seal" not in last
    assert numbers_in(store) == list(range(30))
    seq = 0
    for number, segment in enumerate(store.segments(chain), 1):
        assert (segment.number, segment.first_seq) == (number, seq)
        assert segment.sealed == (number <= len(sealed))
        lines = list(store.lines(segment))
        seq += len(lines)
        assert segment.last_seq == seq - 1
        assert segment.size == sum(len(line) + 1 for line in lines)
        assert store.torn(segment) == 0
    store.close()


def test_a_sealed_segment_says_what_is_in_it(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    for number in range(20):
        store.lane().append(record(number))
    (chain,) = store.chains()
    lines = lines_of(store, chain)
    newest = Checkpoints(store).newest()
    assert newest != NO_HASH
    for segment in store.segments(chain)[:-1]:
        seal = _record_of(lines[segment.last_seq])
        first, last = segment.first_seq, segment.last_seq - 1
        assert (seal["first"], seal["last"], seal["records"]) == (first, last, last - first + 1)
        begin = _record_of(lines[segment.first_seq])
        assert begin["segment"] == segment.number
        assert begin["checkpoint"] == (NO_HASH if segment.number == 1 else begin["checkpoint"])
        assert segment.since == begin["at"] and segment.until == seal["at"]
    store.close()


def test_a_record_larger_than_a_segment_has_its_own(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    for number, size in enumerate([10, 100_000, 10, 3_000_000, 10]):
        store.lane().append(record(number, size))
    assert numbers_in(store) == [0, 1, 2, 3, 4]
    assert list(map(number_of, store.candidates([], "", "", True)))[:1] != []
    assert _found(store, [b'"tool":"tool_3"']) == [3]
    assert store.head(store.chains()[0]) == store.lane().head
    store.close()


def test_a_chain_is_taken_over_wherever_it_ended(opened: Opened, tmp_path: Path) -> None:
    for number in range(40):
        store = opened(tmp_path, small=True)
        store.lane().append(record(number))
        store.close()
    store = opened(tmp_path)
    assert numbers_in(store) == list(range(40))
    assert len(store.chains()) == 1


def test_threads_share_a_lane(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    heads: list[tuple[int, str]] = []

    def write(start: int) -> None:
        for number in range(start, start + 50):
            heads.append(store.lane().append(record(number)))

    threads = [Thread(target=write, args=(start,)) for start in range(0, 400, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (chain,) = store.chains()
    hashes = [line_hash(line) for line in lines_of(store, chain)]
    assert all(hashes[seq] == digest for seq, digest in heads)
    assert sorted(numbers_in(store)) == list(range(400))
    store.close()


def test_tasks_share_a_lane(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)

    async def write(number: int) -> None:
        await asyncio.sleep(0)
        store.lane().append(record(number))
        await asyncio.to_thread(store.lane().append, record(number + 100))

    async def all_of_them() -> None:
        await asyncio.gather(*map(write, range(20)))

    asyncio.run(all_of_them())
    assert sorted(numbers_in(store)) == [*range(20), *range(100, 120)]
    store.close()


@pytest.mark.parametrize("sync", ["each", timedelta(milliseconds=1), timedelta(hours=1)])
def test_every_setting_of_sync_writes_at_once(opened: Opened, tmp_path: Path, sync: Any) -> None:
    store = opened(tmp_path, small=True, sync=sync)
    for number in range(20):
        store.lane().append(record(number))
    assert numbers_in(opened(tmp_path)) == list(range(20))
    store.lane().flush()
    store.close()
    assert numbers_in(store) == list(range(20))


@pytest.mark.parametrize("sync", ["", "never", 1, None, timedelta(0), timedelta(days=2)])
def test_other_settings_are_refused(opened: Opened, tmp_path: Path, sync: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="sync"):
        opened(tmp_path, sync=sync)


def test_a_flush_in_the_background_that_fails_is_told(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = Event()

    def broken(handle: int) -> None:
        tried.set()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("callgate.record.lane.sync_data", broken)
    store = opened(tmp_path, sync=timedelta(milliseconds=1))
    lane = store.lane()
    lane.append(record(1))
    assert tried.wait(60)
    for thread in _flushers():
        thread.join(60)
    for _ in range(2):
        with pytest.raises(RecordError, match="may not be on the disk"):
            lane.append(record(2))
    with pytest.raises(RecordError, match="may not be on the disk"):
        store.close()
    assert numbers_in(store) == [1]


def test_what_is_flushed_by_and_by_is_flushed_at_the_end(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []

    def counted(handle: int) -> None:
        flushed.append(handle)
        durability.sync_data(handle)

    monkeypatch.setattr("callgate.record.lane.sync_data", counted)
    store = opened(tmp_path, sync=timedelta(hours=1))
    store.lane().append(record(1))
    assert flushed == []
    store.close()
    assert len(flushed) == 1


def test_candidates_hold_all_needles(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    for number in range(60):
        store.lane().append(record(number))
    assert _found(store, [b'"tool":"tool_2"']) == list(range(2, 60, 5))
    both = [b'"decision":"deny"', b'"tool":"tool_3"']
    assert _found(store, both) == list(range(3, 60, 10))
    assert _found(store, [b'"sender_id":"user_1"']) == list(range(1, 60, 3))
    assert _found(store, [b'"tool":"tool_9"']) == []
    assert _found(store, [b"'\" OR 1"]) == []
    newest = [number_of(line) for line in store.candidates([b'"tool":"tool_2"'], "", "", True)]
    assert newest == list(range(57, 0, -5))
    everything = list(store.candidates([], "", "", False))
    assert sorted(n for n in map(number_of, everything) if n >= 0) == list(range(60))
    store.close()


def test_candidates_of_several_chains_come_by_time(opened: Opened, tmp_path: Path) -> None:
    stores = [opened(tmp_path, small=True) for _ in range(3)]
    for number in range(60):
        stores[number % 3].lane().append(record(number))
    needle = [b'"kind":"decision"']
    assert len(stores[0].chains()) == 3
    assert list(map(number_of, stores[0].candidates(needle, "", "", False))) == list(range(60))
    assert list(map(number_of, stores[0].candidates(needle, "", "", True))) == [*range(59, -1, -1)]
    for store in stores:
        store.close()


def test_a_decision_is_found_by_the_start_of_its_id(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    for number in range(0x100, 0x120):
        quoting = {"reason": f'"decision_id":"{id_of(0x777)}'}
        store.lane().append(record(number, **quoting))
    for asked in (id_of(0x105), id_of(0x105)[:12]):
        line = store.line_of(asked)
        assert line is not None and number_of(line) == 0x105
    assert store.line_of(id_of(0x777)) is None
    with pytest.raises(RecordError, match="several"):
        store.line_of("00000000")
    for wrong in ("", "0000000", "g" * 8, "0" * 33, "0000000%", "0000000\n"):
        with pytest.raises(RecordError, match="no id"):
            store.line_of(wrong)
    store.close()


def test_retention_removes_whole_sealed_segments(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    for number in range(40):
        store.lane().append(record(number))
    (chain,) = store.chains()
    before = store.segments(chain)
    last = {segment.number: list(store.lines(segment))[-1] for segment in before}
    assert store.prune(Retention()) == []
    assert store.prune(Retention(age=timedelta(hours=1))) == []
    kept = sum(segment.size for segment in before[2:])
    removed = store.prune(Retention(total_bytes=kept))
    assert [(each.chain, each.segment) for each in removed] == [(chain, 1), (chain, 2)]
    for gone, segment in zip(removed, before, strict=False):
        assert (gone.first, gone.last) == (segment.first_seq, segment.last_seq)
        assert gone.hash == line_hash(last[gone.segment])
    assert store.segments(chain) == before[2:]
    assert store.prune(Retention(age=timedelta(0)))
    (rest,) = store.segments(chain)
    assert not rest.sealed
    with pytest.raises(RecordError, match="gone"):
        list(store.lines(before[0]))
    assert verify(store).findings == []
    # And the chain goes on.
    store.lane().append(record(40))
    store.close()
    store = opened(tmp_path, small=True)
    store.lane().append(record(41))
    assert store.chains() == [chain]
    store.close()


def test_retention_is_applied_when_a_segment_is_sealed(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True, keep=Retention(total_bytes=10_000))
    for number in range(100):
        store.lane().append(record(number))
    (chain,) = store.chains()
    assert sum(segment.size for segment in store.segments(chain)) < 15_000
    assert store.segments(chain)[0].number > 5
    assert verify(store).findings == []
    store.close()


def test_the_key_is_made_once(opened: Opened, tmp_path: Path) -> None:
    key = opened(tmp_path).key
    assert len(key) == 32
    assert opened(tmp_path).key == key
    file = opened(tmp_path).folder / "key"
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(key[:31])
    with pytest.raises(RecordError, match="damaged") as refused:
        opened(tmp_path).key  # noqa: B018
    assert key.hex()[:8] not in str(refused.value)


def test_where_others_could_write_nothing_is_kept(opened: Opened, tmp_path: Path) -> None:
    folder = opened(tmp_path).folder
    folder.chmod(0o770)
    with pytest.raises(RecordError, match="other users may write"):
        opened(tmp_path)
    folder.chmod(0o700)
    tmp_path.chmod(0o777)
    with pytest.raises(RecordError, match="other users may write"):
        opened(tmp_path)


def test_only_what_is_there_is_opened_to_read(opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(RecordError):
        opened(tmp_path, create=False)
    assert list(tmp_path.iterdir()) == []
    opened(tmp_path)
    assert opened(tmp_path, create=False).chains() == []
    assert opened(tmp_path).segments("f" * 32) == []
    assert opened(tmp_path).head("f" * 32) == (-1, NO_HASH)


def test_a_path_tells_which_store_it_is(opened: Opened, tmp_path: Path) -> None:
    place = {json_lines: "records", sqlite: "records.db"}[opened]
    store = open_store(tmp_path / place)
    assert type(store) is type(opened(tmp_path))
    store.lane().append(record(1))
    store.close()
    assert numbers_in(open_store(str(tmp_path / place), create=False)) == [1]  # type: ignore[arg-type]


def test_checkpoints_know_the_heads(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)
    checkpoints = Checkpoints(store)
    lane = store.lane()
    begun = checkpoints.newest()
    assert begun != NO_HASH
    lane.append(record(1))
    assert checkpoints.newest() == begun
    store.close()
    closed = checkpoints.newest()
    assert closed != begun
    store.lane()
    assert checkpoints.newest() == closed  # nothing new to say
    store.close()


def _record_of(line: bytes) -> Any:
    import orjson

    return orjson.loads(split(line).record)


def _found(store: Any, needles: list[bytes]) -> list[int]:
    return [number_of(line) for line in store.candidates(needles, "", "", False)]


def _flushers() -> list[Thread]:
    from threading import enumerate as threads

    return [thread for thread in threads() if thread.name == "callgate-records"]
