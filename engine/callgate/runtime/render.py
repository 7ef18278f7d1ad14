"""A decision's JSON form, rendered on demand from the walk's trace and the call's snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from callgate.model.decision import Decision
from callgate.model.effect import Effect, EffectSet
from callgate.model.values import UNKNOWN
from callgate.runtime.answers import answer_of
from callgate.runtime.call_secrets import call_secrets
from callgate.runtime.effect_form import effect_form, of_command
from callgate.runtime.frame import Frame, IdleMatch, Match
from callgate.runtime.guards import built_in_rule
from callgate.runtime.masking import MASK, escape
from callgate.runtime.reasons import Reason, Slot

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["MOST_SECRETS", "View", "describe", "strictest"]

MOST_SECRETS: Final = 200
"""Of a call with more secrets nothing is shown."""


def describe(program: Program, decision: Decision) -> dict[str, Any]:
    """The decision in the format of docs/formats.md."""
    return View(program, decision).to_dict()


class View:
    """Reads a decision for people: every value it gives is masked, escaped and cut."""

    def __init__(self, program: Program, decision: Decision) -> None:
        self.program = program
        self.decision = decision
        self.frame: Frame | None = decision.frame if isinstance(decision.frame, Frame) else None
        self.masker = program.masker
        if self.frame is not None:
            self.frame.work = 0  # what the walk spent is no matter of who tells of it
            found = call_secrets(self.masker, self.frame, program.safe_effects(self.frame))
        else:
            found = self.masker.secrets(decision.frame)
        self.secrets = (*found, *program.settings_secrets)
        # So many are no mistake of somebody's: then nothing of the call is shown.
        self.hides = len(self.secrets) > MOST_SECRETS

    def show(self, value: Any) -> str:
        """A value as one safe line of at most 120 characters."""
        return MASK if self.hides else self.masker.show(value, self.secrets)

    def to_dict(self) -> dict[str, Any]:
        """The whole JSON form."""
        decision, frame, program = self.decision, self.frame, self.program
        allowed = decision.decision == "allow"
        asks = self.asks()
        tool = self.show(frame.tool) if frame else self._raw("tool")
        bundle = program.graph.document["bundle"]
        effects = (program.safe_effects(frame) if frame else None) or EffectSet()
        lifted = [tool, *map(self._rule_of, asks)] if allowed else []
        return {
            "id": self.shown_id(),
            "tool": tool,
            "called_as": self.show(frame.called_as) if frame else tool,
            "decision": decision.decision,
            "approval_source": self.approval_source() if allowed else None,
            "risk": getattr(frame, "risk", None),
            "capabilities": [self.show(name) for name in getattr(frame, "capabilities", ())],
            "step": decision.step,
            "rule": decision.rule,
            "reason": self.reason(),
            "matched": self.all_matched(),
            "effects": [effect_form(item, self.show, self.masker) for item in effects.all],
            "approved_actions": list(dict.fromkeys(lifted)),
            "obligations": [],
            "pending": self.pending(),
            "error": self.error(),
            "trace": self.trace(),
            "assumed": [self.show(item) for item in effects.assumed],
            "policy": {
                "bundle": bundle["name"],
                "version": bundle["version"],
                "digest": program.graph.digest,
                "engine": program.engine,
            },
        }

    def _raw(self, key: str) -> str:
        call = self.decision.frame
        value = call.get(key) if isinstance(call, dict) else None
        return self.show(value) if isinstance(value, str) else ""

    def shown_id(self) -> str | None:
        """The id that the call was given, masked; it is never cut."""
        call = self.decision.frame
        given = self.frame.id if self.frame else call.get("id") if isinstance(call, dict) else None
        if not isinstance(given, str):
            return None
        return MASK if self.hides else escape(self.masker.mask(given, self.secrets))

    # -- why

    def reason(self) -> str:
        """Why, in one line."""
        decision, frame = self.decision, self.frame
        if decision.failure is not None:
            return f"the call could not be judged: {self.show(decision.failure.message)}"
        if decision.unasked:
            return decision.unasked
        assert frame is not None
        form = self.program.graph.nodes[abs(decision.trace[-1]) - 1]
        if form[0] == "guards":
            return self.match_reason(frame.matches[-1])
        if form[0] == "consult":
            asks = self.asks()
            why = self.match_reason(asks[0]) if asks else "the call needs approval"
            return f"{why}; {_WAITS[form[3]]}"
        told = self.program.reasons.of(form[4])
        return self.fill(told, None) if told else self.title(decision.rule)

    def title(self, rule: str) -> str:
        """The title of a rule, or of the step it belongs to."""
        rules, steps = self.program.sources.rules, dict(self.program.graph.steps)
        for name in (rule, rule.rpartition(".")[0]):
            if name in rules:
                return rules[name].title
            if name in steps:
                return steps[name]
        return rule

    def fill(self, reason: Reason, effect: Any) -> str:
        """A reason with its slots filled in."""
        if reason.plain is not None:
            return reason.plain
        return "".join(
            part if isinstance(part, str) else self._slot(part, effect) for part in reason.parts
        )

    def _slot(self, slot: Slot, effect: Any) -> str:
        frame = self.frame
        if slot.of_guards:
            asks = self.asks()
            return self.match_reason(asks[0]) if asks else ""
        if slot.test is None:
            return "(not known)"
        try:
            value = slot.test(frame, effect) if slot.each else slot.test(frame)
        except Exception:
            return "(not known)"
        if value is UNKNOWN:
            text = self.source_text(effect) if effect else None
            named = "" if text is None else f"`{text}` " if text else "an empty text "
            if text and frame and of_command(effect, frame.effects):
                # No word says it, as of the folder that a command works in.
                named = f"what {named}works on "
            return f"{named}(not resolved)"
        return self.show(value)

    def source_text(self, effect: Effect) -> str:
        """The part of the argument that caused an effect."""
        text = self.frame.args.get(effect.argument) if self.frame and effect.argument else None
        if not isinstance(text, str) or effect.span is None:
            return effect.kind
        return self.show(text[effect.span[0] : effect.span[1]])

    def _rule_of(self, match: Match) -> str:
        if match.guard < 0:
            return built_in_rule(match)
        rule: str = self.program.guards.forms[match.guard]["id"]
        return rule

    def match_reason(self, match: Match) -> str:
        """Why a guard fired."""
        if match.guard < 0:
            return f"not understood: {self.show(match.effect.fields['reason'])}"
        form = self.program.guards.forms[match.guard]
        reason = self.program.reasons.of(form["reason"], form["each"][0] if form["each"] else None)
        why = self.fill(reason, match.effect) if reason else self.title(form["id"])
        return f"can't be told: {why}" if match.unresolved else why

    def asks(self) -> list[Match]:
        """The asks that the guards raised."""
        matches = self.frame.matches if self.frame else ()
        return [match for match in matches if match.decide == "ask" and match.stands]

    def all_matched(self) -> list[dict[str, Any]]:
        """What guards came to, and what rules of the flow would have decided, in their order."""
        found = []
        for number in self.decision.trace if self.frame else ():
            form = self.program.graph.nodes[abs(number) - 1]
            if form[0] == "note":
                found.append(self.noted(form))
            elif form[0] == "guards" and self.frame:
                found.extend(self.matched(match) for match in self.frame.matches)
        return found

    def matched(self, match: Match) -> dict[str, Any]:
        """A guard's match in its JSON form."""
        approval = match.approval if match.decide == "ask" else None
        told = {"rule": self._rule_of(match), "decide": match.decide, "approval": approval}
        idle = match if isinstance(match, IdleMatch) else None
        marks = _marks(idle.shadow, idle.exception) if idle else {}
        return {**told, "reason": self.match_reason(match), **marks}

    def noted(self, form: list[Any]) -> dict[str, Any]:
        """What a rule of the flow would have decided, in its JSON form."""
        _, _, rule, decide, reason, _, shadow, exception = form
        found = self.program.reasons.of(reason)
        why = self.fill(found, None) if found else self.title(rule)
        told = {"rule": rule, "decide": decide, "approval": None, "reason": why}
        return {**told, **_marks(shadow, exception)}

    # -- what

    def approval_source(self) -> str:
        """`human` only when a person approved this very call."""
        nodes = self.program.graph.nodes
        asked = (nodes[abs(number) - 1] for number in self.decision.trace)
        human = any(form[0] == "consult" and form[3] == "human" for form in asked)
        return "human" if human and not self.decision.unasked else "auto"

    def pending(self) -> dict[str, Any] | None:
        """Who must be asked, and the decisions that the answers can lead to."""
        if self.decision.pending is None or self.frame is None:
            return None
        node = abs(self.decision.trace[-1])
        return {
            "consult": self.decision.pending,
            "outcomes": self.program.outcomes(self.frame, node),
        }

    def error(self) -> dict[str, Any] | None:
        """What failed, and where in the policy."""
        failure = self.decision.failure
        if failure is None:
            return None
        origin = self.program.origin(failure.node) if failure.node else None
        return {
            "code": failure.code,
            "message": self.show(failure.message),
            "file": origin.file if origin else None,
            "line": origin.line if origin else None,
        }

    def trace(self) -> list[dict[str, Any]]:
        """The nodes that were walked, with the conditions and the values they had."""
        entries = []
        for number in self.decision.trace:
            form = self.program.graph.nodes[abs(number) - 1]
            if form[0] in ("decide", "note"):
                continue
            origin = self.program.origin(abs(number))
            entries.append(
                {
                    "step": origin.step,
                    "node": abs(number),
                    "condition": origin.condition,
                    "value": self.value_at(number, form),
                    "file": origin.file,
                    "line": origin.line,
                }
            )
        return entries

    def value_at(self, number: int, form: list[Any]) -> Any:
        """The value that a node had: true, false, null for unknown, or a text."""
        frame, failure = self.frame, self.decision.failure
        if frame is None or (failure is not None and failure.node == abs(number)):
            return None
        if form[0] == "branch":
            if number > 0:
                return True
            return None if self.program.test_of(-number)(frame) is UNKNOWN else False
        if form[0] == "switch":
            return self.show(self.program.test_of(number)(frame))
        if form[0] == "guards":
            return strictest(frame.matches)
        return answer_of(form[3], frame.answers, self.program.reply_errors(abs(number)))


_WAITS: Mapping[str, str] = {
    "grant": "not decided before it is known whether a grant covers it",
    "reviewer": "waits for the reviewer",
    "human": "waits for a person",
}


def _marks(shadow: bool, exception: str | None) -> dict[str, Any]:
    """Why something that matched decides nothing; empty where it does."""
    marks: dict[str, Any] = {"enforce": "shadow"} if shadow else {}
    return marks if exception is None else {**marks, "exception": exception}


def strictest(matches: Sequence[Match]) -> str:
    """What the guards came to, in one word."""
    found = {match.decide for match in matches if match.stands}
    return next((word for word in ("deny", "ask", "note") if word in found), "none")
