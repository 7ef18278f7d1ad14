"""An approval request, told to whoever may answer it: what the call does first, and whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from callgate.cli.paint import Line, cells, cut, pad, wrapped
from callgate.gate.answerers import answerers
from callgate.gate.question import Question
from callgate.gate.showing import duration
from callgate.runtime.masking import escape

if TYPE_CHECKING:
    from callgate.gate.requests import ApprovalRequest

__all__ = ["card_lines", "ended_line", "request_form", "row_lines", "told_answer"]

_LABEL: Final = 12
_ENDED: Final = {
    "approved": ("✓", "allow"),
    "denied": ("✕", "deny"),
    "expired": ("·", "dim"),
    "cancelled": ("·", "dim"),
}
_DOUBTFUL: Final = ("perhaps ", "not understood", "too much to read")
_GRANTS_MUCH: Final = 3


def request_form(request: ApprovalRequest, at: datetime) -> dict[str, Any]:
    """A request as JSON; `at` is the time it is."""
    form = {item.name: getattr(request, item.name) for item in fields(Question)}
    for name in ("reasons", "effects", "approvers"):
        form[name] = list(form[name])
    form["choices"] = [{"level": choice.level, "grants": choice.text} for choice in request.choices]
    return {
        "id": request.id,
        "status": request.status,
        **form,
        "seal": request.seal,
        "created": request.created.isoformat(),
        "expires": request.expires.isoformat(),
        "seconds_left": round(request.seconds_left(at), 3),
        "decided": request.decided and request.decided.isoformat(),
        "decided_by": request.decided_by,
        "answer": request.answer,
        "spent": request.spent and request.spent.isoformat(),
    }


def card_lines(
    request: ApprovalRequest, at: datetime, width: int, *, keys: bool = False
) -> list[Line]:
    """The lines of a request, all of it. `at`: the time it is; `keys`: begin each choice with the
    key that picks it."""
    lines: list[Line] = [_head(request, at, width), []]
    does = request.effects or ("nothing that is known of",)
    lines += _part("it", ((text, _effect_style(text)) for text in does), width)
    lines += _call(request, width)
    lines += _part("because", ((text, "") for text in request.reasons), width)
    lines += _part("from", [(_origin(request), "")], width)
    if request.status == "pending":
        lines.append([])
        lines += _choices(request, width, keys)
        signed = ", with a signature" if request.signed else ""
        lines += _part("who", [(f"{answerers(request)} may answer{signed}", "dim")], width)
    else:
        lines += _part("answer", [(told_answer(request), "")], width)
    return lines


def row_lines(request: ApprovalRequest, at: datetime, width: int) -> list[Line]:
    """A request in three lines, for a list: the call, what it is and whose, what it does."""
    first, *more = request.effects or ("does nothing that is known of",)
    rest = f"  and {len(more)} more" if more else ""
    effect = cut(first, width - 2 - cells(rest))
    when = _when(request, at)
    mark, style = _ENDED.get(request.status, ("?", "ask"))
    call = cut(
        _one_line(request), max(20, width - cells(f"{mark} {request.id}  ") - cells(when) - 2)
    )
    head: Line = [(f"{mark} ", style), (request.id, "name"), ("  ", ""), (call, "strong")]
    whose = "".join(f" · {what} {escape(name)}" for what, name in _whose(request) if name)
    return [
        _with_end(head, when, width),
        [("  ", ""), *_what(request), (whose, "dim")],
        [("  ", ""), (effect, _effect_style(first)), (rest, "dim")],
    ]


def ended_line(request: ApprovalRequest) -> Line:
    """One line on a request that has ended."""
    mark, style = _ENDED.get(request.status, ("?", "ask"))
    return [
        (f"{mark} ", style),
        (request.id, "name"),
        ("  ", ""),
        (told_answer(request), style),
        (f"  {_named(request)}", "dim"),
    ]


def told_answer(request: ApprovalRequest) -> str:
    """What became of a request, in words."""
    by = f" by {escape(request.decided_by)}" if request.decided_by else ""
    if request.status == "approved":
        return f"approved{by}: {request.answer}"
    return f"{request.status}{by}"


# -- its parts


def _named(request: ApprovalRequest) -> str:
    if request.called_as == request.tool:
        return request.tool
    return f"{request.called_as} → {request.tool}"


def _head(request: ApprovalRequest, at: datetime, width: int) -> Line:
    mark, style = _ENDED.get(request.status, ("?", "ask"))
    left: Line = [(f"{mark} ", style), (request.id, "name"), ("  ", ""), *_what(request)]
    return _with_end(left, _when(request, at), width)


def _what(request: ApprovalRequest) -> Line:
    """Which tool, and how much it may do."""
    risk = [(" · risk ", "dim"), (request.risk, _risk_style(request))] if request.risk else []
    return [(_named(request), "strong"), *risk]


def _one_line(request: ApprovalRequest) -> str:
    """The call, as much of it as one line takes. Of one argument in one line only the value."""
    first, *more = request.text.split("\n")
    _, found, value = first.partition(": ")
    if found and not more:
        return value
    return " ".join(line.strip() for line in (first, *more))


def _when(request: ApprovalRequest, at: datetime) -> str:
    age = duration((at - request.created).total_seconds())
    when = f"asked {age} ago"
    if request.status == "pending":
        when += f", {duration(request.seconds_left(at))} left"
    else:
        when += f", {request.status}"
    return when


def _with_end(left: Line, when: str, width: int) -> Line:
    used = sum(cells(text) for text, _ in left)
    return [*left, (" " * max(2, width - used - cells(when)), ""), (when, "dim")]


def _risk_style(request: ApprovalRequest) -> str:
    """The colour of a risk: by how long the policy would let a person's word on it count."""
    if len(request.choices) <= 1:
        return "deny"
    return "ask" if len(request.choices) <= _GRANTS_MUCH else "strong"


def _effect_style(text: str) -> str:
    return "ask" if text.startswith(_DOUBTFUL) else ""


def _whose(request: ApprovalRequest) -> tuple[tuple[str, str], ...]:
    return (
        ("user", request.user),
        ("session", request.session),
        ("channel", request.channel),
    )


def _origin(request: ApprovalRequest) -> str:
    user, *rest = _whose(request)
    named = (user, ("agent", request.agent), *rest, ("trace", request.trace))
    return ", ".join(f"{what} {escape(name)}" for what, name in named if name) or "not said"


def _part(label: str, texts: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    """Texts with their styles, wrapped, the first beside a label."""
    shown = label
    for text, style in texts:
        for index, piece in enumerate(wrapped(text, width - _LABEL - 2)):
            indent = "  " if index else ""
            yield [(f"  {shown:<{_LABEL - 2}}", "dim"), (indent + piece, style)]
            shown = ""


def _call(request: ApprovalRequest, width: int) -> Iterator[Line]:
    """The call as a whole, behind a bar that no text of it can leave."""
    shown = "call"
    for text in request.text.split("\n"):
        for piece in _chunks(text, width - _LABEL - 4):
            yield [(f"  {shown:<{_LABEL - 2}}│ ", "dim"), (piece, "strong")]
            shown = ""


def _chunks(text: str, width: int) -> Iterator[str]:
    """A text in pieces of at most `width` cells, with each of its spaces."""
    start, used = 0, 0
    for index, char in enumerate(text):
        size = cells(char)
        if used + size > width:
            yield text[start:index]
            start, used = index, 0
        used += size
    yield text[start:]


def _choices(request: ApprovalRequest, width: int, keys: bool) -> Iterator[Line]:
    widest = max(len(choice.level) for choice in request.choices)
    rows = [(choice.level, choice.text, "allow") for choice in request.choices]
    rows.append(("deny", "nothing; the call is refused", "deny"))
    label = "grants"
    for number, (level, text, style) in enumerate(rows, 1):
        key = "" if not keys else f"[{'d' if level == 'deny' else number}] "
        name = key + pad(level, max(widest, len("deny")))
        pieces = wrapped(text, width - _LABEL - cells(name) - 2)
        yield [(f"  {label:<{_LABEL - 2}}", "dim"), (name, style), ("  ", ""), (pieces[0], "")]
        for piece in pieces[1:]:
            yield [(" " * (_LABEL + cells(name) + 2), ""), (piece, "")]
        label = ""
