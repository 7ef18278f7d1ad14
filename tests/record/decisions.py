"""Records of decisions as the gate makes them, written by hand."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from callgate.record.chained import ChainedStore
from callgate.record.json_lines import JsonLines
from callgate.record.values import canonical, encode

BEGIN = datetime(2099, 11, 1, 9, tzinfo=UTC)
"""Later than the marks of the segments, which are made now."""
POLICY = {"bundle": "acme", "version": "1.2.0", "digest": "sha256:" + "d" * 64, "engine": "0.1.0"}


def id_of(number: int) -> str:
    """The id of the decision of that number; no two begin with the same 8 digits."""
    return f"{number:08x}" + "5" * 24


def time_of(number: int) -> str:
    """Its time: a minute after that of the one before."""
    time = BEGIN + timedelta(minutes=number)
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def made(number: int, **more: Any) -> dict[str, Any]:
    """A decision, with some keys replaced."""
    tool = more.get("tool", "exec")
    return {
        "answers": {},
        "approval_source": "auto",
        "approved_actions": [tool],
        "assumed": [],
        "call": {
            "args": {"command": f"make target-{number}"},
            "context": {"channel": "cli", "sender_id": f"user_{number % 3}", "session_key": "s:1"},
            "declared": {"mcp_server": "builder"},
            "tool": "bash",
        },
        "called_as": "bash",
        "capabilities": ["process.exec"],
        "decision": "allow",
        "decision_id": id_of(number),
        "duration_us": 1500,
        "effects": [{"certain": True, "kind": "delete", "path": "/srv/x", "recursive": True}],
        "error": None,
        "gate": None,
        "id": f"c{number}",
        "kind": "decision",
        "live": True,
        "matched": [],
        "obligations": [],
        "observed": {"time": time_of(number)},
        "pending": None,
        "policy": POLICY,
        "reason": f"reason {number}",
        "rewalk": True,
        "rewalk_why": "",
        "risk": "exec",
        "rule": "tiers.write",
        "settings_digest": "sha256:" + "e" * 64,
        "source": "gate",
        "span_id": "",
        "step": "tiers",
        "timestamp": time_of(number),
        "tool": tool,
        "trace": [{"condition": "c", "file": "f", "line": 1, "node": 1, "step": "s", "value": 1}],
        "trace_id": "",
        "versions": {"engine": "0.1.0", "parsers": {}},
        **more,
    }


def match(rule: str, **more: Any) -> dict[str, Any]:
    """An entry of `matched`."""
    return {"rule": rule, "decide": "ask", "approval": "any", "reason": f"{rule} it is", **more}


def put(store: ChainedStore, records: Iterable[dict[str, Any]]) -> str:
    """Write decisions to a store; gives the chain."""
    lane = store.lane()
    for record in records:
        lane.append(canonical(encode(record)))
    return lane.chain


def filled(folder: Path, records: Iterable[dict[str, Any]]) -> Path:
    """Make a store of decisions in a folder; gives the folder."""
    store = JsonLines(folder)
    put(store, records)
    store.close()
    return folder
