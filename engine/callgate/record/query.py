"""What is asked of the records: which decisions, and from when to when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from callgate.record.values import canonical

__all__ = ["DECISIONS", "Query", "part_of", "timestamp"]

DECISIONS: Final = ("allow", "ask", "deny")
"""What a record's `decision` can be."""

_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Query:
    """Which decisions are wanted; "" and None ask for nothing.

    `tool`: the tool as the policy knows it. `rule`: the one that decided, or any that matched.
    `sender`, `session`: of the call's context. `source`: what decided, such as `gate`. `since`,
    `until`: timestamps as records have them, inclusive. `limit`: how many at most.
    """

    tool: str = ""
    decision: str = ""
    rule: str = ""
    sender: str = ""
    session: str = ""
    source: str = ""
    since: str = ""
    until: str = ""
    limit: int | None = None

    def needles(self) -> list[bytes]:
        """Fragments of canonical JSON that all stand in the line of every decision that is wanted.
        Raises ValueError for text that isn't Unicode."""
        asked = {
            "tool": self.tool,
            "decision": self.decision,
            "rule": self.rule,
            "sender_id": self.sender,
            "session_key": self.session,
            "source": self.source,
        }
        return [
            b"%b:%b" % (canonical(key), canonical(value)) for key, value in asked.items() if value
        ]

    def matches(self, record: Mapping[str, Any]) -> bool:
        """Whether a decision is one that is wanted. `record`: one that is sound, as
        `callgate.record.entry` makes sure."""
        if self.decision and record["decision"] != self.decision:
            return False
        if self.tool and record["tool"] != self.tool:
            return False
        if self.source and record["source"] != self.source:
            return False
        if self.since and record["timestamp"] < self.since:
            return False
        if self.until and record["timestamp"] > self.until:
            return False
        if self.rule and record["rule"] != self.rule:
            if all(item["rule"] != self.rule for item in record["matched"]):
                return False
        if self.sender or self.session:
            context = part_of(record, "context")
            if self.sender and context.get("sender_id") != self.sender:
                return False
            if self.session and context.get("session_key") != self.session:
                return False
        return True


def part_of(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of a decision's call that is an object, such as `context`; empty where it is none, as
    in a call that was refused as it came."""
    call = record["call"]
    part = call.get(name) if type(call) is dict else None
    return part if type(part) is dict else _NOTHING


def timestamp(time: datetime | None) -> str:
    """A time as records have it; "" for None. `time`: with a time zone."""
    if time is None:
        return ""
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
