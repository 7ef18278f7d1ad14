"""People's words: how they are asked for, and how each is used once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.clock import Clock
from callgate.gate.grants import GrantError, Grants
from callgate.gate.people import Answered, People
from callgate.gate.requests import Question, RequestError
from callgate.gate.showing import TooLongError, question_of
from callgate.gate.subject import LEVELS, subject_of
from callgate.gate.word import Word

if TYPE_CHECKING:
    from callgate.gate.asking import Case
    from callgate.gate.judge import Judged

__all__ = ["Words"]

_ONCE: Final = LEVELS[0]
_FOR_GOOD: Final = LEVELS[-1]


class Words:
    """Asks `people` and keeps what they say in `grants`. `wait`: whether a call waits for them, or
    is denied until somebody has answered. `clock`: gives the present time. Raises StateError."""

    def __init__(self, people: People, grants: Grants, *, wait: bool, clock: Clock) -> None:
        self._people = people
        self._grants = grants
        self._wait = wait
        self._clock = clock
        self._spending = Lock()
        self._asking: set[asyncio.Task[Answered]] = set()

    async def ask(self, case: Case, judged: Judged, frozen: str) -> Word:
        """What a person says of a call. `frozen`: why everything is frozen, or ""; then a word
        counts for this call alone."""
        decision = judged.decision
        program: Any = decision.source
        subject = subject_of(program, decision.frame, case.declaration)
        if frozen:
            subject = replace(subject, levels=(_ONCE,))
        try:
            question = question_of(
                program,
                decision,
                subject,
                case.frozen.digest,
                reasons=(frozen,) if frozen else (),
            )
            found = await asyncio.to_thread(self._late, question)
            if found is None:
                found = await self._asked(question)
        except (TooLongError, RequestError) as error:
            return Word("undeliverable", why=str(error))
        return Word(found.answer, found.by, found.request_id, subject, found.why)

    async def _asked(self, question: Question) -> Answered:
        if self._wait:
            return await self._people.ask(question)
        request = await asyncio.to_thread(self._people.requests.open, question)
        # It joins the request, delivers it, and is there for as long as it can be answered.
        task = asyncio.create_task(self._people.ask(question))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)
        return Answered("pending", request_id=request.id)

    def _late(self, question: Question) -> Answered | None:
        """A yes that came when the call had ended: it counts now, for the same call, shown the
        same, by the same user in the same session."""
        request = self._people.requests.unspent(question)
        if request is None:
            return None
        return Answered(request.answer, request.decided_by, request.id)

    def spend(self, case: Case, word: Word) -> bool:
        """Use a word up; whether it was there. To be called in a thread."""
        # With the lock, whoever comes second and finds it used finds the grant, too.
        with self._spending:
            if not self._people.requests.spend(word.request_id, case.frozen.digest):
                return False
            if word.answer != _ONCE and word.subject is not None:
                self._grant(case, word)
        return True

    def _grant(self, case: Case, word: Word) -> None:
        assert word.subject is not None
        gate = case.current().program.graph.document["gate"]
        days = gate["grant_days"] if word.answer == _FOR_GOOD else 0
        try:
            self._grants.add(
                word.subject,
                word.answer,
                user=case.text("user_id"),
                agent=case.text("agent_id"),
                session=case.text("session_key"),
                by=word.by,
                decision_id=word.request_id,
                expires=self._clock() + timedelta(days=days) if days else None,
            )
        except GrantError:
            # Then it counts for this call, which a person saw, and for no other.
            return
