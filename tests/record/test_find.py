"""Finding decisions in stores, whatever keeps their lines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from callgate.record.entry import Damage
from callgate.record.find import find, with_id
from callgate.record.query import Query, timestamp
from tests.record.chains import put as put_lines
from tests.record.chains import segment, tampered
from tests.record.decisions import id_of, made, match, put, time_of
from tests.record.stores import KINDS, Opened, json_lines


def _decisions() -> list[dict[str, Any]]:
    """Sixty decisions that differ in what can be asked for, and lie in what they quote."""
    records = []
    for number in range(60):
        more: dict[str, Any] = {"tool": f"tool_{number % 5}"}
        if number % 2:
            more["decision"] = "deny"
        if number % 7 == 0:
            more["matched"] = [match("a.b"), match("c.d", exception="x")]
        if number % 11 == 0:
            more["rule"] = "a.b"
        if number % 10 == 9:
            more["source"] = "eval"
        lie = {"tool": "tool_9", "rule": "z.z", "decision": "ask", "sender_id": "root"}
        more["call"] = {
            "tool": "bash",
            "args": {**lie, "session_key": "s:9", "source": "test"},
            "context": {"sender_id": f"user_{number % 3}", "session_key": f"s:{number % 4}"},
        }
        records.append(made(number, **more))
    return records


_ASKED: list[tuple[dict[str, str], Any]] = [
    ({}, lambda n: True),
    ({"tool": "tool_2"}, lambda n: n % 5 == 2),
    ({"tool": "tool_9"}, lambda n: False),
    ({"tool": "bash"}, lambda n: False),
    ({"decision": "deny"}, lambda n: n % 2),
    ({"decision": "ask"}, lambda n: False),
    ({"rule": "a.b"}, lambda n: n % 7 == 0 or n % 11 == 0),
    ({"rule": "c.d"}, lambda n: n % 7 == 0),
    ({"rule": "z.z"}, lambda n: False),
    ({"rule": 'a.b"'}, lambda n: False),
    ({"sender": "user_1"}, lambda n: n % 3 == 1),
    ({"sender": "root"}, lambda n: False),
    ({"session": "s:3"}, lambda n: n % 4 == 3),
    ({"session": "s:9"}, lambda n: False),
    ({"source": "eval"}, lambda n: n % 10 == 9),
    ({"source": "test"}, lambda n: False),
    ({"since": time_of(50)}, lambda n: n >= 50),
    ({"until": time_of(9)}, lambda n: n <= 9),
    ({"since": time_of(8), "until": time_of(9), "decision": "deny"}, lambda n: n == 9),
    ({"tool": "tool_0", "sender": "user_0", "decision": "allow"}, lambda n: n % 30 == 0),
]  # fmt: skip


@pytest.fixture(params=KINDS)
def opened(request: pytest.FixtureRequest) -> Opened:
    kind: Opened = request.param
    return kind


@pytest.mark.parametrize("brief", [False, True])
def test_what_is_asked_for_is_found(opened: Opened, tmp_path: Path, brief: bool) -> None:
    store = opened(tmp_path)
    put(store, _decisions())
    for asked, wanted in _ASKED:
        query, damages = Query(**asked), list[Damage]()
        found = [e.record["decision_id"] for e in find(store, query, damages.append, brief=brief)]
        assert found == [id_of(n) for n in range(59, -1, -1) if wanted(n)], asked
        oldest = find(store, query, damages.append, newest_first=False, brief=brief)
        assert [entry.record["decision_id"] for entry in oldest] == found[::-1], asked
        few = Query(**asked, limit=3)
        assert [e.record["decision_id"] for e in find(store, few, damages.append)] == found[:3]
        assert damages == []
    store.close()


def test_other_names_than_ascii_ones_are_found(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path)
    names = ['a"b', "a\\b", "é", "a\tb", "%", "_"]
    put(store, (made(n, rule=name, tool=name) for n, name in enumerate(names)))
    for number, name in enumerate(names):
        for query in (Query(rule=name), Query(tool=name)):
            (entry,) = find(store, query, pytest.fail)
            assert entry.record["decision_id"] == id_of(number)
    store.close()


def test_decisions_are_found_by_their_id(opened: Opened, tmp_path: Path) -> None:
    store = opened(tmp_path, small=True)
    quoted = {"call": {"args": {"decision_id": id_of(5)}}}
    put(store, (made(number, **(quoted if number == 9 else {})) for number in range(20)))
    put(store, [made(30, decision_id=id_of(7)[:8] + "6" * 24)])

    def ids(prefix: str, most: int = 10) -> list[str]:
        return [e.record["decision_id"] for e in with_id(store, prefix, pytest.fail, most)]

    assert ids(id_of(5)) == ids(id_of(5)[:8]) == [id_of(5)]
    assert ids("00000007") == ["00000007" + "6" * 24, id_of(7)]
    assert ids("00000007", 1) == ["00000007" + "6" * 24]
    assert ids("0" * 8 + "6") == []
    for wrong in ("", "0" * 7, "0" * 33, "0000000g", "0000000%", "00000005\n"):
        with pytest.raises(ValueError, match="8 to 32"):
            ids(wrong)
    store.close()


def test_what_is_damaged_is_told_and_passed_over(tmp_path: Path) -> None:
    store = json_lines(tmp_path)
    chain = put(store, (made(number) for number in range(6)))
    store.close()
    file = segment(store.folder, chain)
    tampered(
        file,
        lambda x: [
            *x[:2],
            x[2].replace(b'"duration_us":1500', b'"duration_us":"x"'),
            x[3].replace(b'"live":true', b'"live":yes'),
            b"rubbish",
            *x[5:],
        ],
    )
    damages: list[Damage] = []
    found = [e.seq for e in find(store, Query(), damages.append)]
    assert found == [6, 5, 1]
    told = [(damage.code, damage.chain, damage.seq) for damage in damages]
    assert sorted(told, key=str) == [
        ("foreign", "", None),
        ("incomplete", chain, 2),
        ("unreadable", chain, 3),
    ]


def test_a_line_without_end_is_waited_for(tmp_path: Path) -> None:
    store = json_lines(tmp_path)
    chain = put(store, [made(0)])
    store.close()
    file = segment(store.folder, chain)
    lines = file.read_bytes().split(b"\n")[:-1]
    put_lines(file, lines)
    with file.open("ab") as stream:
        stream.write(lines[1][:90])
    assert len(list(find(store, Query(), pytest.fail))) == 1


def test_a_time_is_written_as_records_have_it() -> None:
    assert timestamp(None) == ""
    time = datetime(2026, 11, 1, 9, 0, 0, 12, tzinfo=timezone(timedelta(hours=2)))
    assert timestamp(time) == "2026-11-01T07:00:00.000012Z"
    assert timestamp(datetime(2026, 11, 1, tzinfo=UTC)) == "2026-11-01T00:00:00.000000Z"
