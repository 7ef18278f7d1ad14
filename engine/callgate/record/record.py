"""The record of a decision, in canonical bytes.

A record has all that a decision's JSON form has, what was decided on (`call`, `observed`,
`answers`, `live`), and when, by what and for whom. `rewalk` says whether the graph decides what is
kept as it decided the call itself: masking may have taken what it hung on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from callgate.model.decision import Decision
from callgate.record.form import Forms
from callgate.record.kept import MAX_TEXT, Keeper, Kept
from callgate.record.keys import keyed_hash
from callgate.record.values import canonical, decode
from callgate.record.versions import versions
from callgate.runtime.frame import Frame, IdleMatch
from callgate.runtime.masking import MASK, escape
from callgate.runtime.render import MOST_SECRETS, View

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["Answer", "Mark", "Records"]

_NULL: Final = b"null"
_NO_TEXT: Final = b'""'
_NO_PATH: Final = "the call was refused before it was walked, by what a record does not keep"
_OTHER: Final = "secrets that were replaced, or what was cut, had a part in the decision"
_SAID: Final = ("kind", "request_id", "grant_id", "by", "break_glass")


class Answer(NamedTuple):
    """What the gate answered, as `Approval` has it; a record says it in the place of what the walk
    came to. `by`: the person who answered, "" for none; `digest`: of the call, of
    which a record holds the keyed hash: from the digest itself secrets could be guessed."""

    allowed: bool
    reason: str = ""
    source: str = ""
    actions: Sequence[str] = ()
    kind: str = ""
    request_id: str = ""
    grant_id: str = ""
    by: str = ""
    break_glass: bool = False
    notice: str = ""
    digest: str = ""


class Mark(NamedTuple):
    """What tells one record from another. `decision_id`: 32 hex digits; `timestamp`: see
    `callgate.record.ids`; `span`: the trace id and span id of OpenTelemetry, "" each for none."""

    decision_id: str
    timestamp: str
    settings_digest: str = ""
    duration_us: int = 0
    span: tuple[str, str] = ("", "")


class Records:
    """Makes the records of one program's decisions. `source`: who has them made, as `gate`; `key`:
    of the hashes that stand for secrets; `max_text`: how much is kept of a text."""

    def __init__(
        self, program: Program, *, source: str, key: bytes, max_text: int = MAX_TEXT
    ) -> None:
        self.program = program
        self._fixed: dict[str, Any] = {
            "kind": "decision",
            "rewalk": True,
            "rewalk_why": "",
            "source": source,
            "versions": versions(),
        }
        self._known_digest = "", _NO_TEXT
        self._key = key
        self._keeper = Keeper(program, key, max_text)
        self._forms = Forms(program, {name: canonical(v) for name, v in self._fixed.items()})

    def of(self, decision: Decision, mark: Mark, answer: Answer | None = None) -> bytes:
        """The record of a decision of this program. Raises ValueError for what can't be recorded:
        a mark or an answer that is no text. Whatever else fails while it is told is raised, too."""
        if decision.failure is None and not decision.unasked and type(decision.frame) is Frame:
            made = self._at_once(decision, mark, answer)
            if made is not None:
                return made
        return self._whole(decision, mark, answer)

    # -- without secrets

    def _at_once(self, decision: Decision, mark: Mark, answer: Answer | None) -> bytes | None:
        """The record of a call in which nothing has to be replaced, put together from what was
        written before; else None."""
        frame = decision.frame
        call = self._keeper.as_it_is(frame)
        if call is None:
            return None
        form = self._forms.of(decision)
        if form is None:
            return None
        gate = _NULL
        if answer is not None:
            came_to = decision.outcome.decision
            if answer.allowed:
                if came_to != "allow" or answer.source != form.source:
                    return None
            elif came_to != "deny" or canonical(answer.reason) != form.reason:
                return None
            gate = canonical(self._gate(answer, came_to, answer.notice))
        trace_id, span_id = mark.span
        trace_id = trace_id or frame.context.get("trace_id") or ""
        return form.template % (
            call.answers,
            form.assumed,
            b'{"args":%b,"context":%b,"declared":%b,"tool":%b}'
            % (call.args, call.context, call.declared, call.tool),
            b'"%b"' % mark.decision_id.encode(),
            b"%d" % mark.duration_us,
            form.effects,
            gate,
            form.id,
            form.matched,
            call.observed,
            form.pending,
            form.reason,
            self._digest(mark.settings_digest),
            canonical(span_id) if span_id else _NO_TEXT,
            b'"%b"' % mark.timestamp.encode(),
            canonical(trace_id) if trace_id else _NO_TEXT,
        )

    def _digest(self, digest: str) -> bytes:
        """A settings digest as JSON: mostly the one of before."""
        known = self._known_digest
        if known[0] != digest:
            known = self._known_digest = digest, canonical(digest)
        return known[1]

    def _gate(self, answer: Answer, walked: str, notice: str) -> dict[str, Any]:
        """What a record says of the gate's answer. `walked`: what the walk itself came to."""
        said = {name: getattr(answer, name) for name in _SAID}
        digest = keyed_hash(self._key, answer.digest) if answer.digest else ""
        return {**said, "digest": digest, "notice": notice, "walked": walked}

    # -- all others

    def _whole(self, decision: Decision, mark: Mark, answer: Answer | None) -> bytes:
        frame = decision.frame
        kept = self._keeper.of(frame)
        told = _Masked(self.program, decision, kept.secrets)
        sections: Mapping[str, Any] = kept.sections or {}
        why = self._why_not(decision, kept)
        trace_id, span_id = mark.span
        context = sections.get("context")
        given = context.get("trace_id") if type(context) is dict else ""
        record: dict[str, Any] = {
            # A text of the caller's may be of a type of its own; in bytes it is a text.
            **orjson.loads(orjson.dumps(told.to_dict())),
            **self._fixed,
            "call": {name: sections[name] for name in ("args", "context", "declared", "tool")}
            if sections
            else None,
            "observed": sections.get("observed", {}),
            "answers": sections.get("answers", {}),
            "live": isinstance(frame, Frame) and frame.live,
            "settings_digest": mark.settings_digest,
            "trace_id": trace_id or (given if type(given) is str else ""),
            "span_id": span_id,
            "decision_id": mark.decision_id,
            "timestamp": mark.timestamp,
            "duration_us": mark.duration_us,
            "rewalk": not why,
            "rewalk_why": why,
            "gate": None,
        }
        if answer is not None:
            record["gate"] = self._gate(answer, decision.decision, told.line(answer.notice))
            record["decision"] = "allow" if answer.allowed else "deny"
            record["approval_source"] = answer.source or None
            record["approved_actions"] = [told.show(name) for name in answer.actions]
            if answer.reason:
                record["reason"] = told.line(answer.reason)
        return canonical(record)

    def _why_not(self, decision: Decision, kept: Kept) -> str:
        """Why what is kept can't be decided again, or would be decided otherwise; "" where it would
        come to the same."""
        if kept.sections is None:
            return f"the call is not kept: {kept.why}"
        frame = decision.frame
        walked = isinstance(frame, Frame)
        if walked and not kept.changed:
            return ""
        # As it will be read back: which of two faults is found first hangs on the keys' order.
        read = decode(orjson.loads(canonical(kept.sections)))
        call = {name: value for name, value in read.items() if value}
        again = self.program.decide(call, walked and frame.live)
        if _came_to(again) == _came_to(decision):
            return ""
        return _OTHER if walked else _NO_PATH


class _Masked(View):
    """A view that masks these secrets, too, and shows nothing where they are too many."""

    def __init__(self, program: Program, decision: Decision, secrets: tuple[str, ...]) -> None:
        super().__init__(program, decision)
        self.secrets = secrets
        self.hides = len(secrets) > MOST_SECRETS

    def line(self, text: str) -> str:
        """A text of the gate's own, masked and not cut."""
        return MASK if self.hides and text else escape(self.masker.mask(text, self.secrets))


def _came_to(decision: Decision) -> tuple[Any, ...]:
    """What a decision has to be the same in."""
    frame = decision.frame
    matches = frame.matches if isinstance(frame, Frame) else ()
    return (
        decision.outcome,
        list(decision.trace),
        decision.failure,
        [
            (match.guard, match.decide, match.approval, match.unresolved, match.exception)
            if isinstance(match, IdleMatch)
            else (match.guard, match.decide, match.approval, match.unresolved)
            for match in matches
        ],
    )
