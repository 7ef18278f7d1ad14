"""A gate in a program that uses OpenTelemetry: its answers are events on the caller's span, on
whichever thread they are recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from callgate.gate.gate import ApprovalGate
from callgate.gate.state import StateFolder
from callgate.record.json_lines import JsonLines
from callgate.record.recorder import Recorder
from tests.gate.gating import Seen, call, engine


def events(gate: ApprovalGate, times: int = 1) -> tuple[Any, list[dict[str, Any]]]:
    """A gate's last answer, and the attributes of the events about all of them."""
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))

    async def turn() -> Any:
        with provider.get_tracer("agent").start_as_current_span("turn"):
            for _ in range(times):
                approval = await gate.check(call("run", command="git status"))
        return approval

    approval = asyncio.run(turn())
    (span,) = spans.get_finished_spans()
    return approval, [dict(event.attributes or {}) for event in span.events]


@pytest.mark.parametrize("sync", ["written", "each"])
def test_each_answer_is_an_event_on_the_span(sync: Any, tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records", sync=sync)
    recorder = Recorder(store)
    # The first is recorded in a thread, where all is made ready; the others are only if they wait.
    approval, told = events(ApprovalGate(engine(), observer=Seen(), records=recorder), times=2)
    assert approval.allowed
    assert [event["callgate.decision.outcome"] for event in told] == ["allow", "allow"]
    assert all(event["callgate.decision.recorded"] for event in told)
    for event in told:
        line = store.line_of(event["callgate.decision.id"])
        assert line is not None
        assert len(orjson.loads(line)["record"]["span_id"]) == 16
    recorder.close()
    store.close()


@pytest.mark.parametrize(("required", "outcome"), [(True, "deny"), (False, "allow")])
def test_what_can_not_be_recorded_is_told_as_it_was_answered(
    required: bool, outcome: str, tmp_path: Path
) -> None:
    store = JsonLines(tmp_path / "records")
    (tmp_path / "records" / "key").write_bytes(b"too short")
    recorder = Recorder(store, required=required)
    approval, told = events(ApprovalGate(engine(), observer=Seen(), records=recorder))
    assert ("allow" if approval.allowed else "deny") == outcome
    (event,) = told
    assert event["callgate.decision.outcome"] == outcome
    assert event["callgate.decision.recorded"] is False


def test_records_that_can_not_be_opened_are_told_as_well(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / "state")
    (state.path / "records").write_text("no folder")
    approval, told = events(ApprovalGate(engine(), observer=Seen(), state=state))
    assert approval.kind == "approval_unavailable"
    (event,) = told
    assert event["callgate.decision.outcome"] == "deny"
    assert event["callgate.decision.recorded"] is False
