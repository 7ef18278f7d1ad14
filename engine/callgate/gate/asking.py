"""The way of a call that the policy doesn't decide by itself: ask, walk again, answer.

Each answer is put into the call, and the walk is made anew, on the graph that is in force by then
and with the world as it is by then. What a person was shown must still be so; a word that was given
counts once.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.answerers import RequestError
from callgate.gate.approval import Approval, Kind
from callgate.gate.case import Case
from callgate.gate.judge import Judged
from callgate.gate.standing import standing_of
from callgate.gate.verdicts import allowed, asks_of, denied, no_of, unasked
from callgate.gate.workers import DISK

if TYPE_CHECKING:
    from callgate.gate.consults import Consults
    from callgate.gate.word import Word

__all__ = ["Asking"]

_LOG: Final = logging.getLogger("callgate.gate")
_MAX_ROUNDS: Final = 8
_PEOPLE: Final = "human"
_USED: Final = (
    "a person approved this call once, and the same call, made at the same time, has used that;"
    " make it again to ask anew"
)
_CHANGED: Final = "the policy changed while this call waited; make the call again"


class _Stopped(Exception):  # noqa: N818 - it is a way out, not a failure
    """The answer is a no that no walk gave."""

    def __init__(self, approval: Approval) -> None:
        super().__init__(approval.reason)
        self.approval = approval


@dataclass(slots=True)
class Asking:
    """Asks about one call until it is decided."""

    case: Case
    consults: Consults
    answers: dict[str, Any] = field(default_factory=dict)
    word: Word | None = None
    """What a person said."""
    grant_id: str = ""
    glass_rule: str = ""
    """Where break-glass answered in somebody's place: the rule that asked."""

    async def run(self, judged: Judged) -> Approval:
        """The answer to a call whose first walk left a question open, with who gave it. Raises
        StateError and what observers raise."""
        found = await self._answer(judged)
        if self.word is not None:
            return found._replace(by=self.word.by)
        return found._replace(break_glass=True) if self.glass_rule and found.allowed else found

    async def _answer(self, judged: Judged) -> Approval:
        if judged.paths:
            # Where nothing is in any folder, it is no matter which it runs in.
            judged.standing = standing_of(self.case.observer, self.case.context)
        try:
            for _ in range(_MAX_ROUNDS):
                decision = judged.decision
                if decision.decision == "deny":
                    return self._no(judged)
                if self.word is not None and not self.word.yes and decision.pending is None:
                    return self._refused(judged)
                if decision.decision == "allow" and not self._frozen():
                    return await self._yes(judged)
                glass = self.glass_rule and not self._frozen()
                if decision.pending is None and (self.word is not None or glass):
                    return await self._yes(judged)
                # A rule that says `ask` and no more, or a freeze: a person has to agree.
                judged = await self._consult(decision.pending or _PEOPLE, judged)
        except _Stopped as stopped:
            return stopped.approval
        return self._stop(judged, "policy", "the policy asks again and again")

    # -- asking

    async def _consult(self, who: str, judged: Judged) -> Judged:
        """Get an answer, and walk again."""
        program: Any = judged.decision.source
        if who == "grant":
            self.grant_id = await self.consults.grant(self.case, judged)
            self.answers["grant"] = bool(self.grant_id)
            judge = self.case.current()
            if judge.program is not program:
                raise _Stopped(self._stop(judged, "policy", _CHANGED))
            # The grant covers what that walk saw, and not what is there by now.
            return judge.answered(self.case.frozen.copy, judged, self.answers)
        if self._glass_answers(who, judged):
            pass
        elif who == "reviewer":
            self.answers["reviewer"] = answer = await self.consults.reviewer(self.case, judged)
            if why := answer.get("unavailable"):
                # The agent is told no more than that; who runs the gate has to know the cause.
                _LOG.warning("the reviewer is unavailable: %s", why)
        elif who == _PEOPLE:
            self.word = await self._ask_people(judged)
            self.answers[_PEOPLE] = self.word.answer
        else:
            raise _Stopped(self._stop(judged, "approval_unavailable", f"nobody is `{who}`"))
        return await self._walk_again(program, judged)

    async def _ask_people(self, judged: Judged) -> Word:
        """A person's word; stops where nobody can give one."""
        case = self.case
        frozen = self._frozen()
        if frozen and any(case.context.get(name) is True for name in ("nested", "unattended")):
            why = "everything is frozen by an operator, and nobody is there to be asked"
            raise _Stopped(self._stop(judged, "approval_unavailable", why))
        word = await self.consults.people(case, judged, frozen)
        if word.answer == "undeliverable":
            why = word.why or "nobody could be asked"
            raise _Stopped(self._stop(judged, "approval_unavailable", why, terminal=True))
        if word.answer == "pending":
            self.word = word
            why = f"a person has to approve this call first (request {word.request_id})"
            raise _Stopped(self._stop(judged, "approval_pending", why, terminal=True))
        return word

    def _glass_answers(self, who: str, judged: Judged) -> bool:
        """Whether break-glass is in force; then it answers in everybody's place."""
        control = self.case.policy.control
        if control is None or control.glass() is None:
            return False
        self.glass_rule = judged.decision.rule
        self.answers[who] = {"reply": "approve"} if who == "reviewer" else "once"
        return True

    async def _walk_again(self, before: Any, judged: Judged) -> Judged:
        """The walk with the new answer, on the graph in force now, in the world as it is now. Stops
        where the answer was given about something else."""
        case = self.case
        case.policy.refresh()
        # A reload that an operator made while this call waited counts for it.
        await DISK.do(case.policy.settle)
        judge = case.current()
        same = judge.program is before
        changed = "" if same else await judged.recheck()
        again = await judge.judge(case.frozen.copy, case.observer, self.answers)
        again.standing = judged.standing
        if same:
            moved = "" if again.standing is None else again.standing.changed()
            changed = moved or judged.seen.changed(again.seen)
        if changed:
            why = f"what this call touches changed while it waited: {changed}"
            raise _Stopped(self._stop(judged, "policy", why))
        if again.decision.decision != "deny":
            open_ = not same and again.decision.decision == "ask"
            new = set(asks_of(judge.program, again.decision.frame))
            if open_ or new - set(asks_of(before, judged.decision.frame)):
                raise _Stopped(self._stop(again, "policy", _CHANGED))
        return again

    def _without_glass(self) -> str:
        """Why break-glass does not let this call pass any more, by another look at what operators
        have set; "" while it does."""
        if why := self._frozen():
            return why
        control = self.case.policy.control
        if control is not None and control.glass() is not None:
            return ""
        return "break-glass ended while this call was looked at; make the call again"

    def _frozen(self) -> str:
        """Why nothing passes without a person; "" where that is not so."""
        return self.case.frozen_by

    # -- answering

    async def _yes(self, judged: Judged) -> Approval:
        """Allowed. A person's word is spent here, and nowhere else."""
        case, word = self.case, self.word
        if word is not None and word.yes:
            try:
                spent = await self.consults.spend(case, word)
            except RequestError as error:
                return self._stop(judged, "approval_denied", str(error))
            if not spent:
                # The same call, made at the same time, has used it; it may have left a grant.
                self.grant_id = await self.consults.grant(case, judged)
                if self.grant_id and not self._frozen():
                    judged = unasked(judged, "a grant covers this call")
                    return allowed(case.frozen, judged, "auto", grant_id=self.grant_id)
                return self._stop(judged, "approval_unavailable", _USED)
            return allowed(case.frozen, judged, "human", request_id=word.request_id)
        notice = ""
        if self.glass_rule:
            why = self._without_glass()
            if not why:
                await self.consults.record_glass(case, judged, self.glass_rule)
                why = self._without_glass()
            if why:
                return self._stop(judged, "approval_unavailable", why)
            judged = unasked(judged, "break-glass is on: nobody was asked")
            notice = "break-glass is on: this call passed without anybody's approval"
        return allowed(case.frozen, judged, "auto", grant_id=self.grant_id, notice=notice)

    def _no(self, judged: Judged) -> Approval:
        word = self.word
        found = no_of(self.case.frozen, judged, "" if word is None else word.request_id)
        return found._replace(terminal=True) if word is not None and word.again else found

    def _refused(self, judged: Judged) -> Approval:
        """A person said no, or nothing, where no rule of the policy speaks of that."""
        assert self.word is not None
        if self.word.answer == "timeout":
            return self._stop(judged, "approval_timeout", "nobody answered in time", terminal=True)
        why = "a person refused this call"
        return self._stop(judged, "approval_denied", why, terminal=self.word.again)

    def _stop(self, judged: Judged, kind: Kind, why: str, *, terminal: bool = False) -> Approval:
        """A no in the gate's own words."""
        program: Any = judged.decision.source
        decision = program.refuse(self.case.frozen.copy, "R006", why)
        told = kind in ("approval_unavailable", "approval_timeout", "approval_pending")
        return denied(
            self.case.frozen,
            decision,
            kind,
            why,
            notice=why if told else "",
            terminal=terminal,
            request_id="" if self.word is None else self.word.request_id,
            walked=judged.decision,
        )
