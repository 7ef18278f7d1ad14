"""Decisions as they come, whoever writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.record.entry import Damage
from callgate.record.follow import Follower
from callgate.record.query import Query
from tests.record.chains import segment
from tests.record.decisions import made, match, put
from tests.record.stores import KINDS, Opened, json_lines


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Opened:
    kind: Opened = request.param
    return kind


def test_what_comes_is_told_once(opened: Opened, tmp_path: Path) -> None:
    writer, reader = opened(tmp_path, small=True), opened(tmp_path)
    put(writer, (made(number) for number in range(30)))
    follower = Follower(reader, Query(), pytest.fail)
    told = [entry.record for entry in follower.newest(3)]
    assert told == [made(27), made(28), made(29)]
    assert follower.new() == []
    # So many that segments are sealed and begun.
    put(writer, (made(number) for number in range(30, 55)))
    assert [entry.record for entry in follower.new()] == [made(n) for n in range(30, 55)]
    assert follower.new() == []
    assert len(follower.newest(100)) == 55
    writer.close()
    assert follower.new() == []
    writer.lane()
    put(writer, [made(60)])
    assert [entry.record for entry in follower.new()] == [made(60)]
    writer.close()


def test_new_chains_are_noticed(opened: Opened, tmp_path: Path) -> None:
    one, two, reader = (opened(tmp_path) for _ in range(3))
    follower = Follower(reader, Query(), pytest.fail)
    assert follower.newest(5) == []
    assert follower.new() == []
    put(one, [made(1), made(4)])
    put(two, [made(2), made(3)])
    assert len(reader.chains()) == 2
    assert [entry.record for entry in follower.new()] == [made(n) for n in (1, 2, 3, 4)]
    put(two, [made(5)])
    put(one, [made(6)])
    assert [entry.record for entry in follower.new()] == [made(5), made(6)]
    one.close()
    two.close()


def test_only_what_is_asked_for(opened: Opened, tmp_path: Path) -> None:
    writer = opened(tmp_path)
    put(writer, [made(1, decision="deny"), made(2)])
    follower = Follower(writer, Query(decision="deny"), pytest.fail, brief=True)
    assert [entry.seq for entry in follower.newest(9)] == [1]
    put(writer, [made(3), made(4, decision="deny", matched=[match("x")])])
    assert [entry.seq for entry in follower.new()] == [4]
    writer.close()


def test_a_torn_line_is_waited_for_and_a_damaged_one_told_once(tmp_path: Path) -> None:
    store = json_lines(tmp_path)
    chain = put(store, [made(1), made(2), made(3)])
    store.close()
    file = segment(store.folder, chain)
    whole = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join(whole[:2]) + b"\n")
    damages: list[Damage] = []
    follower = Follower(store, Query(), damages.append)

    def add(data: bytes) -> list[int]:
        with file.open("ab") as stream:
            stream.write(data)
        return [entry.seq for entry in follower.new()]

    assert add(whole[2][:100]) == []
    assert add(whole[2][100:]) == []
    assert add(b"\n") == [2]
    assert add(b"rubbish\n") == []
    assert len(damages) == 1
    assert add(b"") == []
    assert add(whole[3] + b"\n") == [3]
    assert add(b"more\nof it\n") == []
    assert len(damages) == 3
    # A line that stands there twice is the matter of `verify`.
    assert add(whole[2] + b"\n") == []
    assert len(damages) == 3


def test_a_chain_that_ends_with_rubbish_is_gone_on_with(tmp_path: Path) -> None:
    store = json_lines(tmp_path)
    chain = put(store, [made(1), made(2)])
    store.close()
    file = segment(store.folder, chain)
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join(lines[:2]) + b"\nrubbish\n")
    damages: list[Damage] = []
    follower = Follower(store, Query(), damages.append)
    assert [entry.seq for entry in follower.newest(9)] == [1]
    assert len(damages) == 1
    with file.open("ab") as stream:
        stream.write(lines[2] + b"\n")
    assert [entry.seq for entry in follower.new()] == [2]
    assert len(damages) == 1
