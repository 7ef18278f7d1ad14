"""One decision, told in a few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callgate.analysis.effect_wording import phrase_of
from callgate.cli.paint import MARKS, Line, wrapped
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

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
    rows.extend(("effects", _effect(effect)) for effect in told["effects"][:12])
    if len(told["effects"]) > 12:
        rows.append(("effects", f"… and {len(told['effects']) - 12} more"))
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


def _effect(form: Mapping[str, Any]) -> str:
    """An effect of the JSON form in a phrase."""
    unknown = form.get("unresolved", ())
    fields = {name: UNKNOWN if name in unknown else _value(form[name]) for name in form}
    return phrase_of(Effect(form["kind"], fields, form["certain"]), str, "(not known)")


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return [UNKNOWN if item is None else item for item in value]
    return value
