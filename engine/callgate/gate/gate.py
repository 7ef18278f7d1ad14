"""The live gate: judges a call before it runs, asks whom the policy wants asked, and answers.

Whatever goes wrong on the way is a no with its reason: `check` raises nothing but the caller's own
cancellation.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

from callgate.engine import Engine
from callgate.gate.approval import Approval
from callgate.gate.asking import Asking
from callgate.gate.case import Case
from callgate.gate.clock import Clock, now
from callgate.gate.consults import Consults
from callgate.gate.fixed_policy import FixedPolicy
from callgate.gate.frozen_call import CallRefusedError, Frozen, FrozenCall, freeze
from callgate.gate.judge import Judge, UnseenError
from callgate.gate.observe import LocalObserver, Observer
from callgate.gate.own_places import OWN_ONLY
from callgate.gate.places import RECORDS, STATE
from callgate.gate.recording import recording_of
from callgate.gate.state import StateError
from callgate.gate.verdicts import allowed, denied, no_of
from callgate.gate.wrong_types import check_gate

if TYPE_CHECKING:
    from callgate.gate.live_policy import LivePolicy
    from callgate.gate.people import People
    from callgate.gate.reviewer import Reviewer
    from callgate.gate.state import StateFolder
    from callgate.model.decision import Decision
    from callgate.record.recorder import Recorder
    from callgate.runtime.interpreter import Program

__all__ = ["ApprovalGate"]

_LOG: Final = logging.getLogger("callgate.gate")
_NOTHING: Final = Frozen(FrozenCall(b"{}"), {})


class ApprovalGate:
    """Decides, in the world as it is, whether a tool call may run. One for all tasks of a process.

    `policy`: a `LivePolicy`, or an `Engine` that never changes. `state`: the gate's own folder,
    where grants and requests are kept; without it no grant counts and nobody can be asked.
    `people`: how people are asked; by default whoever answers through the state folder. `reviewer`:
    the model that looks first; by default the one that the policy names. `observer`: what looks at
    links, addresses and the clock. `wait`: whether a call waits for people; if not, it is denied as
    `approval_pending`, and their yes counts when it is made again. `clock`: gives the present time.
    `records`: what records its answers; true for the folder `records` of the state, where there is
    one; what can't be recorded is denied, unless the recorder says otherwise. False for none.
    Raises StateError when the state can't be used, TypeError for a part that is none.
    """

    def __init__(
        self,
        policy: LivePolicy | Engine,
        *,
        state: StateFolder | None = None,
        people: People | None = None,
        reviewer: Reviewer | None = None,
        observer: Observer | None = None,
        wait: bool = True,
        clock: Clock = now,
        records: Recorder | bool = True,
    ) -> None:
        check_gate(policy, state, people, reviewer, observer, clock, records)
        self.policy: LivePolicy | FixedPolicy = (
            FixedPolicy(policy, state) if isinstance(policy, Engine) else policy
        )
        self._observer = LocalObserver(clock=clock) if observer is None else observer
        self._consults = Consults(state, people, reviewer, wait=wait, clock=clock)
        if state is not None:
            self.policy.places.keep(STATE, state.path)
        if not isinstance(records, bool):
            for place in records.store.places:
                self.policy.places.keep(RECORDS, place)
        self._judge = Judge(self.policy.program)
        self._recording = recording_of(records, self.policy, state)

    async def check(self, call: Mapping[str, Any], *, declaration: str = "") -> Approval:
        """Whether this call may run, and exactly which call that is.

        `call`: as in docs/formats.md, without `answers`, `settings` and `observed`. `declaration`:
        a digest of what the tool's server says of it, so that a tool which changes loses its
        grants. It waits as long as the policy waits for people. The answer is recorded before it is
        given. Never raises, but for `asyncio.CancelledError` when the caller's task is cancelled;
        its request then is, too.
        """
        recording = self._recording
        if recording is None:
            return await self._check(call, declaration)
        start = perf_counter_ns()
        return await recording.keep(await self._check(call, declaration), start)

    async def _check(self, call: Mapping[str, Any], declaration: str) -> Approval:
        frozen = _NOTHING
        policy = self.policy
        try:
            judge = self._current()
            frozen = freeze(call, judge.aliases)
            if why := policy.places.refuses_call(frozen.copy.get("context")):
                return self._broken(frozen, f"this gate can't judge for this agent: {why}")
            judged = await judge.judge(frozen.copy, self._observer)
            # Not before: whoever froze everything during the observation counts, too.
            policy.refresh()
            control = policy.control
            verdict = judged.decision.outcome.decision
            if verdict != "deny":
                effects = judged.decision.frame.effects
                if policy.places.own.is_changed_by(effects, frozen.call.text):
                    return self._own_only(frozen, judged.decision)
            if verdict == "allow" and (control is None or control.state.frozen is None):
                return allowed(frozen, judged, "auto")
            if verdict == "deny":
                return no_of(frozen, judged)
            case = Case(frozen, declaration, self._observer, policy, self._current)
            return await Asking(case, self._consults).run(judged)
        except CallRefusedError as error:
            decision = self.policy.program.refuse(None, error.code, error.message)
            return denied(frozen, decision, "invalid")
        except (UnseenError, StateError) as error:
            return self._broken(frozen, str(error))
        except asyncio.CancelledError:
            raise
        except Exception as error:
            _LOG.exception("a check failed")
            return self._broken(frozen, f"{type(error).__name__} while checking the call")

    def _current(self) -> Judge:
        """The judge of the policy in force."""
        program: Program = self.policy.program
        judge = self._judge
        if judge.program is not program:
            judge = self._judge = Judge(program)
        return judge

    def _own_only(self, frozen: Frozen, walked: Decision) -> Approval:
        decision = self.policy.program.refuse(frozen.copy, "R006", OWN_ONLY)
        return denied(frozen, decision, "policy", OWN_ONLY, walked=walked)

    def _broken(self, frozen: Frozen, why: str) -> Approval:
        self.policy.refresh()  # another version may be what puts it right
        decision = self.policy.program.refuse(frozen.copy, "R006", why)
        return denied(frozen, decision, "approval_unavailable", why, notice=why)
