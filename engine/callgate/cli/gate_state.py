"""What operators have set for the gates of a state folder, as people and programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callgate.cli.paint import Line
from callgate.cli.state_record import at_text

if TYPE_CHECKING:
    from callgate.gate.control import Control

__all__ = ["gate_form", "gate_lines"]

_LABEL = 13
_PINNED = "yes: gates go by this version, with the settings it was made with, until the next reload"


def gate_form(control: Control) -> dict[str, Any]:
    """It as JSON: `wanted` is the digest that was last put in force, None before the first;
    `pinned`: somebody went back to it; `frozen`, `break_glass`: who, when and why, or None."""
    state = control.read()
    frozen = state.frozen
    glass = state.break_glass if frozen is not None else control.glass()
    return {
        "wanted": state.digest,
        "generation": state.generation,
        "pinned": state.pinned,
        "frozen": frozen and {"by": frozen.by, "at": at_text(frozen.at), "why": frozen.why},
        "break_glass": glass
        and {
            "by": glass.by,
            "at": at_text(glass.at),
            "until": at_text(glass.until),
            "why": glass.why,
        },
    }


def gate_lines(form: dict[str, Any]) -> list[Line]:
    """Lines for what `gate_form` gives, without anything that a terminal would obey."""
    frozen, glass = form["frozen"], form["break_glass"]
    lines: list[Line] = []
    if form["wanted"] is None:
        lines.append(_row("wanted", ("what each gate's own bundle and settings give", "")))
    else:
        lines.append(_row("wanted", (form["wanted"], "strong")))
    if form["pinned"]:
        lines.append(_row("pinned", (_PINNED, "ask")))
    else:
        lines.append(_row("pinned", ("no", "")))
    if frozen is None:
        lines.append(_row("frozen", ("no", "")))
    else:
        lines.append(_row("frozen", ("yes", "deny"), (f", {_said(frozen)}", "")))
    if glass is None:
        lines.append(_row("break-glass", ("no", "")))
    else:
        no = ", without effect while frozen" if frozen is not None else ""
        text = f"until {glass['until']}{no}"
        lines.append(_row("break-glass", (text, "ask"), (f", {_said(glass)}", "")))
    return lines


def _said(entry: dict[str, Any]) -> str:
    from callgate.runtime.masking import escape

    by = f", by {escape(entry['by'])}" if entry["by"] else ""
    why = f": {escape(entry['why'])}" if entry["why"] else ""
    return f"since {entry['at']}{by}{why}"


def _row(label: str, *told: tuple[str, str]) -> Line:
    return [(f"  {label:<{_LABEL}}", "dim"), *told]
