"""Decisions as other programs read them, held against what their formats require."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest

from callgate.record.entry import Entry, entry_of
from callgate.record.export_cloudevents import cloud_event
from callgate.record.export_ocsf import ocsf_event
from callgate.record.export_opa import opa_event
from callgate.record.line import NO_HASH, envelope
from callgate.record.values import canonical, encode
from tests.record.decisions import POLICY, id_of, made, match, time_of

A = "a" * 32
TRACE, SPAN = "1" * 32, "2" * 16

RECORDS: dict[str, dict[str, Any]] = {
    "allowed": made(1),
    "by a person": made(2, approval_source="human", answers={"human": "once"}),
    "denied": made(3, decision="deny", matched=[match("tiers.write"), match("a.b", decide="deny")]),
    "asked": made(4, decision="ask", pending={"consult": "human", "outcomes": ["allow"]}),
    "refused by a person": made(5, decision="deny", answers={"human": "deny"}),
    "no answer": made(6, decision="deny", gate={"kind": "approval_timeout", "request_id": "q"}),
    "failed": made(7, decision="deny", error={"code": "R001", "message": "no call"}),
    "break-glass": made(8, gate={"kind": "", "break_glass": True}),
    "no call": made(9, call=None, tool="", called_as="", id=None, decision="deny"),
    "odd call": made(9, call={"tool": 5, "args": 3, "context": 7}, error="?", policy={}),
    "traced": made(10, trace_id=TRACE, span_id=SPAN),
    "of a shadow": made(11, matched=[match("s", enforce=False), match("x", exception="e")]),
    "odd values": made(12, matched=[{"rule": "a"}], policy=dict.fromkeys(POLICY, 5)),
    "values": made(13, call={"tool": "t", "args": {"f": 0.5, "é": 2**70}}),
}


def entry(name: str) -> Entry:
    """The entry of a record."""
    line = envelope(A, NO_HASH, canonical(encode(RECORDS[name])), 42)
    found = entry_of(line)
    assert found is not None
    return found


# -- OPA

_OPA_NAMES = {
    *("labels", "decision_id", "trace_id", "span_id", "bundles", "path", "query", "input"),
    *("result", "mapped_result", "nd_builtin_cache", "erased", "masked", "error", "requested_by"),
    *("timestamp", "metrics", "req_id", "request_context", "batch_decision_id"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_opa_events_have_its_names_and_types(name: str) -> None:
    event = opa_event(entry(name))
    assert set(event) <= _OPA_NAMES
    assert all(type(text) is str for pair in event["labels"].items() for text in pair)
    ((bundle, about),) = event["bundles"].items()
    assert type(bundle) is str
    assert set(about) == {"revision"}
    assert type(about["revision"]) is str
    assert type(event["metrics"]["timer_server_handler_ns"]) is int
    assert type(event["req_id"]) is int
    assert event["result"]["allow"] is (RECORDS[name]["decision"] == "allow")
    assert event["result"]["decision"] == RECORDS[name]["decision"]
    assert datetime.fromisoformat(event["timestamp"]).tzinfo is not None
    for text in ("decision_id", "path", "requested_by", "trace_id", "span_id"):
        assert type(event.get(text, "x")) is str
        assert event.get(text, "x")


def test_an_opa_event() -> None:
    event = opa_event(entry("traced"))
    assert event["labels"] == {"app": "callgate", "id": A, "source": "gate", "version": "0.1.0"}
    assert event["bundles"] == {"acme": {"revision": POLICY["digest"]}}
    assert event["input"] == {**made(10)["call"], "observed": {"time": time_of(10)}}
    assert event["result"]["rule"] == "tiers.write"
    assert (event["trace_id"], event["span_id"]) == (TRACE, SPAN)
    assert (event["requested_by"], event["req_id"]) == ("user_1", 42)
    assert event["metrics"] == {"timer_server_handler_ns": 1_500_000}
    assert "masked" not in event
    assert "error" not in event
    failed = opa_event(entry("failed"))
    assert failed["error"] == {"code": "R001", "message": "no call"}
    assert opa_event(entry("no call"))["requested_by"] == "gate"


def test_an_opa_event_says_what_is_masked() -> None:
    token = "secret-0123456789abcdef"
    args = {"a/b": {"c~d": ["x", f"-H {token}"]}, "n": token, "no": "secret-0123", token: 1}
    record = made(1, call={"tool": "t", "args": args}, answers={"human": token})
    found = entry_of(envelope(A, NO_HASH, canonical(record), 1))
    assert found is not None
    masked = ["/input/answers/human", "/input/args/a~1b/c~0d/1", "/input/args/n"]
    assert sorted(opa_event(found)["masked"]) == masked


# -- OCSF

_REQUIRED = {
    "activity_id": int,
    "category_uid": int,
    "class_uid": int,
    "metadata": dict,
    "severity_id": int,
    "time": int,
    "type_uid": int,
    "actor": dict,
    "api": dict,
    "src_endpoint": dict,
}


@pytest.mark.parametrize("name", RECORDS)
def test_ocsf_events_have_what_is_required(name: str) -> None:
    event = ocsf_event(entry(name))
    for key, kind in _REQUIRED.items():
        assert type(event[key]) is kind, key
    assert (event["class_uid"], event["category_uid"]) == (6003, 6)
    assert event["type_uid"] == event["class_uid"] * 100 + event["activity_id"]
    assert event["activity_id"] in (0, 1, 2, 3, 4, 99)
    # 99 is for what OCSF has no number for: then its name tells it.
    assert event["activity_name"]
    assert event["severity_id"] in range(1, 7)
    assert event["action_id"] in (1, 2, 99)
    assert event["metadata"]["version"] == "1.8.0"
    assert event["metadata"]["profiles"] == ["security_control"]
    assert set(event["metadata"]["product"]) == {"name", "vendor_name", "version"}
    assert event["api"]["operation"]
    assert any(event["actor"].get(key) for key in ("app_name", "user", "session"))
    assert event["src_endpoint"]["name"]
    for item in event["authorizations"]:
        assert set(item) == {"decision", "policy"}
        assert type(item["decision"]) is str
        assert type(item["policy"].pop("is_applied")) is bool
        assert {type(text) for text in item["policy"].values()} == {str}


@pytest.mark.parametrize(
    ("name", "severity", "status", "action", "disposition"),
    [
        ("allowed", 1, 1, 1, (1, "Allowed")),
        ("by a person", 1, 1, 1, (8, "Approved")),
        ("denied", 3, 2, 2, (2, "Blocked")),
        ("asked", 2, 99, 99, (23, "Challenge")),
        ("refused by a person", 3, 2, 2, (25, "Rejected")),
        ("no answer", 3, 2, 2, (25, "Rejected")),
        ("failed", 4, 2, 2, (27, "Error")),
        ("break-glass", 4, 1, 1, (1, "Allowed")),
    ],
)
def test_what_an_ocsf_event_says(
    name: str, severity: int, status: int, action: int, disposition: tuple[int, str]
) -> None:
    event = ocsf_event(entry(name))
    assert (event["severity_id"], event["status_id"], event["action_id"]) == (
        severity,
        status,
        action,
    )
    assert (event["disposition_id"], event["disposition"]) == disposition


def test_an_ocsf_event() -> None:
    event = ocsf_event(entry("traced"))
    seconds = datetime.fromisoformat(time_of(10)).timestamp()
    assert event["time"] == seconds * 1000
    assert event["duration"] == 1
    assert event["actor"] == {
        "app_name": "gate",
        "user": {"uid": "user_1"},
        "session": {"uid": "s:1"},
    }
    assert event["api"] == {
        "operation": "exec",
        "request": {"uid": "c10"},
        "service": {"name": "builder"},
    }
    assert event["src_endpoint"] == {"name": "cli"}
    assert event["metadata"]["uid"] == id_of(10)
    assert (event["metadata"]["log_name"], event["metadata"]["sequence"]) == (A, 42)
    assert event["metadata"]["correlation_uid"] == TRACE
    assert event["unmapped"]["policy_digest"] == POLICY["digest"]
    assert ocsf_event(entry("failed"))["api"]["response"]["error"] == "R001"


def test_ocsf_authorizations_tell_what_counts() -> None:
    def told(name: str) -> list[tuple[str, str, bool]]:
        return [
            (item["policy"]["uid"], item["decision"], item["policy"]["is_applied"])
            for item in ocsf_event(entry(name))["authorizations"]
        ]

    assert told("denied") == [("tiers.write", "deny", True), ("a.b", "deny", True)]
    assert told("of a shadow") == [
        ("tiers.write", "allow", True),
        ("s", "ask", False),
        ("x", "ask", False),
    ]


# -- CloudEvents

_ATTRIBUTES = ("specversion", "id", "source", "type")
_CE_NAMES = {*_ATTRIBUTES, "subject", "time", "datacontenttype", "sequence", "traceparent", "data"}


@pytest.mark.parametrize("name", RECORDS)
def test_cloud_events_have_what_is_required(name: str) -> None:
    event = cloud_event(entry(name))
    assert set(event) <= _CE_NAMES
    assert all(re.fullmatch("[a-z0-9]{1,20}", key) for key in event)
    for key in event.keys() - {"data"}:
        assert type(event[key]) is str, key
        assert event[key], key
    assert event["specversion"] == "1.0"
    assert re.fullmatch(r"urn:[a-z]+:[0-9a-f]+", event["source"])
    assert event["type"] == f"callgate.decision.{RECORDS[name]['decision']}"
    assert datetime.fromisoformat(event["time"]).tzinfo is not None
    assert event["datacontenttype"] == "application/json"
    assert event["data"] == {**RECORDS[name], "chain": A, "seq": 42, "hash": entry(name).hash}


def test_a_cloud_event() -> None:
    event = cloud_event(entry("traced"))
    assert (event["id"], event["source"]) == (id_of(10), f"urn:callgate:{A}")
    assert (event["subject"], event["sequence"]) == ("exec", "0000000000000042")
    assert event["traceparent"] == f"00-{TRACE}-{SPAN}-00"
    assert "traceparent" not in cloud_event(entry("allowed"))
    assert "subject" not in cloud_event(entry("no call"))
