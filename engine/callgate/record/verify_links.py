"""Whether the lines of a chain follow each other, and what happened where they don't.

Line by line, whoever walks a chain compares `prev` and `seq` with what `Links` expects, and hands
over each line that is odd. A line that was changed is recognised by the one after it, which carries
its old hash; so nothing tells that of a chain's last line but a checkpoint.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Final

from callgate.record.finding import Code, Findings, Place
from callgate.record.line import NO_HASH

__all__ = ["Known", "Link", "Links"]

_CHANGED: Final = "its hash is not the one that the record after it carries"
_BOTH: Final = f"{_CHANGED}; seq {{}} may be changed as well"
_START: Final = "it is the first one, and carries another hash than it has to"
_EITHER: Final = "it or the record after it, the last one, was changed: the hashes don't fit"
_UNREADABLE: Final = "it is no record any more"
_NOT_KNOWN: Final = ""
_LONGEST: Final = 1000
_NO_RECORD: Final = "a line that is no record stands among those of this chain"


@dataclass(frozen=True, slots=True)
class Link:
    """What a line says of its place: its chain, `prev` and `seq`."""

    chain: str
    prev: str
    seq: int


@dataclass(frozen=True, slots=True)
class Known:
    """What a checkpoint, of that number, knows of a record: its hash."""

    hash: str
    checkpoint: int


@dataclass(slots=True)
class _Gap:
    """Records that have not come yet: from `first` to `last`. `before`: the hash of the record
    before the first; `end`: that of the last, as the record after it carries it."""

    first: int
    last: int
    before: str
    end: str
    place: Place
    message: str


@dataclass(slots=True)
class _Broken:
    """Records that don't carry the hash of the one before them, from `first` on, and where those
    stand that are before them."""

    first: int
    places: list[Place] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.first + len(self.places) - 1


@dataclass(slots=True)
class _Unread:
    """Lines that can't be read, since the record `seq` was expected."""

    seq: int
    place: Place
    count: int = 1


class Links:
    """The state of a walk through a chain: `seq` and `prev` that the next line should have."""

    def __init__(self, chain: str, findings: Findings, known: dict[int, Known]) -> None:
        self.chain = chain
        self.seq = 0
        self.prev = NO_HASH
        self.known = known
        self._findings = findings
        self._gaps: list[_Gap] = []
        self._unread: _Unread | None = None
        self._broken: _Broken | None = None
        self._reported: set[int] = set()
        self._rewritten = False
        self._start = 0

    def follow(self, hash: str) -> None:
        """Take the line that was expected."""
        self.seq, self.prev = self.seq + 1, hash

    def bridge(self, seq: int, hash: str) -> None:
        """Go on after a record `seq` of that hash, which need not be there any more."""
        self.seq, self.prev = seq + 1, hash
        self._start = seq + 1

    def check(self, seq: int, hash: str, place: Place) -> None:
        """Compare a record's hash with what the checkpoints know of it."""
        known = self.known.get(seq)
        if known is None or known.hash == hash or self._rewritten:
            return
        self._rewritten = True  # what comes after was written anew with it
        self._changed(seq, place, f"it is not the record that checkpoint {known.checkpoint} knows")

    def odd(self, link: Link | None, hash: str, place: Place, before: Place, hint: str) -> None:
        """Take a line that is not the expected one. `link`: None where it is no record; `place`:
        where it stands, and `before` what was taken last; `hint`: what may be missing before it."""
        if link is None:
            self._unreadable(place)
            return
        if link.chain == self.chain:
            self._settle_unread(link)
        if self._broken and self.seq != self._broken.last + 1:
            self._settle_broken()
        expected = link.prev == self.prev
        if link.chain != self.chain and not (expected and link.seq == self.seq):
            self._add("foreign", link.seq, place, f"it is a record of chain {link.chain}")
        elif link.chain != self.chain:
            self._changed(self.seq, place, f"it names chain {link.chain}")
            self._take(self.seq, hash, place)
        elif expected and link.seq == self.seq:
            self._take(self.seq, hash, place)
        elif expected:
            self._changed(self.seq, place, f"it is numbered {link.seq}")
            self._take(self.seq, hash, place)
        elif link.seq == self.seq:
            self._unlinked(link.seq, place, before)
            self._take(link.seq, hash, place)
        elif link.seq > self.seq:
            gap = (self.seq, link.seq - 1, self.prev, link.prev)
            self._gaps.append(_Gap(*gap, place, f"missing before this line{hint}"))
            self._take(link.seq, hash, place)
        else:
            self._late(link, hash, place)

    def end(self, place: Place) -> None:
        """Report what was waiting for a later line. `place`: where the chain ends."""
        if self._unread:
            self._settle_unread(None)
        self._settle_broken()
        for gap in self._gaps:
            self._add("removed", gap.first, gap.place, gap.message, gap.last)
        self._gaps.clear()
        beyond = [seq for seq in self.known if seq >= self.seq]
        if beyond:
            newest = max(beyond)
            number = self.known[newest].checkpoint
            ends = f"the chain ends before it, and checkpoint {number} knows more"
            self._add("cut", self.seq, place, ends, newest)

    # -- what a line may be

    def _take(self, seq: int, hash: str, place: Place) -> None:
        self.check(seq, hash, place)
        self.seq, self.prev = seq + 1, hash

    def _unreadable(self, place: Place) -> None:
        if self._unread and self._unread.seq == self.seq:
            self._unread.count += 1
            return
        self._settle_unread(None)
        self._unread = _Unread(self.seq, place)

    def _settle_unread(self, link: Link | None) -> None:
        """Tell of lines that could not be read, now that `link` follows them: records that were
        changed, where it is numbered so, else lines that never belonged here."""
        unread, self._unread = self._unread, None
        if unread is None:
            return
        end = unread.seq + unread.count
        if link is not None:
            end = min(end, link.seq)
        if unread.seq != self.seq or end <= unread.seq:
            self._add("foreign", None, unread.place, _NO_RECORD)
            return
        self._settle_broken()
        for seq in range(unread.seq, end):
            self._changed(seq, unread.place, _UNREADABLE)
        self.seq = end
        self.prev = link.prev if link is not None and link.seq == end else _NOT_KNOWN

    def _unlinked(self, seq: int, place: Place, before: Place) -> None:
        """The record `seq` carries another hash than the one before it has."""
        if seq == self._start:
            self._changed(seq, place, _START)
            return
        if self._broken is None:
            self._broken = _Broken(seq)
        self._broken.places.append(before)
        if len(self._broken.places) == _LONGEST:
            self._settle_broken()

    def _settle_broken(self) -> None:
        """Name what was changed in a run of records that don't fit, now that it is over. The last
        one is as it was if another one followed that fits."""
        broken, self._broken = self._broken, None
        if broken is None:
            return
        first, last = broken.first, broken.last
        if first < last:
            for seq, place in zip(range(first, last), broken.places[1:], strict=True):
                self._changed(seq, place, _BOTH.format(first - 1) if seq == first else _CHANGED)
        elif last + 1 < self.seq:
            self._changed(first - 1, broken.places[0], _CHANGED)
        elif last not in self._reported:
            self._changed(first - 1, broken.places[0], _EITHER)

    def _late(self, link: Link, hash: str, place: Place) -> None:
        """A record that was expected earlier."""
        index = bisect_right(self._gaps, link.seq, key=_first) - 1
        gap = self._gaps[index] if index >= 0 else None
        if gap is None or link.seq > gap.last:
            self._add("repeated", link.seq, place, "a record of that number stood before it")
            return
        fits = (link.seq != gap.first or link.prev == gap.before) and (
            link.seq != gap.last or hash == gap.end
        )
        if fits:
            self._add("re-ordered", link.seq, place, "it stands after later ones")
        else:
            self._changed(link.seq, place, "it fits neither where it stands nor where it should")
        self.check(link.seq, hash, place)
        rest = []
        if gap.first < link.seq:
            rest.append(replace(gap, last=link.seq - 1, end=link.prev))
        if link.seq < gap.last:
            rest.append(replace(gap, first=link.seq + 1, before=hash))
        self._gaps[index : index + 1] = rest

    # -- findings

    def _changed(self, seq: int, place: Place, message: str) -> None:
        if seq not in self._reported:
            self._reported.add(seq)
            self._add("changed", seq, place, message)

    def _add(
        self, code: Code, seq: int | None, place: Place, message: str, last: int | None = None
    ) -> None:
        self._findings.add(code, self.chain, seq, place, message, last)


def _first(gap: _Gap) -> int:
    return gap.first
