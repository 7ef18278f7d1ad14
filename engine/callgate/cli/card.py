"""One decision, told in a few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callgate.cli.paint import MARKS, Line, wrapped

__all__ = ["card_of"]


def card_of(told: Mapping[str, Any], width: int) -> list[Line]:
    """The lines of a decision in its JSON form."""
    decision = told["decision"]
    name = (
        told["tool"]
        if told["tool"] == told["called_as"]
        else f"{told['called_as']} → {told['tool']}"
    )
    lines: list[Line] = [
        [(f"{MARKS[decision]} {decision}", decision), ("  ", ""), (name, "strong")]
    ]
    rows: list[tuple[str, str]] = [("reason", told["reason"]), ("rule", told["rule"])]
    if told["step"]:
        rows.append(("step", told["step"]))
    if told["risk"]:
        rows.append(("risk", told["risk"]))
    if told["capabilities"]:
        rows.append(("can", ", ".join(told["capabilities"])))
    rows.extend(
        (item["decide"], f"{item['rule']}: {item['reason']}{_mark(item)}")
        for item in told["matched"]
        if item["rule"] != told["rule"]
    )
    rows.extend(("would", _effect(effect)) for effect in told["effects"][:12])
    if len(told["effects"]) > 12:
        rows.append(("would", f"… and {len(told['effects']) - 12} more"))
    if told["pending"]:
        outcomes = " or ".join(told["pending"]["outcomes"]) or "ask"
        rows.append(("waits for", f"{told['pending']['consult']}, then {outcomes}"))
    if told["assumed"]:
        rows.append(("assumed", ", ".join(told["assumed"])))
    policy = told["policy"]
    rows.append(("policy", f"{policy['bundle']} {policy['version']} {policy['digest'][:19]}"))
    return [*lines, *_table(rows, width)]


def _mark(item: Mapping[str, Any]) -> str:
    """Why something that matched decides nothing; empty where it does."""
    if "exception" in item:
        return f" (not so: exception {item['exception']})"
    return " (a shadow: decides nothing)" if "enforce" in item else ""


def _table(rows: Sequence[tuple[str, str]], width: int) -> list[Line]:
    lines: list[Line] = []
    last = ""
    for label, text in rows:
        for index, part in enumerate(wrapped(text, width - 14)):
            shown = label if index == 0 and label != last else ""
            lines.append([(f"  {shown:<12}", "dim"), (part, "")])
        last = label
    return lines


def _effect(effect: Mapping[str, Any]) -> str:
    """An effect in a phrase: its kind, and the fields that say something."""
    unknown = effect.get("unresolved", ())
    parts = [str(effect["kind"])]
    for name, value in effect.items():
        if name in ("kind", "certain", "span", "through", "unresolved"):
            continue
        if name in unknown:
            parts.append(f"{name}=(not known)")
        elif isinstance(value, list):
            words = ", ".join("?" if item is None else str(item) for item in value)
            parts.append(f"{name}=[{words}]")
        elif value is True:
            parts.append(name)
        elif value not in (None, False, ""):
            parts.append(str(value) if name in ("path", "url", "program") else f"{name}={value}")
    if not effect["certain"]:
        parts.append("(perhaps)")
    return " ".join(parts)
