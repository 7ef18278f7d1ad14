"""What a person sees of a call before they answer: what it does first, then the call as a whole.

Nothing is left out and nothing is hidden: what is too long to be read is refused, and characters
that would change what a terminal or a chat shows are written as escapes. Secrets are masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from callgate.analysis.effect_wording import phrase_of
from callgate.gate.answerers import answerers
from callgate.gate.call_text import MAX_TEXT, TooLongError, call_text
from callgate.gate.card_text import card_line, hung
from callgate.gate.hiding import assigned, hides_more
from callgate.gate.question import Choice, Question, bound_to
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN
from callgate.runtime.render import View
from callgate.runtime.run_words import line_of_run

if TYPE_CHECKING:
    from callgate.gate.request_rows import ApprovalRequest
    from callgate.gate.subject import Subject
    from callgate.model.decision import Decision
    from callgate.runtime.interpreter import Program

__all__ = ["MAX_EFFECTS", "MAX_TEXT", "TooLongError", "duration", "question_of", "text_of"]

MAX_EFFECTS: Final = 200
"""How many effects a person can be shown."""

_MAX_EFFECTS_TEXT: Final = 2 * MAX_TEXT
_MAX_FOLDER: Final = 1_000
_MOST_SECRETS: Final = 200
_HIDDEN: Final = "a part of the call that is more than a secret would be hidden"
_IN_SESSION: Final = frozenset({"session", "session-all"})
_LAST_KINDS: Final = ("read", "mention", "run")
"""What is told after everything else: it changes nothing, or the others say it."""


def question_of(
    program: Program,
    decision: Decision,
    subject: Subject,
    digest: str,
    *,
    declaration: str = "",
    reasons: Sequence[str] = (),
) -> Question:
    """What a person is asked about a call.

    `program`, `decision`: what walked it, and what came of that. `subject`: what a grant would be
    bound to. `digest`: of the frozen call. `declaration`: the digest of what its tool's server
    declares. `reasons`: lines to begin with, as that everything is frozen. Raises
    TooLongError when the call can't be shown whole.
    """
    view = View(program, decision)
    frame = decision.frame
    if view.frame is None or len(view.secrets) > _MOST_SECRETS:
        raise TooLongError("the call holds too many secrets to be shown to anybody")
    found = program.effects_of(frame)
    effects = () if found is None else found.all
    # What can't be shown whole is told from that alone, however much it is.
    text = call_text(view, effects)
    does = _effects(view, effects)
    folders = [_name(frame.context, name) for name in ("cwd", "workspace", "home")]
    if hides_more(view, effects, folders[:2]):
        raise TooLongError(_HIDDEN)
    gate: Mapping[str, Any] = program.graph.document.get("gate") or {}
    named = {name: _name(frame.context, name) for name in ("session_key", "user_id", "agent_id")}
    return Question(
        tool=card_line(view.show(frame.tool)),
        called_as=card_line(view.show(frame.called_as)),
        digest=digest,
        risk=subject.risk,
        reasons=tuple(dict.fromkeys([*map(card_line, reasons), *_reasons(view)])),
        effects=does,
        text=text,
        choices=_choices(subject, named["session_key"], int(gate.get("grant_days", 0))),
        session=named["session_key"],
        user=named["user_id"],
        agent=named["agent_id"],
        channel=_name(frame.context, "channel"),
        trace=_name(frame.context, "trace_id"),
        wait_seconds=float(gate.get("wait_seconds", 300)),
        approvers=tuple(gate.get("approvers", ())),
        signed=bool(gate.get("signed_answers", False)),
        cwd=_folder(folders[0]),
        workspace=_folder(folders[1]),
        bound=bound_to(subject.key, declaration, frame.declared, folders),
    )


def _folder(path: str) -> str:
    """A folder as it is shown. Raises TooLongError."""
    shown = card_line(path)
    if len(shown) > _MAX_FOLDER:
        raise TooLongError("the folder of the call has too long a name to be shown whole")
    return shown


def _name(context: Mapping[str, Any], name: str) -> str:
    value = context.get(name)
    return value if isinstance(value, str) else ""


def _reasons(view: View) -> list[str]:
    """Why somebody has to be asked: what guards ask, or else what they noted."""
    noted = [] if view.frame is None else [match for match in view.frame.matches if match.stands]
    found = [card_line(view.match_reason(match)) for match in view.asks() or noted]
    return found or ["the policy wants somebody's word on calls of this kind"]


# -- what it does


def _effects(view: View, effects: Iterable[Effect]) -> tuple[str, ...]:
    """The effects in phrases: first what a guard minds, and last what changes nothing. Raises
    TooLongError."""
    # Surely minded before perhaps minded.
    minded = {id(match.effect): int(match.unresolved) for match in reversed(view.asks())}

    def order(effect: Effect) -> int:
        if id(effect) in minded:
            return minded[id(effect)]
        return 3 + _LAST_KINDS.index(effect.kind) if effect.kind in _LAST_KINDS else 2

    def whole(value: Any) -> str:
        # What `show` would cut could be the part that matters.
        if isinstance(value, str):
            return card_line(view.masker.mask(value, view.secrets))
        return card_line(view.show(value))

    def phrase(effect: Effect) -> str:
        source = f"what `{card_line(view.source_text(effect))}` stands for"
        fields = effect.fields
        if effect.kind == "environment" and isinstance(fields["value"], str):
            # What is a secret may be told by the name alone.
            value = assigned(view.masker, fields["name"], fields["value"], view.secrets)
            effect = replace(effect, fields={**fields, "value": value})
        elif effect.kind == "run" and fields["program_path"] is not UNKNOWN:
            # Or by the word before it.
            line = line_of_run(effect)
            effect = replace(effect, fields={"program_path": line, "words": ()})
        return phrase_of(effect, whole, source)

    found: dict[str, None] = {}
    size = 0
    for effect in sorted(effects, key=order):
        told = phrase(effect)
        size += 0 if told in found else len(told)
        found[told] = None
        if len(found) > MAX_EFFECTS or size > _MAX_EFFECTS_TEXT:
            raise TooLongError("the call does more than a person can be shown")
    return tuple(found)


# -- the answers


_PHRASES: Final = {
    "once": "this one call",
    "session": "{text}, until this session ends, for 12 hours at most",
    "session-all": "not only this, but every `{family}` command, in this session, that needs no"
    " person and no further ask: whatever runs described programs and no other code, connects"
    " to nothing, and asks for nothing more than this, for 12 hours at most",
    "always": "{text}, for this user and agent, {how_long}",
}


def _choices(subject: Subject, session: str, days: int) -> tuple[Choice, ...]:
    """The answers that let the call pass, each with what it grants."""
    values = {
        "text": subject.text if subject.kind == "command" else "exactly this call",
        "family": subject.family or "",
        "how_long": f"for {days} days" if days else "until it is revoked",
    }
    return tuple(
        Choice(level, card_line(_PHRASES[level].format(**values)))
        for level in subject.levels
        if session or level not in _IN_SESSION
    )


# -- as a message


def text_of(request: ApprovalRequest, at: datetime) -> str:
    """A request as a message: plain lines, fit for a terminal or a chat. `at`: the time it is."""
    name = request.tool
    if request.called_as != request.tool:
        name = f"{request.called_as} → {request.tool}"
    risk = f" · {request.risk}" if request.risk else ""
    origin = ", ".join(
        f"{what} {card_line(value)}"
        for what, value in (
            ("user", request.user),
            ("agent", request.agent),
            ("session", request.session),
            ("channel", request.channel),
        )
        if value
    )
    lines = [
        *hung([f"An agent asks to call {name}{risk}", *_place(request)], ""),
        "",
        "It",
        *hung(request.effects or ("does nothing that is known of",), "  • "),
        "",
        "The call, whole",
        *hung(request.text.split("\n"), "  │ "),
        "",
        "Asked because",
        *hung(request.reasons, "  • "),
        "",
        *hung([f"From {origin or 'nobody in particular'}"], ""),
        f"Request {request.id}, {duration(request.seconds_left(at))} left;"
        f" {answerers(request)} may answer" + (", signed" if request.signed else ""),
        "",
        "Answers",
        *hung((f"{choice.level}: {choice.text}" for choice in request.choices), "  "),
        "  deny: nothing; the call is refused",
    ]
    return "\n".join(lines)


def _place(request: ApprovalRequest) -> Iterator[str]:
    """Where it would run; also the workspace, where that is not the same."""
    if request.cwd:
        yield f"in {request.cwd}"
    if request.workspace and request.workspace != request.cwd:
        yield f"with the workspace {request.workspace}"


def duration(seconds: float) -> str:
    """A time span in its largest one or two units, as `1 m 20 s`."""
    left = max(0, int(seconds))
    if left < 60:
        return f"{left} s"
    if left < 3600:
        return f"{left // 60} m {left % 60} s" if left < 600 and left % 60 else f"{left // 60} m"
    if left < 86_400:
        minutes = left % 3600 // 60
        return f"{left // 3600} h {minutes} m" if minutes else f"{left // 3600} h"
    return f"{left // 86_400} d"
