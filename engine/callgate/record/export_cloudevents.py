"""Decisions as CloudEvents 1.0, in the JSON format.

| CloudEvents | from the record |
|---|---|
| `specversion` | `1.0` |
| `id` | `decision_id` |
| `source` | `urn:callgate:` and the chain: with `id` unique |
| `type` | `callgate.decision.allow`, `….ask` or `….deny` |
| `subject` | the tool, where it has a name |
| `time` | `timestamp` |
| `datacontenttype` | `application/json` |
| `sequence` | the record's number in its chain, 16 digits (the extension of that name) |
| `traceparent` | the trace and span, where both are there (the distributed tracing extension) |
| `data` | the record, with `chain`, `seq` and `hash` |
"""

from __future__ import annotations

import re
from typing import Any, Final

from callgate.record.entry import Entry

__all__ = ["cloud_event"]

_TRACE: Final = re.compile("[0-9a-f]{32}")
_SPAN: Final = re.compile("[0-9a-f]{16}")


def cloud_event(entry: Entry) -> dict[str, Any]:
    """The event of a decision, read whole."""
    record = entry.record
    event: dict[str, Any] = {
        "specversion": "1.0",
        "id": record["decision_id"],
        "source": f"urn:callgate:{entry.chain}",
        "type": f"callgate.decision.{record['decision']}",
        "time": record["timestamp"],
        "datacontenttype": "application/json",
        "sequence": f"{entry.seq:016}",
    }
    if record["tool"]:
        event["subject"] = record["tool"]
    trace, span = record.get("trace_id"), record.get("span_id")
    if _is(_TRACE, trace) and _is(_SPAN, span):
        # Not sampled, as far as the record knows.
        event["traceparent"] = f"00-{trace}-{span}-00"
    event["data"] = entry.form()
    return event


def _is(pattern: re.Pattern[str], value: Any) -> bool:
    return type(value) is str and bool(value.strip("0")) and pattern.fullmatch(value) is not None
