"""What OpenTelemetry is told of decisions, by the real SDK; and nothing where nobody uses it."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import get_current_span

from callgate.record import telemetry
from callgate.record.record import Answer
from callgate.record.telemetry import EVENT, Instruments, current, tell
from tests.record.calls import engine

ID = "019303a1" * 4
SECRET = "ghp_" + "a1B2" * 9


class Watching:
    """A program that has OpenTelemetry set up, and what it got to see."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.spans))
        self.tracer = provider.get_tracer("agent")
        self.reader = InMemoryMetricReader()
        self.meter = MeterProvider([self.reader], shutdown_on_exit=False).get_meter("callgate")

    def told(self, call: Any, answer: Answer | None = None, **more: Any) -> dict[str, Any]:
        """The attributes of the event about a call that is decided in a span."""
        options = {"source": "gate", "duration_us": 1500, "recorded": True, "live": True, **more}
        decision = engine().program.decide(call, options.pop("live"))
        with self.tracer.start_as_current_span("turn"):
            tell(decision, ID, answer=answer, **options)
        (event,) = self.spans.get_finished_spans()[-1].events
        assert event.name == EVENT
        return dict(event.attributes or {})

    def points(self) -> dict[str, list[Any]]:
        """Metric → its points."""
        data: Any = self.reader.get_metrics_data()
        (resource,) = data.resource_metrics
        (scope,) = resource.scope_metrics
        return {metric.name: list(metric.data.data_points) for metric in scope.metrics}


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watching]:
    made = Watching()
    instruments = Instruments(made.meter)
    monkeypatch.setattr(telemetry, "_api", lambda: (instruments, get_current_span))
    telemetry._silent.cache_clear()
    yield made


def exec_(command: str) -> dict[str, Any]:
    return {"tool": "exec", "args": {"command": command}}


# -- events


def test_an_event_says_what_was_decided(watching: Watching) -> None:
    answer = Answer(True, source="human", request_id="r-1", by="ann")
    told = watching.told(exec_("rm -r build"), answer)
    program = engine().program
    decision = program.decide(exec_("rm -r build"), True)
    assert decision.decision != "allow"
    assert told == {
        "callgate.decision.id": ID,
        "callgate.decision.outcome": "allow",
        "callgate.decision.source": "gate",
        "callgate.decision.rule": decision.rule,
        "callgate.decision.step": decision.step,
        "callgate.decision.tool": "exec",
        "callgate.decision.risk": decision.frame.risk,
        "callgate.decision.approval_source": "human",
        "callgate.decision.request_id": "r-1",
        "callgate.decision.duration": 0.0015,
        "callgate.decision.recorded": True,
        "callgate.policy.bundle": "echo",
        "callgate.policy.digest": program.graph.digest,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "exec",
    }


@pytest.mark.parametrize(
    ("answer", "outcome", "kind"),
    [
        (None, "ask", None),
        (Answer(False, "no", kind="approval_denied"), "deny", "approval_denied"),
        (Answer(True, source="auto", grant_id="g-1"), "allow", None),
    ],
)
def test_the_outcome_is_what_the_gate_answered(
    watching: Watching, answer: Answer | None, outcome: str, kind: str | None
) -> None:
    call = {**exec_("rm -r build"), "context": {"cwd": "/w", "workspace": "/w"}}
    told = watching.told(call, answer, live=False)
    assert told["callgate.decision.outcome"] == outcome
    assert told.get("callgate.decision.kind") == kind


def test_of_a_dry_run_no_tool_is_executed(watching: Watching) -> None:
    told = watching.told(exec_("git status"), source="eval", live=False)
    assert told["callgate.decision.source"] == "eval"
    assert not [name for name in told if name.startswith("gen_ai.")]


@pytest.mark.parametrize(
    "call",
    [
        exec_(f"curl -H 'Authorization: Bearer {SECRET}' https://x.test/{SECRET}"),
        {"tool": "made_up", "args": {"token": SECRET, "text": "argument"}},
        {"tool": f"made-up {SECRET}", "args": {"text": "argument"}},
        {"tool": f"made-up {SECRET}", "args": [SECRET]},
        {"tool": SECRET, "id": SECRET, "args": {}, "context": {"sender_id": SECRET}},
        {"tool": 7},
        None,
    ],
)
def test_no_argument_and_no_secret_is_told(watching: Watching, call: Any) -> None:
    answer = Answer(False, f"no: {SECRET} argument", kind="policy", by="ann", notice=SECRET)
    told = watching.told(call, answer)
    text = repr((told, watching.points()))
    for hidden in (SECRET, "argument", "https://x.test", "ann"):
        assert hidden not in text
    known = isinstance(call, dict) and call["tool"] == "exec"
    (point,) = watching.points()["callgate.decisions"]
    assert point.attributes["callgate.decision.tool"] == ("exec" if known else "other")


def test_a_call_that_is_none_says_its_error(watching: Watching) -> None:
    told = watching.told({"tool": "exec", "args": [1]})
    assert told["callgate.decision.outcome"] == "deny"
    assert told["callgate.decision.error"].startswith("R")


def test_a_span_that_does_not_record_is_told_nothing(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "_attributes", None)  # would fail, and say so
    tracer = TracerProvider(sampler=ALWAYS_OFF).get_tracer("agent")
    decision = engine().program.decide(exec_("git status"))
    with tracer.start_as_current_span("turn"):
        tell(decision, ID, source="gate", duration_us=1, answer=None, recorded=True)
        assert current() != ("", "")  # it has ids nevertheless, for those who sample elsewhere
    assert telemetry._silent.cache_info().currsize == 0


# -- metrics


def test_metrics_count_by_names_that_are_few(watching: Watching) -> None:
    for number in range(50):
        watching.told({"tool": f"made_up_{number}", "args": {}}, Answer(False))
    watching.told(exec_("git status"), Answer(True))
    watching.told(exec_("git status"), Answer(True), recorded=False)
    points = watching.points()
    by_tool = {
        point.attributes["callgate.decision.tool"]: point.value
        for point in points["callgate.decisions"]
    }
    assert by_tool == {"other": 50, "exec": 2}
    durations = points["callgate.decision.duration"]
    assert sorted((p.attributes["callgate.decision.outcome"], p.count) for p in durations) == [
        ("allow", 2),
        ("deny", 50),
    ]
    assert durations[0].sum == pytest.approx(0.0015 * durations[0].count)
    assert len(durations[0].explicit_bounds) == 12
    (failed,) = points["callgate.records.failed"]
    assert failed.value == 1


# -- spans


def test_the_ids_of_the_current_span(watching: Watching) -> None:
    assert current() == ("", "")
    with watching.tracer.start_as_current_span("turn") as span:
        context = span.get_span_context()
        assert current() == (f"{context.trace_id:032x}", f"{context.span_id:016x}")
    assert current() == ("", "")


def test_what_fails_in_somebody_elses_code_is_said_once(
    watching: Watching, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> Any:
        raise OSError(SECRET)

    monkeypatch.setattr(telemetry, "_api", broken)
    decision = engine().program.decide(exec_("git status"))
    with caplog.at_level(logging.WARNING, "callgate.record"):
        for _ in range(3):
            tell(decision, ID, source="gate", duration_us=1, answer=None, recorded=True)
    assert caplog.messages == ["OpenTelemetry could not be told of a decision: OSError"]


# -- programs of their own

_DECIDE = """
from datetime import timedelta
from callgate.engine import Engine
from callgate.record.recorder import Recorder
from callgate.record.store import open_store

store = open_store("records")
recorder = Recorder(store)
engine = Engine.load("echo", cache=True)

def decide():
    decision = engine.decide({"tool": "exec", "args": {"command": "git status"}})
    return store.line_of(recorder.record(decision)).decode()
"""

_BLOCKED = """
import sys
sys.modules["opentelemetry"] = None  # any import of it fails
exec(DECIDE)
assert '"span_id":"","' in decide()
assert '"trace_id":""' in decide()
"""

_NOT_USED = """
exec(DECIDE)
import sys
assert '"span_id":"","' in decide()
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""

_SET_UP_LATER = """
exec(DECIDE)
from opentelemetry import metrics, trace
decide()  # tells providers that nobody has set up yet
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader]))
trace.set_tracer_provider(TracerProvider())
with trace.get_tracer("agent").start_as_current_span("turn") as span:
    line = decide()
context = span.get_span_context()
assert f'"span_id":"{context.span_id:016x}"' in line, line
assert f'"trace_id":"{context.trace_id:032x}"' in line, line
(event,) = span.events
assert f'"decision_id":"{event.attributes["callgate.decision.id"]}"' in line
(scope,) = reader.get_metrics_data().resource_metrics[0].scope_metrics
assert scope.scope.name == "callgate"
(counted,) = [m for m in scope.metrics if m.name == "callgate.decisions"]
(point,) = counted.data.data_points
assert point.value == 1 and point.attributes["callgate.decision.tool"] == "exec"
"""


@pytest.mark.parametrize(
    "program", [_BLOCKED, _NOT_USED, _SET_UP_LATER], ids=["blocked", "not used", "set up later"]
)
def test_a_program(program: str, tmp_path: Any) -> None:
    found = subprocess.run(
        [sys.executable, "-c", f"DECIDE = {_DECIDE!r}\n{program}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (found.returncode, found.stderr) == (0, "")
