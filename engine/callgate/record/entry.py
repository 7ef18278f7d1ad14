"""A decision as it is read back from a store, where it may be damaged.

What stands in a line was written by a program that may have been attacked, or changed since: a
record is used only where it has the keys, of the types, that readers need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

import orjson

from callgate.record.line import Line, line_hash, split
from callgate.record.query import DECISIONS, part_of
from callgate.record.values import canonical, decode

__all__ = ["Damage", "DamageError", "Entry", "entry_of"]

Code = Literal["foreign", "unreadable", "incomplete"]
"""`foreign`: a line that is no record in an envelope; `unreadable`: the record is no JSON as stores
hold it; `incomplete`: a decision without a key that it needs, or with a value of another type."""

_CHAIN: Final = re.compile(rb'\{"chain":"([0-9a-f]{32})"')
_SEQ: Final = re.compile(rb'"seq":([0-9]{1,16})\}\Z')
_ID: Final = re.compile("[0-9a-f]{32}")
_TIME: Final = re.compile(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}\.[0-9]{6}Z")
_TRACE: Final = b',"trace":['
_DEEP: Final = 250
_SPECIAL: Final = b'{"$'


@dataclass(frozen=True, slots=True)
class Damage:
    """A record that can't be used: why, and where it stands as far as that can be told; `chain` is
    "" and `seq` None where not. `message` quotes nothing that is stored."""

    code: Code
    chain: str
    seq: int | None
    message: str


class DamageError(ValueError):
    """Raised for a record that can't be used."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.message)
        self.damage = damage


# A tuple is made in a fraction of the time of a frozen dataclass, and one is made for every record.
class Entry(NamedTuple):
    """A decision and its place in a chain.

    `record` is sound as far as readers need it. Where it was read in brief, it lacks what stands
    behind `tool`: `trace`, `trace_id` and `versions`; and values that JSON has and records have not
    are as they are stored.
    """

    chain: str
    seq: int
    record: Mapping[str, Any]
    line: bytes

    @property
    def hash(self) -> str:
        """The hash of its line."""
        return line_hash(self.line)

    def part(self, name: str) -> Mapping[str, Any]:
        """A part of its call that is an object, such as `context`; empty where it is none."""
        return part_of(self.record, name)

    def form(self) -> dict[str, Any]:
        """It as JSON for other programs: the record, with `chain`, `seq` and `hash`."""
        return {**self.record, "chain": self.chain, "seq": self.seq, "hash": self.hash}


def entry_of(line: bytes, *, brief: bool = False) -> Entry | None:
    """The decision in a line of a store; None for a record of another kind.

    `brief`: without what takes longest to read, see `Entry`. Raises DamageError.
    """
    try:
        parts = split(line)
    except ValueError:
        raise DamageError(_foreign(line)) from None
    record = (_brief(parts.record) if brief else None) or _whole(parts)
    kind = record.get("kind")
    if kind != "decision":
        if kind in ("segment", "seal"):
            return None
        raise DamageError(Damage("incomplete", parts.chain, parts.seq, "it is of no known kind"))
    if not _sound(record):
        name = next((name for name, sound in _KEYS.items() if not _has(record, name, sound)), "")
        said = f"`{name}` is missing or not what it has to be"
        raise DamageError(Damage("incomplete", parts.chain, parts.seq, said))
    return Entry(parts.chain, parts.seq, record, line)


def _whole(parts: Line) -> dict[str, Any]:
    try:
        record = orjson.loads(parts.record)
        if parts.record.count(b"[") + parts.record.count(b"{") > _DEEP:
            # What is nested more deeply than a store can write would end the program of a reader.
            canonical(record)
        if _SPECIAL in parts.record:
            record = decode(record)
        if type(record) is dict:
            return record
    except ValueError:
        pass
    said = "it is no JSON as records hold it"
    raise DamageError(Damage("unreadable", parts.chain, parts.seq, said))


def _brief(record: bytes) -> dict[str, Any] | None:
    """The keys of a record up to `tool`, None where they can't be told without the rest.

    What stands before the trace makes an object with a brace behind it only if all brackets before
    the trace are closed: then this is the record's own trace, whatever its texts say.
    """
    end = record.rfind(_TRACE)
    if end < 0:
        return None
    try:
        found = orjson.loads(record[:end] + b"}")
    except ValueError:
        return None
    return found if type(found) is dict else None


def _foreign(line: bytes) -> Damage:
    chain, seq = _CHAIN.match(line), _SEQ.search(line, max(0, len(line) - 24))
    return Damage(
        "foreign",
        chain[1].decode() if chain else "",
        int(seq[1]) if seq else None,
        "it is no record in an envelope",
    )


def _sound(record: Mapping[str, Any]) -> bool:
    """Whether a decision has what readers need. Written out, as it is asked for every record."""
    try:
        matched = record["matched"]
        return (
            type(record["tool"]) is str
            and record["decision"] in DECISIONS
            and type(record["rule"]) is str
            and type(record["called_as"]) is str
            and type(record["reason"]) is str
            and type(record["source"]) is str
            and type(record["duration_us"]) is int
            and type(matched) is list
            and (not matched or _matched(matched))
            and _ID.fullmatch(record["decision_id"]) is not None
            and _time(record["timestamp"])
            and type(record["policy"]) is dict
            and _object(record["answers"])
            and _object(record["gate"])
            and "call" in record
        )
    except (KeyError, TypeError, ValueError):
        return False


def _matched(items: Any) -> bool:
    return type(items) is list and all(
        type(item) is dict and type(item.get("rule")) is str for item in items
    )


def _time(text: str) -> bool:
    """Raises TypeError and ValueError, too, for what is no time."""
    datetime.fromisoformat(text)
    return _TIME.fullmatch(text) is not None


def _text(value: Any) -> bool:
    return type(value) is str


def _object(value: Any) -> bool:
    return value is None or type(value) is dict


_KEYS: Final[dict[str, Callable[[Any], bool]]] = {
    "tool": _text,
    "decision": lambda value: value in DECISIONS,
    "rule": _text,
    "called_as": _text,
    "reason": _text,
    "source": _text,
    "duration_us": lambda value: type(value) is int,
    "matched": _matched,
    "decision_id": lambda value: _ID.fullmatch(value) is not None,
    "timestamp": _time,
    "policy": lambda value: type(value) is dict,
    "answers": _object,
    "gate": _object,
    "call": lambda value: True,
}
"""The same by key, to tell which one is at fault."""


def _has(record: Mapping[str, Any], name: str, sound: Callable[[Any], bool]) -> bool:
    try:
        return sound(record[name])
    except (KeyError, TypeError, ValueError):
        return False
