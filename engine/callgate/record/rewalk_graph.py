"""One graph, walked again for the calls that records hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callgate.model.values import UNKNOWN
from callgate.record.recorded import call_of
from callgate.record.values import canonical, decode
from callgate.runtime.answers import answer_of
from callgate.runtime.frame import Frame, IdleMatch, Match
from callgate.runtime.guards import built_in_rule
from callgate.runtime.interpreter import Program
from callgate.runtime.render import strictest
from callgate.stdlib import OPERATIONS

if TYPE_CHECKING:
    from callgate.model.decision import Decision

__all__ = ["GraphWalker", "Walked"]

_MOST_KNOWN: Final = 4096
_LONGEST_KNOWN: Final = 2048
_MOST_WAYS: Final = 4096
_MOST_SHOWN: Final = 4096
_LONGEST_SHOWN: Final = 512
_PLACES: Final = frozenset({"cwd", "home", "workspace"})
"""Fields of the context that paths are read by, whatever the graph says."""
_PARTS: Final = ("answers", "call", "observed")
_SPECIAL: Final = b'{"$'

Matched = tuple[str, str, str | None, str | None]
"""A rule, what it decided, and why that does not count: `shadow`, or an exception's id."""


class Walked(NamedTuple):
    """What a walk came to. `trace`: each node's number and value."""

    decision: str
    rule: str
    step: str
    risk: str | None
    pending: str | None
    error: str | None
    matched: Sequence[Matched]
    trace: Sequence[tuple[int, Any]]


class GraphWalker:
    """Walks calls by one graph as records have them, and remembers what equal ones came to. For one
    thread."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._rules = [form["id"] for form in program.guards.forms]
        self._nodes = program.graph.nodes
        graph = program.graph.to_json()
        self._unread = {
            name
            for name, (kind, members, _) in program.graph.document["context"].items()
            if kind == "string" and members is None and name not in _PLACES
            if f"call.{name}".encode() not in graph
        }
        self._reads_time = b"observed.time" in graph
        self._known: dict[bytes, Walked] = {}
        self._ways: dict[tuple[int, ...], list[tuple[int, Callable[[Frame], Any] | None]]] = {}
        self._shown: dict[str, str] = {}

    def decided(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], Decision]:
        """A record's call, and the decision on it. Raises ValueError where it holds none."""
        call = call_of(decode({name: record.get(name) for name in _PARTS}))
        return call, self._program.decide(call, record.get("live") is True)

    def walked(self, record: Mapping[str, Any]) -> Walked:
        """What the walk of a record's call comes to. Raises ValueError where it holds none."""
        live = record.get("live") is True
        parts = {name: record.get(name) for name in _PARTS}
        key = canonical([self._read(parts), live])
        walked = self._known.pop(key, None)
        if walked is None:
            call = call_of(decode(parts) if _SPECIAL in key else parts)
            walked = self._of(self._program.decide(call, live))
            if len(self._known) >= _MOST_KNOWN:
                self._known.pop(next(iter(self._known)))
        if len(key) <= _LONGEST_KNOWN:
            self._known[key] = walked
        return walked

    def _read(self, parts: dict[str, Any]) -> list[Any]:
        """What of a call a walk may read: without the ids that make each call another one."""
        call, observed = parts["call"], parts["observed"]
        if type(call) is dict and type(context := call.get("context")) is dict:
            unread = self._unread
            read = {k: v for k, v in context.items() if k not in unread or type(v) is not str}
            call = {**call, "context": read}
        if not self._reads_time and type(observed) is dict and type(observed.get("time")) is str:
            # One that is no time is an error, read or not.
            known = OPERATIONS["time"].implementation(observed["time"]) is not UNKNOWN
            observed = {**observed, "time": known}
        return [parts["answers"], call, observed]

    def _of(self, decision: Decision) -> Walked:
        outcome, failure = decision.outcome, decision.failure
        frame = decision.frame if isinstance(decision.frame, Frame) else None
        matched: list[Matched] = []
        trace: list[tuple[int, Any]] = []
        if frame is not None:
            # What is read here again does not count as the walk's work.
            frame.work = 0
            for number in decision.trace:
                form = self._nodes[abs(number) - 1]
                if form[0] == "guards":
                    matched += map(self._matched, frame.matches)
                elif form[0] == "note":
                    matched.append((form[2], form[3], "shadow" if form[6] else None, form[7]))
            failed = failure.node if failure else 0
            for number, value in self._way(decision.trace):
                told = True if value is None else None if number == failed else value(frame)
                trace.append((number, told))
        return Walked(
            outcome.decision,
            outcome.rule,
            outcome.step,
            getattr(frame, "risk", None),
            outcome.pending,
            failure.code if failure else None,
            matched,
            trace,
        )

    def _matched(self, match: Match) -> Matched:
        rule = self._rules[match.guard] if match.guard >= 0 else built_in_rule(match)
        if isinstance(match, IdleMatch):
            return rule, match.decide, "shadow" if match.shadow else None, match.exception
        return rule, match.decide, None, None

    def _way(self, trace: Sequence[int]) -> list[tuple[int, Callable[[Frame], Any] | None]]:
        """The nodes of a trace that tell a value, each with what tells it; None: it is true."""
        numbers = tuple(trace)
        way = self._ways.get(numbers)
        if way is None:
            way = [
                (abs(number), self._reader(number, self._nodes[abs(number) - 1]))
                for number in numbers
                if self._nodes[abs(number) - 1][0] not in ("decide", "note")
            ]
            if len(self._ways) >= _MOST_WAYS:
                self._ways.clear()
            self._ways[numbers] = way
        return way

    def _reader(self, number: int, form: list[Any]) -> Callable[[Frame], Any] | None:
        """What tells the value of a node as a decision's trace shows it."""
        program = self._program
        if form[0] == "guards":
            return lambda frame: strictest(frame.matches)
        if form[0] == "consult":
            who, errors = form[3], program.reply_errors(abs(number))
            return lambda frame: answer_of(who, frame.answers, errors)
        test = program.test_of(abs(number))
        if form[0] == "switch":
            return lambda frame: self._show(test(frame))
        if number > 0:
            return None
        return lambda frame: None if test(frame) is UNKNOWN else False

    def _show(self, value: Any) -> str:
        if type(value) is not str or len(value) > _LONGEST_SHOWN:
            return self._program.masker.show(value)
        shown = self._shown.get(value)
        if shown is None:
            if len(self._shown) >= _MOST_SHOWN:
                self._shown.clear()
            shown = self._shown[value] = self._program.masker.show(value)
        return shown
