"""What is particular to records in files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from callgate.record import json_lines_file
from callgate.record.errors import RecordError
from callgate.record.json_lines import JsonLines
from callgate.record.json_lines_search import found_in
from tests.record.stores import json_lines, lines_of, numbers_in, record


@pytest.fixture
def every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is looked at before each line."""
    monkeypatch.setattr(json_lines_file, "_LOOK_EVERY", 0.0)


def segment(store: JsonLines, number: int = 1) -> Path:
    (chain,) = store.chains()
    return store.folder / chain / f"{number:06}.jsonl"


def written(folder: Path, count: int, first: int = 0) -> JsonLines:
    store = json_lines(folder, small=count > 9)
    store.lane()
    for number in range(first, first + count):
        store.lane().append(record(number))
    store.close()
    return store


def test_modes(tmp_path: Path) -> None:
    store = written(tmp_path, 20)
    chain = segment(store).parent
    modes = {place.name: place.stat().st_mode & 0o777 for place in chain.iterdir()}
    *sealed, last = sorted(name for name in modes if name.endswith(".jsonl"))
    assert len(sealed) >= 2
    assert {modes[name] for name in sealed} == {0o400}
    assert modes[last] == modes["lock"] == 0o600
    assert chain.stat().st_mode & 0o777 == store.folder.stat().st_mode & 0o777 == 0o700


def test_a_segment_is_lines(tmp_path: Path) -> None:
    store = json_lines(tmp_path)
    lane = store.lane()
    lane.append(record(1))
    assert segment(store).read_bytes() == b"".join(
        line + b"\n" for line in lines_of(store, lane.chain)
    )
    store.close()


@pytest.mark.parametrize("torn", [b"{", b"\0" * 70_000, record(7)])
def test_a_torn_line_is_put_aside(tmp_path: Path, torn: bytes) -> None:
    store = written(tmp_path, 3)
    for attempt in range(3):
        with segment(store).open("ab") as file:
            file.write(torn)
        (look,) = store.segments(store.chains()[0])
        assert store.torn(look) == len(torn)
        assert len(list(store.lines(look))) == 4 + attempt
        again = written(tmp_path, 1, 3 + attempt)
        assert again.torn(look) == 0
    assert numbers_in(store) == [0, 1, 2, 3, 4, 5]
    aside = sorted(segment(store).parent.glob("*.torn"))
    assert [place.name for place in aside] == ["000001.2.torn", "000001.3.torn", "000001.torn"]
    assert all(place.read_bytes() == torn for place in aside)


@pytest.mark.parametrize("torn", [b"", b'{"chain":"'])
def test_a_segment_that_was_hardly_begun_is_begun_again(tmp_path: Path, torn: bytes) -> None:
    store = written(tmp_path, 20)
    chain = store.chains()[0]
    following = segment(store, store.segments(chain)[-1].number + 1)
    # As a process leaves it that is killed between the seal and the next segment's first line.
    segments = store.segments(chain)
    segment(store, segments[-1].number).rename(following)
    following.write_bytes(torn)
    os.rename(following, segment(store, segments[-1].number))  # noqa: PTH104
    again = json_lines(tmp_path, small=True)
    again.lane().append(record(99))
    assert again.chains() == [chain]
    assert lines_of(again, chain)
    again.close()


@pytest.mark.parametrize("torn", [b"", b'{"chain":"'])
def test_a_chain_that_was_hardly_begun_is_begun_again(tmp_path: Path, torn: bytes) -> None:
    store = written(tmp_path, 0)
    segment(store).write_bytes(torn)
    (store.folder / "checkpoints.jsonl").unlink()
    assert written(tmp_path, 1).chains() == store.chains()
    assert numbers_in(store) == [0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(file.read_bytes() + b"no record\n"),
        lambda file: file.write_bytes(file.read_bytes().replace(b'{"chain":"', b'{"chain":"f', 1)),
        lambda file: file.write_bytes(b"\n" + file.read_bytes()),
        lambda file: file.unlink(),
    ],
)
def test_a_damaged_chain_is_left_as_it_is(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    store = written(tmp_path, 3)
    file = segment(store)
    damage(file)
    before = file.read_bytes() if file.is_file() else b""
    again = json_lines(tmp_path)
    again.lane().append(record(9))
    assert len(again.chains()) == 2
    assert (file.read_bytes() if file.is_file() else b"") == before
    again.close()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda file: file.chmod(0o666), "other users may write"),
        (lambda file: (file.rename(file.with_suffix("")), file.symlink_to("000001")), "link"),
        (lambda file: (file.unlink(), file.mkdir()), "no file"),
        (lambda file: (shutil.rmtree(file.parent), file.parent.write_bytes(b"")), "no folder"),
    ],
)
def test_a_chain_that_could_be_anybodys_is_passed_over(
    tmp_path: Path, damage: Callable[[Path], object], why: str
) -> None:
    store = written(tmp_path, 3)
    damage(segment(store))
    again = json_lines(tmp_path)
    assert again.lane().chain != store.lane().chain
    assert [why in each for each in again.passed_over] == [True]
    again.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.unlink(),
        lambda file: (file.unlink(), file.write_bytes(b"")),
        lambda file: os.replace(file.with_name("lock"), file),  # noqa: PTH105
        lambda file: file.with_name("lock").unlink(),
        lambda file: file.write_bytes(file.read_bytes() + b"more\n"),
        lambda file: os.truncate(file, 100),
    ],
)
@pytest.mark.usefixtures("every_time")
def test_what_is_done_to_the_file_while_it_is_written_is_noticed(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    store = json_lines(tmp_path)
    lane = store.lane()
    lane.append(record(1))
    file = segment(store)
    damage(file)
    before = file.read_bytes() if file.exists() else b""
    for _ in range(2):
        with pytest.raises(RecordError, match=r"removed or replaced|changed by somebody else"):
            lane.append(record(2))
    assert (file.read_bytes() if file.exists() else b"") == before
    with pytest.raises(RecordError):
        store.close()


@pytest.mark.usefixtures("every_time")
def test_a_moved_folder_is_still_written_to(tmp_path: Path) -> None:
    store = json_lines(tmp_path)
    lane = store.lane()
    store.folder.rename(tmp_path / "moved")
    lane.append(record(1))
    with pytest.raises(RecordError):  # the checkpoint has no place
        store.close()
    assert numbers_in(JsonLines(tmp_path / "moved")) == [1]


def test_where_the_next_segment_cannot_be_made_nothing_is_acknowledged(tmp_path: Path) -> None:
    store = json_lines(tmp_path, small=True)
    lane = store.lane()
    acknowledged = 0
    segment(store, 2).touch(mode=0o600)
    with pytest.raises(RecordError, match="can't be begun"):
        for acknowledged in range(100):
            lane.append(record(acknowledged))
    (chain,) = store.chains()
    head = store.head(chain)
    for _ in range(2):
        with pytest.raises(RecordError, match="can't be begun"):
            lane.append(record(acknowledged))
        assert store.head(chain) == head
    segment(store, 2).unlink()
    for number in range(acknowledged, 100):
        lane.append(record(number))
    assert numbers_in(store) == list(range(100))
    store.close()


def test_other_things_in_the_folder_are_nothing_to_it(tmp_path: Path) -> None:
    store = written(tmp_path, 3)
    (store.folder / ("e" * 31)).mkdir()
    (store.folder / ("E" * 32)).mkdir()
    (chain,) = store.chains()
    (store.folder / chain / "000002.jsonl.bak").write_bytes(b"x")
    again = json_lines(tmp_path)
    again.lane().append(record(3))
    assert again.lane().chain == chain
    again.close()


@pytest.mark.parametrize("size", [0, 4095, -1])
def test_segments_have_a_size(tmp_path: Path, size: int) -> None:
    with pytest.raises(ValueError, match="segment_bytes"):
        JsonLines(tmp_path / "records", segment_bytes=size)


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_a_search_finds_what_reading_finds(
    tmp_path: Path, block: int, newest_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callgate.record.json_lines_search._BLOCK", block)
    lines = [b"", b"ab", b"a" * 50, b"xabx" * 9, b"b", b"", b"abab", b"cd ab", b"ab cd"]
    place = tmp_path / "lines"
    place.write_bytes(b"".join(line + b"\n" for line in lines))
    with place.open("rb") as file:
        for needles in ([], [b"ab"], [b"a"], [b"ab", b"cd"], [b"cd ab"], [b"zz"], [b"a", b"zz"]):
            wanted = [line for line in lines if all(needle in line for needle in needles)]
            found = list(found_in(file.fileno(), place.stat().st_size, needles, newest_first))
            assert (found[::-1] if newest_first else found) == wanted
        assert list(found_in(file.fileno(), 0, [], newest_first)) == []


def test_segments_outside_the_times_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(f"2026-12-01T00:{minute:02}:00.000000Z" for minute in range(60))
    monkeypatch.setattr("callgate.record.marks.moment", lambda: next(moments))
    store = written(tmp_path, 60)
    everything = store.segments(store.chains()[0])
    assert len(everything) > 3
    middle = everything[1]
    wanted = list(store.lines(middle))
    found = list(store.candidates([], middle.since, middle.until, False))
    assert [line for line in found if line in wanted] == wanted
    assert len(found) < sum(len(list(store.lines(each))) for each in everything[:-1])
    assert list(store.candidates([], "2027", "", False)) == []
