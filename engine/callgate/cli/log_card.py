"""One recorded decision, told in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.cli.card import card_of
from callgate.cli.log_table import safe
from callgate.cli.paint import Line, wrapped
from callgate.cli.writers import json_text

if TYPE_CHECKING:
    from callgate.record.entry import Entry

__all__ = ["record_lines"]

_LABEL: Final = 12
_PARTS: Final = {
    "observed": "observed",
    "obligations": "obliged to",
    "approved_actions": "approved",
}
_SPANS: Final = {"trace_id": "trace", "span_id": "span"}
_GATE: Final = {
    "walked": "walk gave",
    "kind": "kind",
    "notice": "notice",
    "request_id": "request",
    "grant_id": "grant",
    "digest": "digest",
}


def record_lines(entry: Entry, kept: bool, width: int) -> list[Line]:
    """The lines of a decision: as the card tells it, then what the record has besides. `kept`:
    whether the graph that decided is in the archive. Nothing that is stored acts on a terminal."""
    lines = [*_card(entry.record, width), []]
    for label, text in _rows(entry, kept):
        for index, part in enumerate(wrapped(text, width - _LABEL - 2)):
            lines.append([(f"  {'' if index else label:<{_LABEL}}", "dim"), (part, "")])
    return lines


def _card(record: Mapping[str, Any], width: int) -> list[Line]:
    """The card of the decision, or of what all decisions have where the rest is not what it has to
    be: records may be older, or written by others."""
    told = _escaped(record)
    try:
        return card_of(told, width)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        parts = {"step": "", "risk": "", "capabilities": [], "effects": [], "matched": []}
        policy = {name: str(told["policy"].get(name)) for name in ("bundle", "version", "digest")}
        plain = {**told, **parts, "pending": None, "assumed": [], "policy": policy}
        return card_of(plain, width)


def _rows(entry: Entry, kept: bool) -> Iterator[tuple[str, str]]:
    record, policy = entry.record, entry.record["policy"]
    time = record["timestamp"].replace("T", " ").replace("Z", " UTC")
    yield "decided", f"{time}, in {record['duration_us']:,} µs, by {safe(record['source'])}"
    yield "id", record["decision_id"]
    if type(error := record.get("error")) is dict:
        yield "error", f"{safe(error.get('code'))}: {safe(error.get('message'))}"
    call = record["call"]
    for name in ("args", "declared", "context") if type(call) is dict else ():
        if call.get(name):
            yield name, _json(call[name])
    if type(call) is not dict:
        yield "call", _json(call)
    for name, label in _PARTS.items():
        if record.get(name):
            yield label, _json(record[name])
    yield from _answers(record["answers"] or {}, record["gate"] or {})
    for name, label in _SPANS.items():
        if record.get(name):
            yield label, safe(record[name])
    yield "chain", f"{entry.chain} seq {entry.seq}"
    yield "hash", entry.hash
    yield "graph", f"{safe(policy.get('digest'))}, {'kept' if kept else 'not kept here'}"
    if record.get("settings_digest"):
        yield "settings", safe(record["settings_digest"])
    if record.get("versions"):
        yield "versions", _json(record["versions"])
    yield "walk", _walk(record, kept)


def _answers(answers: Mapping[str, Any], gate: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Who answered what, and what the gate made of it."""
    if not answers:
        yield "answered", "by nobody: nobody was asked, or nobody answered"
    for who, answer in answers.items():
        by = f", by {safe(gate['by'])}" if who == "human" and gate.get("by") else ""
        told = safe(answer) if type(answer) is str else _json(answer)
        yield "answered", f"{safe(who)}: {told}{by}"
    for name, label in _GATE.items():
        if gate.get(name):
            yield label, safe(gate[name]) or _json(gate[name])
    if gate.get("break_glass"):
        yield "break-glass", "let it pass"


def _walk(record: Mapping[str, Any], kept: bool) -> str:
    if record.get("rewalk") is not True:
        return f"can't be walked again: {safe(record.get('rewalk_why')) or 'it does not say why'}"
    return "can be walked again" if kept else "can't be walked again here: its graph is not kept"


def _json(value: Any) -> str:
    return safe(json_text(value))


def _escaped(value: Any) -> Any:
    """A JSON value whose texts, keys too, are safe to show."""
    if type(value) is str:
        return safe(value)
    if type(value) is list:
        return [_escaped(item) for item in value]
    if type(value) is dict:
        return {safe(key): _escaped(item) for key, item in value.items()}
    return value
