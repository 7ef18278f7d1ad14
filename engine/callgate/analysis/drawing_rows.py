"""The rows inside the cards of a drawing: rules, answers, guards, and what is switched off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from callgate.analysis.drawing_canvas import Canvas, Ink
from callgate.analysis.drawing_text import MONO, SANS, width_of
from callgate.analysis.flow_view import GuardView, Outcome, RuleView, StepView
from callgate.analysis.wording import (
    BOUNDS_TITLE,
    DESPITE,
    OPAQUE_TITLE,
    QUESTIONS,
    grouped_answers,
    marks_of,
)

__all__ = ["MOST_ROWS", "draw_guards", "draw_off", "draw_off_rules", "draw_rules"]

MOST_ROWS: Final = 100
"""Rules of one step, or guards, that are drawn; the rest is counted."""

CHIP: Final = 660.0
AFTER_CHIP: Final = 760.0
_ORDER: Final = {"deny": 0, "ask": 1, "note": 2}


def draw_rules(canvas: Canvas, left: float, right: float, step: StepView, final: bool) -> None:
    """The step's rules in order, then its otherwise."""
    for rule in step.rules[:MOST_ROWS]:
        _separate(canvas, left, right)
        if rule.outcome is not None:
            _row(canvas, left, right, step, rule, rule.outcome)
        else:
            _consult(canvas, left, right, step, rule)
    _more(canvas, left, len(step.rules) - MOST_ROWS, "rule")
    if step.otherwise is not None:
        _separate(canvas, left, right)
        top = canvas.y
        label = "No step decided" if final else "Otherwise"
        canvas.text(left + 20, top + 18, label, 14)
        _outcome(canvas, left, right, top, step.otherwise)


def draw_guards(canvas: Canvas, left: float, right: float, guards: Sequence[GuardView]) -> None:
    """Every guard that these settings leave, the strictest kind first."""
    canvas.lines_below(
        left + 20,
        "Guards look at what the call would do. The first deny ends the walk here; every ask is "
        "carried on, and only an allow that says so passes it.",
        13,
        fill=Ink.SOFT,
    )
    canvas.y += 10
    ordered = sorted(guards, key=lambda guard: _ORDER[guard.decide])
    bounds = GuardView("builtin.bounds", BOUNDS_TITLE, "deny", "person", "opaque", (), "")
    opaque = GuardView("builtin.opaque", OPAQUE_TITLE, "ask", "person", "opaque", (), "")
    for guard in [*ordered[:MOST_ROWS], bounds, opaque]:
        _separate(canvas, left, right, gap=3)
        top = canvas.y
        canvas.text(left + 20, top + 17, guard.title or guard.id, 14, within=420)
        tools = ", ".join(guard.tools) or "any tool"
        about = f"on {guard.kind} effects" if guard.kind else f"on calls of {tools}"
        canvas.text(left + 460, top + 17, about, 13, fill=Ink.SOFT, within=170)
        canvas.chip(left + CHIP - 20, top, guard.decide)
        x = left + AFTER_CHIP - 20
        canvas.text(x, top + 16, guard.id, 12, fill=Ink.SOFT, family=MONO, within=210)
        if guard.decide == "ask" and guard.approval == "person":
            x += min(210, width_of(guard.id, 12, MONO)) + 12
            canvas.text(x, top + 16, "needs a person", 12)
        canvas.y = top + 24
        for mark in marks_of(guard):
            canvas.lines_below(left + 20, mark, 13, fill=Ink.SOFT)
    _more(canvas, left, len(ordered) - MOST_ROWS, "guard")


def draw_off(canvas: Canvas, left: float, right: float, step: StepView) -> None:
    """A step of which these settings leave nothing: one thin, dashed line."""
    why = "; ".join(dict.fromkeys(item.why for item in step.off if item.why))
    top = canvas.y
    canvas.text(left + 20, top + 22, step.title, 14, fill=Ink.SOFT, bold=True, within=400)
    offset = left + 36 + min(400, width_of(step.title, 14, bold=True))
    canvas.y += 22
    canvas.lines(
        offset,
        f"off in these settings: {why}" if why else "nothing to do in these settings",
        13,
        right - offset - 20,
        fill=Ink.SOFT,
    )
    canvas.y += 12
    canvas.under(
        f'<rect x="{left}" y="{top}" width="{right - left}" height="{canvas.y - top:.0f}" rx="8" '
        f'fill="none" stroke="{Ink.LINE}" stroke-dasharray="5 4"/>'
    )
    canvas.y += 18


def draw_off_rules(canvas: Canvas, left: float, right: float, step: StepView) -> None:
    """The rules of a step that these settings switch off, in small letters."""
    if not step.off:
        return
    _separate(canvas, left, right)
    canvas.y -= 4
    for item in step.off:
        text = f"Off in these settings: {item.title or item.rule} ({item.why})"
        canvas.lines_below(left + 20, text, 12, fill=Ink.SOFT, width=right - left - 40)


def _separate(canvas: Canvas, left: float, right: float, gap: float = 9) -> None:
    canvas.y += gap
    canvas.rule(left + 20, right - 20)
    canvas.y += gap - 1


def _more(canvas: Canvas, left: float, count: int, what: str) -> None:
    if count > 0:
        canvas.lines_below(
            left + 20, f"… and {count:,} more {what}{'' if count == 1 else 's'}", 13, fill=Ink.SOFT
        )


def _heading(canvas: Canvas, left: float, rule: RuleView, step: StepView, width: float) -> None:
    """The rule's title and condition, from the current height."""
    title = rule.title if rule.title != step.title else ""
    if title:
        canvas.y += 18
        canvas.lines(left + 20, title, 14, width)
    if rule.condition:
        canvas.y += 18
        canvas.lines(
            left + 20, rule.condition, 13, width, fill=Ink.SOFT if title else Ink.TEXT, family=MONO
        )
    elif not title:
        canvas.y += 18
        canvas.text(left + 20, canvas.y, "always", 14)
    for mark in marks_of(rule):
        canvas.y += 18
        canvas.lines(left + 20, mark, 13, width, fill=Ink.SOFT)


def _row(
    canvas: Canvas, left: float, right: float, step: StepView, rule: RuleView, outcome: Outcome
) -> None:
    top = canvas.y
    _heading(canvas, left, rule, step, CHIP - 56)
    bottom = canvas.y + 6
    _outcome(canvas, left, right, top, outcome)
    canvas.y = max(canvas.y, bottom)


def _outcome(canvas: Canvas, left: float, right: float, top: float, outcome: Outcome) -> None:
    """The chip with the rule's id, what it lifts, and its reason; ends below them."""
    canvas.chip(left + CHIP - 20, top, outcome.verdict)
    canvas.y = top + 16
    x, width = left + AFTER_CHIP - 20, right - left - AFTER_CHIP
    parts = [
        (outcome.rule, Ink.SOFT, MONO),
        (DESPITE.get(outcome.despite or "", ""), Ink.TEXT, SANS),
        (outcome.reason and f"“{outcome.reason}”", Ink.SOFT, SANS),
    ]
    shown = [part for part in parts if part[0]]
    for index, (text, fill, family) in enumerate(shown):
        canvas.y += 17 if index else 0
        canvas.lines(x, text, 12, width, fill=fill, family=family)
    canvas.y = max(canvas.y + 6, top + 24)


def _consult(canvas: Canvas, left: float, right: float, step: StepView, rule: RuleView) -> None:
    if rule.condition or (rule.title and rule.title != step.title):
        _heading(canvas, left, rule, step, CHIP - 56)
        canvas.y += 8
    canvas.y += 18
    canvas.text(left + 20, canvas.y, QUESTIONS.get(rule.who, f"Ask {rule.who}"), 14, bold=True)
    canvas.y += 8
    rows = [*grouped_answers(rule), (("no answer yet",), Outcome("ask", f"{rule.id}.pending"))]
    for labels, outcome in rows:
        top = canvas.y + 4
        x = left + 40
        for label in labels:
            x += canvas.tag(x, top + 2, label) + 6
        _outcome(canvas, left, right, top, outcome)
