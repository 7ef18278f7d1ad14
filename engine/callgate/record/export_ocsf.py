"""Decisions as events of OCSF 1.8: class API Activity (6003), profile Security Control.

| OCSF | from the record |
|---|---|
| `class_uid`, `category_uid` | 6003 API Activity, 6 Application Activity |
| `activity_id`, `type_uid` | 99 Other, `activity_name` being the tool; 600399 |
| `time`, `duration` | `timestamp` and `duration_us`, in milliseconds |
| `severity_id` | 1 Informational allowed, 2 Low asked, 3 Medium denied; 4 High: could not be judged, or passed by break-glass |
| `status_id` | 1 Success allowed, 2 Failure denied, 99 Other asked; `status_detail`: the reason |
| `action_id` | 1 Allowed, 2 Denied, 99 Other asked |
| `disposition_id` | 1 Allowed; 8 Approved by a person; 2 Blocked by the policy; 25 Rejected: asked for and not approved; 23 Challenge: to be asked for; 27 Error |
| `authorizations` | first the rule that decided, then those that matched: `decision`, and `policy` with `uid` (the rule), `name`, `version` (of the bundle), `desc` (the reason) and `is_applied` (false of shadows, and where an exception counts) |
| `actor` | `user.uid` the sender, `session.uid` the session, `app_name` the agent, else the source |
| `api` | `operation` the tool, `request.uid` the call's id, else the decision's, `service.name` the MCP server |
| `src_endpoint` | `name`: the channel, else `unknown` |
| `metadata` | `uid` the decision's id, `log_name` the chain, `sequence` the number in it, `correlation_uid` the trace |
| `unmapped` | what OCSF has no place for: the call's arguments, the graph's digest, the hash of the record |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from callgate.record.entry import Entry

__all__ = ["ocsf_event"]

_CLASS: Final = 6003
_OTHER: Final = 99
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)

_ACTIONS: Final = {"allow": (1, "Allowed"), "deny": (2, "Denied"), "ask": (_OTHER, "Asked")}
_STATUS: Final = {"allow": (1, "Success"), "deny": (2, "Failure"), "ask": (_OTHER, "Asked")}
_SEVERITY: Final = {"allow": (1, "Informational"), "ask": (2, "Low"), "deny": (3, "Medium")}
_HIGH: Final = (4, "High")
_ASKED_KINDS: Final = ("approval_denied", "approval_timeout", "approval_pending")


def ocsf_event(entry: Entry) -> dict[str, Any]:
    """The event of a decision, read whole."""
    record, context = entry.record, entry.part("context")
    decision = record["decision"]
    glass = bool((record["gate"] or {}).get("break_glass"))
    severity = _HIGH if record.get("error") or glass else _SEVERITY[decision]
    disposition = _disposition(record)
    return {
        "activity_id": _OTHER,
        "activity_name": record["tool"] or "unknown",
        "category_uid": _CLASS // 1000,
        "category_name": "Application Activity",
        "class_uid": _CLASS,
        "class_name": "API Activity",
        "type_uid": _CLASS * 100 + _OTHER,
        "time": (datetime.fromisoformat(record["timestamp"]) - _EPOCH) // _MILLISECOND,
        "duration": record["duration_us"] // 1000,
        "severity_id": severity[0],
        "severity": severity[1],
        "status_id": _STATUS[decision][0],
        "status": _STATUS[decision][1],
        "status_detail": record["reason"],
        "message": f"{decision} {record['tool']}: {record['reason']}",
        "action_id": _ACTIONS[decision][0],
        "action": _ACTIONS[decision][1],
        "disposition_id": disposition[0],
        "disposition": disposition[1],
        "authorizations": list(_authorizations(record)),
        "actor": _actor(record, context),
        "api": _api(entry),
        "src_endpoint": {"name": _text(context.get("channel")) or "unknown"},
        "metadata": _metadata(entry),
        "unmapped": {
            "args": entry.part("args"),
            "capabilities": record.get("capabilities"),
            "hash": entry.hash,
            "policy_digest": _text(record["policy"].get("digest")),
            "risk": record.get("risk"),
            "source": record["source"],
        },
    }


def _disposition(record: Mapping[str, Any]) -> tuple[int, str]:
    decision, answers = record["decision"], record["answers"] or {}
    if record.get("error"):
        return 27, "Error"
    if decision == "allow":
        human = record.get("approval_source") == "human"
        return (8, "Approved") if human else (1, "Allowed")
    if decision == "ask":
        return 23, "Challenge"
    asked = (record["gate"] or {}).get("kind") in _ASKED_KINDS
    return (25, "Rejected") if asked or "human" in answers else (2, "Blocked")


def _authorizations(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield _authorization(record, record["rule"], record["decision"], record["reason"], True)
    for item in record["matched"]:
        if item["rule"] != record["rule"]:
            applied = "exception" not in item and "enforce" not in item
            told = _text(item.get("decide")), _text(item.get("reason"))
            yield _authorization(record, item["rule"], *told, applied)


def _authorization(
    record: Mapping[str, Any], rule: str, decision: str, reason: str, applied: bool
) -> dict[str, Any]:
    policy = {
        "uid": rule,
        "name": _text(record["policy"].get("bundle")),
        "version": _text(record["policy"].get("version")),
        "desc": reason,
        "is_applied": applied,
    }
    return {"decision": decision, "policy": policy}


def _actor(record: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, Any]:
    actor: dict[str, Any] = {"app_name": _text(context.get("agent_id")) or record["source"]}
    if sender := _text(context.get("sender_id")) or _text(context.get("user_id")):
        actor["user"] = {"uid": sender}
    if session := _text(context.get("session_key")):
        actor["session"] = {"uid": session}
    return actor


def _api(entry: Entry) -> dict[str, Any]:
    record = entry.record
    api: dict[str, Any] = {
        "operation": record["tool"] or "unknown",
        "request": {"uid": _text(record.get("id")) or record["decision_id"]},
    }
    if server := _text(entry.part("declared").get("mcp_server")):
        api["service"] = {"name": server}
    error = record.get("error")
    if type(error) is dict:
        told = {"error": _text(error.get("code")), "error_message": _text(error.get("message"))}
        api["response"] = told
    return api


def _metadata(entry: Entry) -> dict[str, Any]:
    record = entry.record
    metadata: dict[str, Any] = {
        "version": "1.8.0",
        "profiles": ["security_control"],
        "product": {
            "name": "Callgate",
            "vendor_name": "Callgate",
            "version": _text(record["policy"].get("engine")),
        },
        "uid": record["decision_id"],
        "log_name": entry.chain,
        "sequence": entry.seq,
        "original_time": record["timestamp"],
    }
    if trace := _text(record.get("trace_id")):
        metadata["correlation_uid"] = trace
    return metadata


def _text(value: Any) -> str:
    return value if type(value) is str else ""
