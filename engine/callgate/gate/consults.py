"""Who is asked: standing grants, the reviewing model, people; their answers, as the graph has them.

Everything that waits for a disk is done in a thread, so that one slow answer holds up no other.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.clock import Clock, now
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.fingerprint import fingerprint
from callgate.gate.grants import Grants
from callgate.gate.people import People
from callgate.gate.refusals import Refusals
from callgate.gate.reviewer import ask_reviewer, brief_of
from callgate.gate.state import StateFolder
from callgate.gate.subject import subject_of
from callgate.gate.word import Word
from callgate.gate.words import Words
from callgate.gate.workers import DISK

if TYPE_CHECKING:
    from callgate.gate.case import Case
    from callgate.gate.judge import Judged
    from callgate.gate.reviewer import Reviewer
    from callgate.runtime.interpreter import Program

__all__ = ["Consults"]

_LOG: Final = logging.getLogger("callgate.gate")
_NO_STATE: Final = "this gate has no state folder, so nobody can be asked"
_NO_REVIEWER: Final = {"reply": "escalate"}
_REVIEW_SECONDS: Final = 900.0
"""For a reviewer that has no time-out of its own."""


class Consults:
    """Asks whom the policy wants asked.

    `state`: where grants and requests are kept, or None: then no grant counts and nobody is asked.
    `people`: who answers; by default whoever does so through the state folder. `reviewer`: the
    model that looks first; by default the one that the policy names. `wait`: whether a call waits
    for people. `clock`: gives the present time. Raises StateError, as all of this does.
    """

    def __init__(
        self,
        state: StateFolder | None,
        people: People | None,
        reviewer: Reviewer | None,
        *,
        wait: bool = True,
        clock: Clock = now,
    ) -> None:
        if state is None and (people is not None or reviewer is not None):
            raise ValueError("people and reviewers need a `state` folder")
        self._reviewer = reviewer
        self._named: tuple[Program, Reviewer | None] | None = None
        self._words: Words | None = None
        if state is not None:
            db = Database(state.database)
            self._grants = Grants(db, clock)
            self._refusals = Refusals(db, clock)
            self._events = Events(db, clock)
            people = people or People(db, clock=clock)
            self._words = Words(people, self._grants, wait=wait, clock=clock)

    async def grant(self, case: Case, judged: Judged) -> str:
        """The id of a grant that covers a call, "" where none does."""
        if self._words is None:
            return ""
        program: Any = judged.decision.source
        grant = await DISK.do(
            self._grants.covers,
            subject_of(program, judged.decision.frame, case.declaration),
            user=case.text("user_id"),
            agent=case.text("agent_id"),
            session=case.text("session_key"),
        )
        return "" if grant is None else grant.id

    async def reviewer(self, case: Case, judged: Judged) -> Mapping[str, str]:
        """What the reviewer says, as `answers.reviewer`. Where neither the host nor the policy
        names one, nobody failed: the call goes on as if the reviewer left it to a person."""
        decision = judged.decision
        program: Any = decision.source
        reviewer = self._reviewer or self._reviewer_of(program)
        if reviewer is None:
            return _NO_REVIEWER
        if self._words is None:
            return {"unavailable": _NO_STATE}
        frame = decision.frame
        try:
            async with asyncio.timeout(_REVIEW_SECONDS):
                return await ask_reviewer(
                    reviewer,
                    brief_of(program, frame, decision),
                    program.reply_errors(abs(decision.trace[-1])),
                    refusals=self._refusals,
                    session=case.text("session_key"),
                    marks=fingerprint(frame, program.effects_of(frame)),
                )
        except TimeoutError:
            return {"unavailable": "the reviewer did not answer in time"}

    async def people(self, case: Case, judged: Judged, frozen: str) -> Word:
        """What a person says. `frozen`: why everything is frozen, or ""."""
        if self._words is None:
            return Word("undeliverable", why=_NO_STATE)
        return await self._words.ask(case, judged, frozen)

    async def spend(self, case: Case, word: Word) -> bool:
        """Use a person's word up; whether it was there to be used. What counts for longer is kept
        as a grant. Raises RequestError when it does not count by now."""
        return self._words is not None and await DISK.do(self._words.spend, case, word)

    async def record_glass(self, case: Case, judged: Judged, rule: str) -> None:
        """Keep that break-glass let a call pass. `rule`: where somebody would have been asked."""
        if self._words is None:
            return
        await DISK.do(
            self._events.add,
            "break-glass.passed",
            digest=case.frozen.digest,
            tool=judged.decision.frame.tool,
            rule=rule,
            user=case.text("user_id"),
            agent=case.text("agent_id"),
            session=case.text("session_key"),
        )

    def _reviewer_of(self, program: Program) -> Reviewer | None:
        """The reviewer that a policy names, if it names one; made once, with what it trusts."""
        known = self._named
        if known is None or known[0] is not program:
            from callgate.gate.openai_reviewer import OpenAIReviewer

            reviewer = OpenAIReviewer.from_graph(program.graph.document["gate"], os.environ)
            known = self._named = program, reviewer
            if reviewer is None:
                _LOG.warning("the policy asks a reviewer, and there is none: people are asked")
        return known[1]
