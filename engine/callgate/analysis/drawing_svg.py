"""The flow as an SVG picture: steps top to bottom, rules as rows, decisions as coloured chips.

The layout is a single column, so it needs no graph-drawing program: every part adds itself at the
current height. Decisions differ in colour, symbol and word.
"""

from __future__ import annotations

from typing import Final

from callgate.analysis.drawing_canvas import Canvas, Ink
from callgate.analysis.drawing_rows import draw_guards, draw_off, draw_off_rules, draw_rules
from callgate.analysis.drawing_text import MONO, width_of
from callgate.analysis.flow_view import FlowView, StepView
from callgate.analysis.texts import counted
from callgate.analysis.wording import title_of

__all__ = ["svg_of"]

WIDTH: Final = 1200
SPINE: Final = 52.0
LEFT: Final = 88.0
RIGHT: Final = 1168.0

_LEGEND: Final = (
    ("allow", "the call runs"),
    ("ask", "somebody is asked first"),
    ("deny", "the call does not run"),
    ("next", "the walk goes on"),
    ("note", "is only recorded"),
)

_LEGEND_OF_SECOND: Final = (
    ("show", "the model sees the tool"),
    ("hide", "it does not, for the reason beside it"),
    ("next", "the walk goes on"),
)


def svg_of(view: FlowView) -> str:
    """The SVG document of a flow."""
    canvas = Canvas(WIDTH)
    _head(canvas, view)
    top = canvas.y + 22
    number, last = 0, top
    for index, step in enumerate(view.steps):
        final = index == len(view.steps) - 1
        if not step.active:
            if final:
                continue
            canvas.circle(SPINE, canvas.y + 17, 5, fill="#ffffff", stroke=Ink.LINE, dashed=True)
            draw_off(canvas, LEFT, RIGHT, step)
            continue
        number += 1
        last = canvas.y
        canvas.circle(SPINE, canvas.y + 27, 15, fill=Ink.TEXT if final else Ink.BLUE)
        canvas.text(SPINE, canvas.y + 32, str(number), 14, fill="#ffffff", bold=True, middle=True)
        _card(canvas, view, step, final)
    canvas.under(
        f'<path d="M{SPINE} {top:.0f}V{last + 27:.0f}" stroke="{Ink.LINE}" stroke-width="2"/>'
    )
    decided = sum(len(step.rules) for step in view.steps)
    return canvas.document(
        title=f"Decision graph of {title_of(view)}",
        description=f"{counted(number, 'step')} from top to bottom with "
        f"{counted(decided, 'rule')}{_guards(view, ' and ')}. "
        + " ".join(f"{i}. {s.title}." for i, s in enumerate(_active(view), start=1)),
    )


def _guards(view: FlowView, before: str) -> str:
    """How many guards there are; the second flow has nothing to do with them."""
    return "" if view.flow else before + counted(len(view.guards), "guard")


def _active(view: FlowView) -> list[StepView]:
    return [step for step in view.steps if step.active]


def _head(canvas: Canvas, view: FlowView) -> None:
    rules = sum(len(step.rules) for step in view.steps)
    canvas.text(32, 52, title_of(view), 26, bold=True)
    counts = f"{counted(len(_active(view)), 'step')} · {counted(rules, 'rule')}"
    canvas.text(32, 78, counts + _guards(view, " · "), 14, fill=Ink.SOFT)
    canvas.text(RIGHT, 78, view.digest[:23] + "…", 12, fill=Ink.SOFT, family=MONO, end=True)
    canvas.text(
        32,
        106,
        f"A {'tool' if view.flow else 'call'} enters at the top. In each step the first rule that "
        "holds decides; where none does, the next step follows.",
        14,
    )
    x = 32.0
    for verdict, meaning in _LEGEND_OF_SECOND if view.flow else _LEGEND:
        canvas.chip(x, 122, verdict)
        x += 92
        canvas.text(x, 139, meaning, 13, fill=Ink.SOFT)
        x += width_of(meaning, 13) + 20
    canvas.y = 166


def _card(canvas: Canvas, view: FlowView, step: StepView, final: bool) -> None:
    top = canvas.y
    canvas.y += 32
    canvas.text(LEFT + 20, canvas.y, step.title, 17, bold=True, within=740)
    canvas.text(RIGHT - 20, canvas.y, step.id, 12, fill=Ink.SOFT, family=MONO, end=True, within=280)
    canvas.y += 10
    if step.condition:
        canvas.text(LEFT + 20, canvas.y + 15, "Only when", 13, fill=Ink.SOFT, bold=True)
        canvas.y += 15
        canvas.lines(LEFT + 104, step.condition, 13, RIGHT - LEFT - 130, family=MONO)
        canvas.y += 4
    if step.shows:
        canvas.lines_below(LEFT + 20, f"Finds the call’s {step.shows}, for the steps below.", 13)
    if step.guards:
        draw_guards(canvas, LEFT, RIGHT, view.guards)
    draw_rules(canvas, LEFT, RIGHT, step, final)
    draw_off_rules(canvas, LEFT, RIGHT, step)
    canvas.y += 14
    canvas.under(
        f'<rect x="{LEFT}" y="{top}" width="{RIGHT - LEFT}" height="{canvas.y - top:.0f}" rx="10" '
        f'fill="#ffffff" stroke="{Ink.LINE}"/>'
    )
    canvas.y += 18
