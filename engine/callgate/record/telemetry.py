"""Tells OpenTelemetry of decisions: an event on the current span, and metrics.

Only a program that uses OpenTelemetry's API itself is told, and only through that API: no
provider, exporter or reader is ever set up here, and the API is not imported before the program
did. What is told holds no argument of a call and no text of a person; the names of tools that the
policy does not know are masked on a span, and one word in the metrics, so that an agent can't make
up as many as it likes.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from callgate import __version__
from callgate.model.decision import Decision
from callgate.runtime.frame import Frame

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span

    from callgate.record.record import Answer

__all__ = ["EVENT", "NO_SPAN", "Instruments", "current", "tell"]

EVENT: Final = "callgate.decision"
"""The name of the event on a span."""

NO_SPAN: Final = ("", "")
_OTHER: Final = "other"
_LOG: Final = logging.getLogger("callgate.record")
_MODULES: Final = sys.modules
# A call takes microseconds, a reviewer seconds, a person hours.
_BOUNDS: Final = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.01, 0.1, 1, 10, 60, 600, 3600)


class Instruments:
    """What decisions are counted with. `meter`: of OpenTelemetry's API."""

    def __init__(self, meter: Meter) -> None:
        self._decisions = meter.create_counter(
            "callgate.decisions", "{decision}", "Decisions, by outcome, rule and tool."
        )
        self._duration = meter.create_histogram(
            "callgate.decision.duration",
            "s",
            "Time to a decision, with that in which somebody was asked.",
            explicit_bucket_boundaries_advisory=_BOUNDS,
        )
        self._failed = meter.create_counter(
            "callgate.records.failed", "{record}", "Decisions that could not be recorded."
        )

    def count(
        self, outcome: str, rule: str, tool: str, source: str, seconds: float, recorded: bool
    ) -> None:
        """Count a decision. `tool`: a name from the policy's catalogue, or another that is one of
        few; `seconds`: the time that it took; `recorded`: false where that failed."""
        both = {"callgate.decision.outcome": outcome, "callgate.decision.source": source}
        self._duration.record(seconds, both)
        by = {**both, "callgate.decision.rule": rule, "callgate.decision.tool": tool}
        self._decisions.add(1, by)
        if not recorded:
            self._failed.add(1, {"callgate.decision.source": source})


def current() -> tuple[str, str]:
    """The trace id (32 hex digits) and span id (16) of the current span; "" each without one, and
    where this program does not use OpenTelemetry. Never raises."""
    if "opentelemetry.trace" not in _MODULES:
        return NO_SPAN
    try:
        context = _api()[1]().get_span_context()
        if not context.is_valid:
            return NO_SPAN
        return f"{context.trace_id:032x}", f"{context.span_id:016x}"
    except Exception as error:
        _silent(type(error).__name__)
        return NO_SPAN


def tell(
    decision: Decision,
    decision_id: str,
    *,
    source: str,
    duration_us: int,
    answer: Answer | None,
    recorded: bool,
) -> None:
    """Tell of a decision, whether it could be recorded or not; `answer` is what the gate made of
    it. Never raises: what somebody watches with decides nothing."""
    if "opentelemetry.trace" not in _MODULES and "opentelemetry.metrics" not in _MODULES:
        return
    try:
        outcome = _outcome(decision, answer)
        known = _known_tool(decision)
        seconds = duration_us / 1_000_000
        instruments, current_span = _api()
        instruments.count(outcome, decision.rule, known or _OTHER, source, seconds, recorded)
        span = current_span()
        if span.is_recording():
            attributes = _attributes(decision, answer, known)
            attributes["callgate.decision.id"] = decision_id
            attributes["callgate.decision.outcome"] = outcome
            attributes["callgate.decision.source"] = source
            attributes["callgate.decision.duration"] = seconds
            attributes["callgate.decision.recorded"] = recorded
            span.add_event(EVENT, attributes)
    except Exception as error:
        _silent(type(error).__name__)


@cache
def _api() -> tuple[Instruments, Callable[[], Span]]:
    from opentelemetry import metrics, trace

    # Of a provider that is set up later this meter becomes one, too.
    return Instruments(metrics.get_meter("callgate", __version__)), trace.get_current_span


@cache
def _silent(error: str) -> None:
    """Say that telling failed, once for each type of error."""
    _LOG.warning("OpenTelemetry could not be told of a decision: %s", error)


def _outcome(decision: Decision, answer: Answer | None) -> str:
    if answer is None:
        return decision.decision
    return "allow" if answer.allowed else "deny"


def _known_tool(decision: Decision) -> str:
    """The tool where the policy's catalogue has it, else ""."""
    source: Any = decision.source
    tool = getattr(decision.frame, "tool", None)
    return tool if type(tool) is str and tool in source.graph.document["tools"] else ""


def _attributes(decision: Decision, answer: Answer | None, known: str) -> dict[str, Any]:
    """What an event says of a decision, but for what `tell` knows better."""
    source: Any = decision.source
    frame = decision.frame
    tool = known or _shown_tool(decision)
    told: dict[str, Any] = {
        "callgate.decision.rule": decision.rule,
        "callgate.decision.step": decision.step,
        "callgate.decision.tool": tool,
        "callgate.policy.digest": source.graph.digest,
        "callgate.policy.bundle": source.graph.document["bundle"]["name"],
    }
    more = {
        "callgate.decision.risk": getattr(frame, "risk", ""),
        "callgate.decision.error": decision.failure.code if decision.failure else "",
    }
    if answer is not None:
        more["callgate.decision.approval_source"] = answer.source
        more["callgate.decision.kind"] = answer.kind
        more["callgate.decision.request_id"] = answer.request_id
        more["callgate.decision.grant_id"] = answer.grant_id
    told.update((name, value) for name, value in more.items() if value)
    if isinstance(frame, Frame) and frame.live:
        # It is about the execution of a tool; of a dry run nothing is executed.
        told["gen_ai.operation.name"] = "execute_tool"
        told["gen_ai.tool.name"] = tool
    return told


def _shown_tool(decision: Decision) -> str:
    """The name of a tool that the policy does not know, as a record tells it: masked and cut."""
    from callgate.runtime.render import View

    source: Any = decision.source
    view = View(source, decision)
    frame = decision.frame
    name = frame.tool if view.frame else frame.get("tool") if isinstance(frame, dict) else None
    return view.show(name) if isinstance(name, str) else ""
