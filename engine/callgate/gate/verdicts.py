"""From a decision to the gate's answer: what kind of no it is, and what the user is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.approval import Approval, Kind, Source
from callgate.gate.frozen_call import Frozen
from callgate.model.decision import Decision, decided
from callgate.runtime.answers import answer_of
from callgate.runtime.guards import built_in_rule
from callgate.runtime.render import View

if TYPE_CHECKING:
    from callgate.gate.judge import Judged
    from callgate.runtime.frame import Frame
    from callgate.runtime.interpreter import Program

__all__ = ["allowed", "asks_of", "denied", "no_of", "reason_of", "unasked"]

_NOTHING: Final[frozenset[str]] = frozenset()
_NOT_A_CALL: Final = frozenset({"R001", "R002", "R003", "R004", "R005", "R009"})
_KINDS: Final[Mapping[tuple[str, str], Kind]] = {
    ("human", "deny"): "approval_denied",
    ("human", "timeout"): "approval_timeout",
    ("reviewer", "deny"): "approval_denied",
    ("reviewer", "unavailable"): "approval_unavailable",
}
"""What a deny is that comes straight from an answer: who gave it, and which."""


def allowed(
    frozen: Frozen,
    judged: Judged,
    source: Source,
    *,
    request_id: str = "",
    grant_id: str = "",
    notice: str = "",
) -> Approval:
    """The answer to a call that may run."""
    decision = judged.decision
    frame = decision.frame
    actions = (frame.tool,)
    if frame.matches:
        program: Any = decision.source
        actions = (frame.tool, *asks_of(program, frame))
    return Approval(
        True,
        decision,
        frozen.call,
        frozenset(actions),
        source,
        "",
        notice,
        False,
        "",
        request_id,
        grant_id,
        judged.seen.dns,
        judged.recheck,
    )


def unasked(judged: Judged, why: str) -> Judged:
    """The same, with a decision that says that nobody was asked, and why."""
    found = judged.decision
    decision = decided(found.outcome, found.trace, found.source, found.frame, found.failure)
    decision.unasked = why
    return replace(judged, decision=decision)


def denied(
    frozen: Frozen,
    decision: Decision,
    kind: Kind,
    reason: str = "",
    *,
    notice: str = "",
    terminal: bool = False,
    request_id: str = "",
    walked: Decision | None = None,
) -> Approval:
    """The answer to a call that may not run. `reason`: in words, where it is not the decision's;
    `walked`: the policy's own, where this is the gate's."""
    return Approval(
        False,
        decision,
        frozen.call,
        _NOTHING,
        "",
        reason or reason_of(decision),
        notice,
        terminal,
        kind,
        request_id,
        walked=walked,
    )


def no_of(frozen: Frozen, judged: Judged, request_id: str = "") -> Approval:
    """The answer to a call that the policy denies, by itself or after somebody's answer."""
    decision = judged.decision
    failure = decision.failure
    if failure is not None:
        kind: Kind = "invalid" if failure.code in _NOT_A_CALL else "approval_unavailable"
        return denied(frozen, decision, kind)
    if judged.unresolved:
        # The rule's own reason would call it a refusal, and may say how to lift that.
        program: Any = decision.source
        why = f"no address could be looked up of {', '.join(judged.unresolved)}"
        why = View(program, decision).show(why)
        return denied(frozen, decision, "dependency", why, notice=why, request_id=request_id)
    kind = _KINDS.get(_answer(decision), "policy")
    reason = reason_of(decision)
    return denied(
        frozen,
        decision,
        kind,
        reason,
        notice=reason if kind in ("approval_timeout", "approval_unavailable") else "",
        terminal=kind == "approval_timeout",
        request_id=request_id,
    )


def reason_of(decision: Decision) -> str:
    """Why, in one line, masked; cheaper than the whole JSON form."""
    program: Any = decision.source
    return View(program, decision).reason()


def asks_of(program: Program, frame: Frame) -> list[str]:
    """The ids of the asks that stand, in their order."""
    forms = program.guards.forms
    return [
        built_in_rule(match) if match.guard < 0 else str(forms[match.guard]["id"])
        for match in frame.matches
        if match.decide == "ask" and match.stands
    ]


def _answer(decision: Decision) -> tuple[str, str]:
    """Whose answer led straight to this decision, and which; empty texts where nobody's did."""
    trace = decision.trace
    if len(trace) < 2:
        return "", ""
    program: Any = decision.source
    number = abs(trace[-2])
    node = program.graph.nodes[number - 1]
    if node[0] != "consult":
        return "", ""
    answer = answer_of(node[3], decision.frame.answers, program.reply_errors(number))
    return node[3], answer or ""
