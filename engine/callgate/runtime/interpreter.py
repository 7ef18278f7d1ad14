"""Walk a decision graph for a call: pure, total, one trace.

`Program` is a graph made ready to run: nodes are linked objects, conditions become lambdas when
the walk first meets them. The walk does no I/O and reads no clock; it ends because edges only go
forward; whatever fails inside it decides deny.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from callgate import __version__
from callgate.effects import Extractor
from callgate.model.decision import Decision, Failure, Outcome, decided
from callgate.model.effect import EffectSet
from callgate.model.graph import DecisionGraph, GraphError, NodeOrigin, SourceMap
from callgate.runtime.answers import answer_of
from callgate.runtime.check import CallError
from callgate.runtime.codegen import Test
from callgate.runtime.frame import Frame, TooMuchWorkError
from callgate.runtime.masking import Masker
from callgate.runtime.nodes import link
from callgate.runtime.parts import PartsStore
from callgate.runtime.reasons import Reasons

if TYPE_CHECKING:
    from callgate.runtime.unseen import Unseen

__all__ = ["ERROR_RULE", "Program"]

ERROR_RULE: Final = "builtin.error"
_REFUSED: Final = Outcome("deny", ERROR_RULE, "")


class Program:
    """A decision graph ready to run; safe to share between threads. Raises GraphError for a
    document whose parts don't fit together.

    `store`: where graphs of the same policy have what they share. `effects_of(frame)`: the effects
    of a frame's call, extracted once.
    """

    def __init__(
        self,
        graph: DecisionGraph,
        sources: SourceMap | None = None,
        engine: str = __version__,
        extractor: Extractor | None = None,
        secrets: Callable[[Sequence[str]], Any] = tuple,
        store: PartsStore | None = None,
    ) -> None:
        self.graph = graph
        self.sources = sources or SourceMap()
        self.engine = engine
        self._tests: dict[int, Test] = {}
        self._secret_values = secrets
        try:
            parts = (store or PartsStore()).of(graph.document, extractor)
            self.codegen, self.checker = parts.codegen, parts.checker
            self.classifier, self.guards = parts.classifier, parts.guards
            self.extractor, self.effects_of = parts.extractor, parts.effects_of
            self._made = link(graph, self.codegen)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise GraphError(f"a graph that can't run: {error}") from None

    # -- deciding

    def decide(self, call: Mapping[str, Any], live: bool = False) -> Decision:
        """Walk the graph for a call (a dict in the format of docs/formats.md).

        `live`: the call will run, so nothing is assumed: what was not observed is unknown. Never
        raises: a call that can't be judged, or a failure on the way, decides deny with `error` set.
        """
        try:
            frame = self.checker.frame(call, live)
            self.classifier.classify(frame)
        except CallError as error:
            return self.refuse(call, error.code, error.message)
        except Exception as error:
            return self.refuse(call, "R010", _unexpected(error))
        return self.walk(frame)

    def walk(self, frame: Frame, entry: int = 1) -> Decision:
        """Walk the graph for a frame, from the node where a flow begins."""
        trace: list[int] = []
        add = trace.append
        node = self._made[entry]
        try:
            while True:
                test = node.test
                if test is not None:
                    number, node = node.edges[test(frame)]
                    add(number)
                    continue
                add(node.number)
                outcome = node.outcome
                if outcome is None:
                    denied = self.guards.run(frame, self.effects_of(frame))
                    if denied is not None:
                        return decided(Outcome("deny", denied, node.step), trace, self, frame)
                    node = node.then
                    continue
                if outcome.pending is not None:
                    answer = answer_of(outcome.pending, frame.answers, node.errors)
                    if answer is not None:
                        node = node.answers[answer]
                        continue
                # `decided`, written out: this is where nearly every call ends.
                decision = Decision()
                decision.outcome = outcome
                decision.trace = trace
                decision.source = self
                decision.frame = frame
                return decision
        except Exception as error:
            add(-node.number)
            failure = Failure(*_told(error), node.number)
            return decided(Outcome("deny", ERROR_RULE, node.step), trace, self, frame, failure)

    def visibility(self, call: Mapping[str, Any]) -> Decision | None:
        """Walk the second flow for a call's tool and context, without arguments: deny where a rule
        hides the tool; None where the policy has no such flow."""
        return self.unseen.visibility(call)

    @cached_property
    def unseen(self) -> Unseen:
        """This program for calls whose arguments nobody has seen yet."""
        from callgate.runtime.unseen import Unseen

        return Unseen(self)

    def sharing(self, graph: DecisionGraph) -> Program:
        """A program of another graph with the same nodes, programs and secrets."""
        return Program(graph, self.sources, self.engine, self.extractor, self._secret_values)

    def refuse(self, call: Any, code: str, message: str) -> Decision:
        """Deny a call that can't be judged."""
        return decided(_REFUSED, (), self, call, Failure(code, message))

    # -- telling

    def outcomes(self, frame: Frame, number: int) -> list[str]:
        """The decisions, other than ask, that answers to the consult node `number` can lead to."""
        found: set[str] = set()
        seen: set[int] = set()
        todo = list(self._made[number].answers.values())
        while todo:
            node = todo.pop()
            if node.number in seen:
                continue
            seen.add(node.number)
            if node.test is not None:
                todo.append(node.edges[node.test(frame)][1])
            elif node.outcome is None:
                todo.append(node.then)
            elif node.outcome.pending is None:
                found.add(node.outcome.decision)
            else:
                answer = answer_of(node.outcome.pending, frame.answers, node.errors)
                todo.extend(node.answers.values() if answer is None else [node.answers[answer]])
        return sorted(found)

    def origin(self, number: int) -> NodeOrigin:
        """Where a node comes from; without a source map, its step is all that is known."""
        if self.sources.nodes:
            return self.sources.nodes[number - 1]
        return NodeOrigin(self._made[number].step, "", "", "", 0)

    def test_of(self, number: int) -> Test:
        """The condition of a branch, or the expression of a switch, ready to call."""
        test = self._tests.get(number)
        if test is None:
            test = self._tests[number] = self.codegen.of_form(self.graph.nodes[number - 1][2])
        return test

    def reply_errors(self, number: int) -> Any:
        """The compiled patterns of a consult node."""
        return self._made[number].errors

    def safe_effects(self, frame: Frame) -> EffectSet | None:
        """The effects of a frame's call, or None when they can't be extracted."""
        try:
            return self.effects_of(frame)
        except Exception:
            return None

    @cached_property
    def reasons(self) -> Reasons:
        """The reasons of the graph's rules and guards, made ready."""
        return Reasons(self.codegen)

    @cached_property
    def settings_secrets(self) -> tuple[str, ...]:
        """The texts that stand in secret settings; they are no part of the graph, only masked."""
        names = self.graph.document["masking"].get("settings", ())
        return self.masker.of_settings(self._secret_values(names)) if names else ()

    @cached_property
    def masker(self) -> Masker:
        """What shows values of calls under this graph's masking."""
        masking = self.graph.document["masking"]
        return Masker(masking["names"], masking["patterns"], masking.get("weak", ()))

    def describe(self, decision: Decision) -> dict[str, Any]:
        """See `callgate.model.decision.DecisionSource`."""
        from callgate.runtime.render import describe

        return describe(self, decision)


def _told(error: Exception) -> tuple[str, str]:
    if isinstance(error, TooMuchWorkError):
        return "R004", "the call has more parts than the policy's conditions may look at"
    return "R006", _unexpected(error)


def _unexpected(error: Exception) -> str:
    return f"{type(error).__name__} while deciding"
