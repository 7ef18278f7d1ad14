"""Whether what the checkpoints note as removed is what retention removes.

Retention takes whole sealed segments, from the beginning of a chain that goes on after them: so its
first segments are gone up to a number, and a later one is there. A note that says anything else was
not made by it, and hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from callgate.record.finding import Findings, Place
from callgate.record.store import Removed, Segment
from callgate.record.verify_links import Links

__all__ = ["Note", "Notes"]


@dataclass(frozen=True, slots=True)
class Note:
    """What a checkpoint, of that number, says that retention removed, and where it says so."""

    gone: Removed
    checkpoint: int
    place: Place


class Notes:
    """The notes on a chain. `taken`: those that are borne out by what is there."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self.taken: list[Note] = []
        self._notes: dict[int, Note] = {}
        self._others: list[Note] = []
        for note in notes:
            # One that was killed between noting and removing notes the same again.
            if self._notes.setdefault(note.gone.segment, note).gone != note.gone:
                self._others.append(note)

    @property
    def last(self) -> int:
        """`seq` of the last record that retention removed, -1 if there is none."""
        return self.taken[-1].gone.last if self.taken else -1

    def bridge(self, links: Links, segments: Sequence[Segment]) -> None:
        """Go on after what retention removed. `segments`: those that are left."""
        left = min((segment.number for segment in segments), default=0)
        goes_on = any(segment.size for segment in segments)
        while note := self._notes.get(len(self.taken) + 1):
            gone = note.gone
            if not goes_on or gone.segment >= left or gone.first != links.seq:
                return
            links.check(gone.last, gone.hash, note.place)
            links.bridge(gone.last, gone.hash)
            self.taken.append(note)

    def settle(self, findings: Findings, there: Removed | None) -> None:
        """Report the notes that are not borne out. `there`: what a note on the first segment that
        is left would say: it may be about to be removed. None if there is none."""
        due = self._notes.get(len(self.taken) + 1)
        for note in (*self._notes.values(), *self._others):
            gone = note.gone
            if note in self.taken or (note is due and gone == there):
                continue
            said = (
                f"checkpoint {note.checkpoint} notes that retention removed them as segment "
                f"{gone.segment}; but it removes only whole segments, from the beginning of a "
                "chain that goes on"
            )
            findings.add("removed", gone.chain, gone.first, note.place, said, gone.last)
