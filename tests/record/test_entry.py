"""Decisions read back from lines that may be damaged."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.record.entry import DamageError, entry_of
from callgate.record.line import NO_HASH, envelope, line_hash
from callgate.record.marks import seal_record, segment_record
from callgate.record.values import canonical, encode
from tests.record.decisions import made

A = "a" * 32


def line_of(record: Any, seq: int = 7) -> bytes:
    """The line of a record."""
    return envelope(A, NO_HASH, canonical(encode(record)), seq)


def test_a_decision_is_read() -> None:
    line = line_of(made(3))
    entry = entry_of(line)
    assert entry is not None
    assert (entry.chain, entry.seq, entry.record) == (A, 7, made(3))
    assert entry.hash == line_hash(line)
    assert entry.form() == {**made(3), "chain": A, "seq": 7, "hash": line_hash(line)}
    assert entry.part("context")["sender_id"] == "user_0"
    assert entry.part("nothing") == {}


def test_values_that_records_encode_are_decoded() -> None:
    call = {"tool": "x", "args": {"a": 0.5, "é": 2**70, "b": "\ud800"}}
    entry = entry_of(line_of(made(1, call=call)))
    assert entry is not None
    assert entry.record["call"] == call


def test_a_call_that_is_none_has_no_parts() -> None:
    for call in (None, 5, {"tool": 5, "context": 7}):
        entry = entry_of(line_of(made(1, call=call)))
        assert entry is not None
        assert entry.part("context") == {}


def test_marks_are_no_decisions() -> None:
    for record in (segment_record(1, NO_HASH), seal_record(0, 9)):
        line = envelope(A, NO_HASH, record, 0)
        assert entry_of(line) is None
        assert entry_of(line, brief=True) is None


_HOSTILE: list[dict[str, Any]] = [
    {},
    {"reason": '","trace":['},
    {"reason": ',"trace":[' * 3},
    {"call": {"tool": "x", "args": {"a": 1, "trace": [1], "z": {"trace": ["tool"]}}}},
    {"call": {"tool": "x", "args": {"decision": "allow", "decision_id": "f" * 32, "trace": []}}},
    {"observed": {"links": {"tool": "y", "trace": "x"}}},
    {"trace": [{"a": 1, "trace": [{"decision": "allow", "tool": "no"}]}]},
    {"trace": []},
]


@pytest.mark.parametrize("more", _HOSTILE)
def test_in_brief_it_says_the_same(more: dict[str, Any]) -> None:
    record = made(5, decision="deny", **more)
    brief = entry_of(line_of(record), brief=True)
    assert brief is not None
    behind = ("trace", "trace_id", "versions")
    kept = {name: value for name, value in record.items() if name not in behind}
    assert {**brief.record, **{name: record[name] for name in behind}} == record
    assert set(kept) <= set(brief.record)


def test_in_brief_the_trace_is_left_out() -> None:
    brief = entry_of(line_of(made(5)), brief=True)
    assert brief is not None
    assert "trace" not in brief.record
    without = {name: value for name, value in made(5).items() if name != "trace"}
    entry = entry_of(line_of(without), brief=True)
    assert entry is not None
    assert "versions" in entry.record


def _damaged(line: bytes, brief: bool = False) -> tuple[str, str, int | None, str]:
    with pytest.raises(DamageError) as caught:
        entry_of(line, brief=brief)
    damage = caught.value.damage
    return damage.code, damage.chain, damage.seq, damage.message


_WRONG: list[tuple[str, Any]] = [
    ("decision", "maybe"),
    ("decision", ["allow"]),
    ("tool", None),
    ("rule", 5),
    ("called_as", []),
    ("reason", None),
    ("source", {}),
    ("duration_us", "1"),
    ("duration_us", True),
    ("matched", {}),
    ("matched", [{"rule": 1}]),
    ("matched", ["x"]),
    ("decision_id", "F" * 32),
    ("decision_id", 5),
    ("timestamp", "2026-13-01T09:00:00.000000Z"),
    ("timestamp", "2026-11-01T09:00:00Z"),
    ("timestamp", "２026-11-01T09:00:00.000000Z"),
    ("timestamp", None),
    ("policy", []),
    ("answers", "yes"),
    ("gate", [1]),
]


@pytest.mark.parametrize(("name", "value"), _WRONG)
@pytest.mark.parametrize("brief", [False, True])
def test_a_key_of_another_type_is_damage(name: str, value: Any, brief: bool) -> None:
    said = f"`{name}` is missing or not what it has to be"
    assert _damaged(line_of(made(1, **{name: value})), brief) == ("incomplete", A, 7, said)


@pytest.mark.parametrize("name", sorted({name for name, _ in _WRONG} | {"call"}))
def test_a_missing_key_is_damage(name: str) -> None:
    record = {key: value for key, value in made(1).items() if key != name}
    said = f"`{name}` is missing or not what it has to be"
    assert _damaged(line_of(record)) == ("incomplete", A, 7, said)


def test_other_damage() -> None:
    line = line_of(made(1))
    foreign = "it is no record in an envelope"
    assert _damaged(b"") == ("foreign", "", None, foreign)
    assert _damaged(b"\xff\x00 x") == ("foreign", "", None, foreign)
    assert _damaged(line[:-1]) == ("foreign", A, None, foreign)
    assert _damaged(b"x" + line) == ("foreign", "", 7, foreign)
    assert _damaged(line.replace(b'"record":{', b'"record":[')) == ("foreign", A, 7, foreign)
    unreadable = ("unreadable", A, 7, "it is no JSON as records hold it")
    assert _damaged(line.replace(b'"id":"c1"', b'"id":c1')) == unreadable
    assert _damaged(line.replace(b'"id":"c1"', b'"id":"\xff"')) == unreadable
    assert _damaged(line.replace(b'"id":"c1"', b'"id":{"$float":"x"}')) == unreadable
    deep = b"[" * 300 + b"]" * 300
    assert _damaged(line.replace(b'"id":"c1"', b'"id":' + deep)) == unreadable
    kind = ("incomplete", A, 7, "it is of no known kind")
    assert _damaged(line_of(made(1, kind="note"))) == kind
    assert _damaged(line_of(made(1, kind=["decision"]))) == kind
