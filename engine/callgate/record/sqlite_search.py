"""Fragments of lines as conditions of SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import orjson

__all__ = ["conditions"]

_FRAGMENT: Final = re.compile(rb'"(tool|decision|sender_id)":("[^"\\]*")')
_ID: Final = re.compile(rb'"decision_id":"([0-9a-f]{1,32})"?')
_NAMES: Final = {b"tool": "tool", b"decision": "decision", b"sender_id": "sender"}


def conditions(needles: Sequence[bytes], since: str, until: str) -> tuple[str, list[str]]:
    """A WHERE clause, or "", and its parameters."""
    terms: list[str] = []
    values: list[Any] = []
    for needle in needles:
        if found := _FRAGMENT.fullmatch(needle):
            terms.append(f"{_NAMES[found[1]]} = ?")
            values.append(orjson.loads(found[2]))
        elif found := _ID.fullmatch(needle):
            terms.append("decision_id >= ? AND decision_id < ?")
            values += [start := found[1].decode(), f"{start}g"]
        else:
            terms.append("instr(line, ?)")
            values.append(needle.decode())
    for bound, sign in ((since, ">="), (until, "<=")):
        if bound:
            terms.append(f"time {sign} ?")
            values.append(bound)
    return (f"WHERE {' AND '.join(terms)}" if terms else "", values)
