"""People's words: how they are asked for, and how each is used once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callgate.gate.answerers import Rules
from callgate.gate.clock import Clock
from callgate.gate.grants import GrantError, Grants
from callgate.gate.people import Answered, People
from callgate.gate.requests import Question, RequestError
from callgate.gate.showing import TooLongError, question_of
from callgate.gate.subject import LEVELS, subject_of
from callgate.gate.word import Word
from callgate.gate.workers import DISK

if TYPE_CHECKING:
    from callgate.gate.case import Case
    from callgate.gate.judge import Judged

__all__ = ["Words"]

_MOST_READ: Final = 65_536
"""A call whose JSON has more bytes is not even made fit to be shown."""
_ONCE: Final = LEVELS[0]
_FOR_GOOD: Final = LEVELS[-1]
_DENY: Final = "deny"
_TOO_LONG: Final = "the call is too long to be shown whole"


class _Asking(NamedTuple):
    """A request that is asked about, and the task that does it."""

    id: str
    task: asyncio.Task[Answered]


class Words:
    """Asks `people` and keeps what they say in `grants`. `wait`: whether a call waits for them, or
    is denied until somebody has answered. `clock`: gives the present time. Raises StateError."""

    def __init__(self, people: People, grants: Grants, *, wait: bool, clock: Clock) -> None:
        self._people = people
        self._grants = grants
        self._wait = wait
        self._clock = clock
        self._spending = Lock()
        self._asking: dict[str, _Asking] = {}

    async def ask(self, case: Case, judged: Judged, frozen: str) -> Word:
        """What a person says of a call. `frozen`: why everything is frozen, or ""; then a word
        counts for this call alone."""
        length = len(case.frozen.call.text)
        if length > _MOST_READ:
            return Word("undeliverable", why=f"{_TOO_LONG}: {length:,} bytes of JSON")
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
                declaration=case.declaration,
                reasons=(frozen,) if frozen else (),
            )
            found = await DISK.do(self._said, question)
            again = found is not None and found.answer == _DENY
            if found is None:
                found = await self._asked(question)
        except (TooLongError, RequestError) as error:
            return Word("undeliverable", why=str(error))
        return Word(found.answer, found.by, found.request_id, subject, found.why, again)

    async def _asked(self, question: Question) -> Answered:
        if self._wait:
            return await self._people.ask(question)
        seal = question.seal
        asking = self._under_way(seal)
        if asking is None:
            request = await DISK.do(self._people.requests.open, question)
            asking = self._under_way(seal)
            if asking is None or asking.id != request.id:
                # It joins the request, delivers it, and is there as long as it can be answered.
                task = asyncio.create_task(self._people.ask(question))
                asking = self._asking[seal] = _Asking(request.id, task)
                task.add_done_callback(lambda _: self._forget(seal, task))
        return Answered("pending", request_id=asking.id)

    def _under_way(self, seal: str) -> _Asking | None:
        """Who asks the same already, on behalf of calls that didn't wait."""
        asking = self._asking.get(seal)
        if asking is None or asking.task.done() or asking.task.get_loop().is_closed():
            return None
        return asking

    def _forget(self, seal: str, task: asyncio.Task[Answered]) -> None:
        asking = self._asking.get(seal)
        if asking is not None and asking.task is task:
            del self._asking[seal]

    def _said(self, question: Question) -> Answered | None:
        """What was said to this very question before: a yes that came when the call had ended
        counts now, for the same call, shown the same, by the same user in the same session; and a
        no holds for a while, as nobody is to be worn down."""
        request = self._people.late(question) or self._people.requests.refused(question)
        if request is None:
            return None
        return Answered(request.answer, request.decided_by, request.id)

    def spend(self, case: Case, word: Word) -> bool:
        """Use a word up; whether it was there. To be called in a thread. Raises RequestError when
        it doesn't count under the rules in force by now."""
        # With the lock, whoever comes second and finds it used finds the grant, too.
        requests = self._people.requests
        with self._spending:
            request = requests.get(word.request_id)
            if request is not None and (why := requests.objection(request, _rules(case))):
                raise RequestError(why)
            if not requests.spend(word.request_id, case.frozen.digest):
                return False
            if word.answer != _ONCE and word.subject is not None and not case.frozen_by:
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


def _rules(case: Case) -> Rules:
    """What the policy in force says of answers."""
    gate = case.current().program.graph.document["gate"]
    return Rules(tuple(gate["approvers"]), bool(gate["signed_answers"]))
