"""Records decisions in a store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from callgate.model.decision import Decision
from callgate.record import telemetry
from callgate.record.errors import RecordError
from callgate.record.ids import new_id, timestamp
from callgate.record.kept import MAX_TEXT
from callgate.record.record import Answer, Mark, Records

if TYPE_CHECKING:
    from callgate.record.store import Lane, Store
    from callgate.runtime.interpreter import Program

__all__ = ["UNRECORDED", "Recorder"]

_MOST_PROGRAMS: Final = 8
UNRECORDED: Final = Answer(False, kind="approval_unavailable")
"""What the gate makes of a yes that can't be recorded."""


class Recorder:
    """Records the decisions of any number of programs. Safe to share between threads.

    `store`: where to; it stays the caller's to close, after this. `source`: what the records say of
    who made them. `required`: whether what can't be recorded must not happen: then the gate denies
    it. `max_text`: longer texts of a call are cut to so many characters.
    """

    def __init__(
        self,
        store: Store,
        *,
        source: str = "gate",
        required: bool = True,
        max_text: int = MAX_TEXT,
    ) -> None:
        self.store = store
        self.source = source
        self.required = required
        self._max_text = max_text
        self._lane: Lane | None = None
        self._made: dict[int, Records] = {}

    def record(
        self,
        decision: Decision,
        *,
        settings_digest: str = "",
        duration_us: int = 0,
        answer: Answer | None = None,
        decision_id: str = "",
        wait: bool = True,
    ) -> str:
        """Record a decision, as durably as the store does that; returns its id, a new one unless
        one is given (32 hex digits). `duration_us`: microseconds that it took. `answer`: what the
        gate made of it. `wait`: false to do nothing, and return "", where more than one write would
        have to be waited for. Raises RecordError; then it is not recorded."""
        if not wait and self._not_ready(decision):
            return ""
        now = time.time_ns()
        id_ = decision_id or new_id(now)
        mark = Mark(id_, timestamp(now), settings_digest, duration_us, telemetry.current())
        try:
            written = self._write(decision, mark, answer, wait)
        except BaseException:
            if self.required and answer is not None and answer.allowed:
                answer = UNRECORDED
            self._tell(decision, mark, answer, recorded=False)
            raise
        if not written:
            return ""
        self._tell(decision, mark, answer, recorded=True)
        return id_

    def _tell(
        self, decision: Decision, mark: Mark, answer: Answer | None, *, recorded: bool
    ) -> None:
        telemetry.tell(
            decision,
            mark.decision_id,
            source=self.source,
            duration_us=mark.duration_us,
            answer=answer,
            recorded=recorded,
        )

    def _write(self, decision: Decision, mark: Mark, answer: Answer | None, wait: bool) -> bool:
        """Whether it was written: else it would have to wait, and must not."""
        program: Any = decision.source
        try:
            records = self._made.get(id(program)) or self._ready(program)
            made = records.of(decision, mark, answer)
        except RecordError:
            raise
        except Exception as error:
            # Its own words could quote the call.
            raise RecordError(f"a decision can't be told: {type(error).__name__}") from None
        lane = self._lane or self._opened()
        if not wait:
            return lane.append_at_once(made)
        lane.append(made)
        return True

    def _not_ready(self, decision: Decision) -> bool:
        """Whether a record has to wait in any case: for the store, its lane or its archive."""
        return self.store.waits or self._lane is None or id(decision.source) not in self._made

    def open(self) -> None:
        """Make ready to record. Raises RecordError where that can't be done now."""
        self._opened()

    def close(self) -> None:
        """Close what the recorder opened: its lane. Raises RecordError."""
        lane, self._lane = self._lane, None
        if lane is not None:
            lane.close()

    def _opened(self) -> Lane:
        lane = self._lane = self.store.lane()
        return lane

    def _ready(self, program: Program) -> Records:
        """What makes a program's records; its graph is in the archive before the first of them."""
        self.store.archive.keep(program.graph)
        records = Records(program, source=self.source, key=self.store.key, max_text=self._max_text)
        made = dict(self._made)
        if len(made) >= _MOST_PROGRAMS:
            made.pop(next(iter(made)))
        made[id(program)] = records
        self._made = made
        return records
