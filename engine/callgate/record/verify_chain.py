"""A walk through one chain of a store.

It takes a line's place in the chain from the bytes at its ends and hashes the whole, so that what
the records say need not be read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

import orjson

from callgate.record.errors import RecordError
from callgate.record.finding import Findings, Place
from callgate.record.line import NO_HASH, split
from callgate.record.segments import path_of
from callgate.record.store import Removed, Segment, Store
from callgate.record.verify_links import Known, Link, Links
from callgate.record.verify_notes import Notes

__all__ = ["ChainWalk"]

_RECORD: Final = b'","record":{'
_HEAD: Final = 128
_NEVER: Final = -1

Advanced = Callable[[int, int], None]


@dataclass(slots=True)
class ChainWalk:
    """What a walk through a chain needs and what it finds out.

    `known`: what checkpoints know of it, by `seq`; `notes`: what they say that retention removed;
    `sought`: the hash of a line to look out for, or "". Then `lines`: how many there are;
    `seq`, `head`: of the last one; `found`: whether the sought line is there; `named`: the
    checkpoints that its segments name, with the places where they do; `torn`: segments with a torn
    last line, with its bytes.
    """

    store: Store
    chain: str
    findings: Findings
    known: dict[int, Known]
    notes: Notes
    sought: str = ""
    lines: int = 0
    segments: list[Segment] = field(default_factory=list)
    seq: int = -1
    head: str = NO_HASH
    found: bool = False
    named: dict[str, Place] = field(default_factory=dict)
    torn: list[tuple[str, int]] = field(default_factory=list)
    _awaited: list[int] = field(default_factory=list)

    def walk(self, advanced: Advanced) -> None:
        """Walk. `advanced` is called after each segment, with its lines and its bytes."""
        links = Links(self.chain, self.findings, self.known)
        self._awaited = sorted(self.known)
        last = Place(self.chain)
        try:
            self.segments = self.store.segments(self.chain)
        except RecordError as error:
            self._unreadable(last, error)
            return
        self.notes.bridge(links, self.segments)
        number = len(self.notes.taken)
        there, hint = None, ""
        for segment in self.segments:
            file = _file(self.store, segment)
            hint += _missing(number + 1, segment.number)
            number, first = segment.number, links.seq
            try:
                count = self._segment(links, segment, file, last, hint)
                if torn := self.store.torn(segment):
                    self.torn.append((file, torn))
            except RecordError as error:
                self._unreadable(Place(file), error)
                hint = f"; segment {number} can't be read"
                continue
            hint = ""
            if segment is self.segments[0] and segment.sealed:
                there = Removed(self.chain, number, first, links.seq - 1, links.prev)
            last = Place(file, count) if count else last
            self.lines += count
            advanced(count, segment.size)
        self.notes.settle(self.findings, there)
        if self.known and not self.lines and links.seq == 0:
            newest = max(self.known)
            number = self.known[newest].checkpoint
            message = f"all of the chain is gone; checkpoint {number} knows seq {newest} of it"
            self.findings.add("removed", self.chain, None, last, message)
        else:
            links.end(last)
        self.seq, self.head = links.seq - 1, links.prev

    def _unreadable(self, place: Place, error: RecordError) -> None:
        self.findings.add("unreadable", self.chain, None, place, str(error))

    def _segment(self, links: Links, segment: Segment, file: str, last: Place, hint: str) -> int:
        """Walk through a segment; returns how many lines it has."""
        start = b'{"chain":"' + self.chain.encode() + b'","prev":"'
        record, sought = _RECORD, self.sought
        seq, prev = links.seq, links.prev.encode()
        awaited = iter(self._awaited[bisect_left(self._awaited, seq) :])
        next_known = next(awaited, _NEVER)
        number = 0
        for line in self.store.lines(segment):
            number += 1
            hash = sha256(line).hexdigest()
            if hash == sought:
                self.found = True
            if line[:_HEAD] == start + prev + record and line.endswith(b'},"seq":%d}' % seq):
                if seq == next_known:
                    links.check(seq, hash, Place(file, number))
                    next_known = next(awaited, _NEVER)
                seq += 1
                prev = hash.encode()
            else:
                links.seq, links.prev = seq, prev.decode()
                before = Place(file, number - 1) if number > 1 else last
                place = Place(file, number)
                links.odd(_link(line), hash, place, before, hint if number == 1 else "")
                seq, prev = links.seq, links.prev.encode()
                while _NEVER != next_known < seq:
                    next_known = next(awaited, _NEVER)
            if number == 1:
                self._opens(line, Place(file, 1))
        links.seq, links.prev = seq, prev.decode()
        return number

    def _opens(self, line: bytes, place: Place) -> None:
        """Note the checkpoint that the first line of a segment names."""
        try:
            named = orjson.loads(split(line).record)["checkpoint"]
        except (ValueError, KeyError):
            return  # odd, and so found elsewhere; or of no segment
        if type(named) is str and named != NO_HASH:
            self.named.setdefault(named, place)


def _link(line: bytes) -> Link | None:
    try:
        parts = split(line)
    except ValueError:
        return None
    return Link(parts.chain, parts.prev, parts.seq)


def _file(store: Store, segment: Segment) -> str:
    """A segment's file; where it is none of its own, its number."""
    file = path_of(store.folder / segment.chain, segment.number)
    return str(file) if file.exists() else f"segment {segment.number}"


def _missing(first: int, end: int) -> str:
    """What to add about segments from `first` to before `end` that are not there."""
    if first >= end:
        return ""
    which = f"segment {first} is" if first + 1 == end else f"segments {first} to {end - 1} are"
    return f"; {which} not there"
