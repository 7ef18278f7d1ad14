"""Decisions as events of OPA's decision log, for tools that read those.

| OPA | from the record |
|---|---|
| `decision_id`, `timestamp` | the same |
| `trace_id`, `span_id` | the same, where there are any |
| `labels` | `app` (`callgate`), `id` (the chain), `version` (of the engine), `source` |
| `bundles` | the policy's bundle → `revision`: the digest of its graph |
| `path` | `callgate/decision` |
| `input` | the call: `tool`, `args`, `declared`, `context`; `observed` and `answers` where given |
| `result` | `allow` (whether it may run), `decision`, `reason`, `rule` and what else was decided |
| `masked` | pointers to the values of `input` with a hash in place of a secret |
| `error` | `code` and `message`, where the call could not be judged |
| `requested_by` | the sender, else the source |
| `metrics` | `timer_server_handler_ns`: how long it took |
| `req_id` | the record's number in its chain |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from callgate.record.entry import Entry

__all__ = ["opa_event"]

_PATH: Final = "callgate/decision"
_RESULT: Final = (
    "decision",
    "reason",
    "rule",
    "step",
    "approval_source",
    "risk",
    "capabilities",
    "matched",
    "approved_actions",
    "obligations",
    "pending",
)
_HASHED: Final = re.compile("secret-[0-9a-f]{16}")
_MARK: Final = b"secret-"


def opa_event(entry: Entry) -> dict[str, Any]:
    """The event of a decision, read whole."""
    record = entry.record
    call = record["call"] if type(record["call"]) is dict else {"call": record["call"]}
    given = {name: record[name] for name in ("observed", "answers") if record.get(name)}
    policy = record["policy"]
    event: dict[str, Any] = {
        "labels": {
            "app": "callgate",
            "id": entry.chain,
            "source": record["source"],
            "version": str(policy.get("engine", "")),
        },
        "decision_id": record["decision_id"],
        "bundles": {str(policy.get("bundle", "")): {"revision": str(policy.get("digest", ""))}},
        "path": _PATH,
        "input": {**call, **given},
        "result": {
            "allow": record["decision"] == "allow",
            **{name: record[name] for name in _RESULT if name in record},
        },
        "requested_by": _text(entry.part("context").get("sender_id")) or record["source"],
        "timestamp": record["timestamp"],
        "metrics": {"timer_server_handler_ns": record["duration_us"] * 1000},
        "req_id": entry.seq,
    }
    for name in ("trace_id", "span_id"):
        if identifier := _text(record.get(name)):
            event[name] = identifier
    error = record.get("error")
    if type(error) is dict:
        event["error"] = {name: _text(error.get(name)) for name in ("code", "message")}
    if _MARK in entry.line and (masked := list(_masked(event["input"], "/input"))):
        event["masked"] = masked
    return event


def _masked(value: Any, at: str) -> Iterator[str]:
    """JSON pointers to the texts in a value that hold the hash of a secret."""
    if type(value) is str:
        if _HASHED.search(value):
            yield at
    elif type(value) is dict:
        for key, item in value.items():
            yield from _masked(item, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from _masked(item, f"{at}/{index}")


def _text(value: Any) -> str:
    return value if type(value) is str else ""
