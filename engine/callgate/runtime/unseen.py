"""What can be said of a tool before anybody has called it: whether it is shown, and what approval a
call would meet, as far as the arguments have no say in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.model.codec import decode_expr
from callgate.model.decision import Decision
from callgate.model.effect import EffectSet
from callgate.model.expr import Expr, facts_of
from callgate.model.graph import VISIBLE, DecisionGraph
from callgate.runtime.check import CallError
from callgate.runtime.frame import Frame

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["Unseen"]

_OF_CALL: Final = ("args", "effects")


class Unseen:
    """Walks both flows of a graph for calls without arguments.

    `program` runs the same nodes, so traces and places are those of the graph; but the guards and
    the rules on risk that read arguments or effects are left out: nobody has seen any.
    """

    def __init__(self, program: Program) -> None:
        document = _without_arguments(program.graph.document)
        graph = DecisionGraph(document, program.graph.digest)
        self.program = program.sharing(graph)
        second = graph.visibility
        self._entry = 0 if second is None else int(second["entry"])

    def visibility(self, call: Mapping[str, Any]) -> Decision | None:
        """Whether a call's tool is shown in its context: deny where a rule hides it. None where the
        policy has no such flow, and shows everything."""
        return self._walk(call, self._entry) if self._entry else None

    def code_of(self, shown: Decision | None) -> str:
        """The reason code of what `visibility` found: `visible`, or why the tool is hidden. A call
        that can't be judged has its `R` code."""
        if shown is None or shown.decision != "deny":
            return VISIBLE
        if shown.failure is not None:
            return shown.failure.code
        second = self.program.graph.visibility
        return str(second["codes"][shown.rule]) if second is not None else shown.rule

    def approval(self, call: Mapping[str, Any]) -> Decision:
        """What the approval flow decides for a call's tool in its context, where no grant covers
        the call and it has no effects. Where a reviewer's yes would leave the call to a person, it
        waits for the person."""
        met = self._walk({**call, "answers": {"grant": False}}, 1)
        if met.pending == "reviewer":
            answers = {"grant": False, "reviewer": {"reply": "APPROVE"}}
            further = self._walk({**call, "answers": answers}, 1)
            if further.pending == "human":
                return further
        return met

    def _walk(self, call: Mapping[str, Any], entry: int) -> Decision:
        bare = {key: value for key, value in call.items() if key != "args"}
        try:
            frame: Frame = self.program.checker.frame(bare)
        except CallError as error:
            return self.program.refuse(bare, error.code, error.message)
        frame.effects = EffectSet()
        try:
            self.program.classifier.classify(frame)
        except Exception as error:
            return self.program.refuse(bare, "R010", f"{type(error).__name__} while deciding")
        return self.program.walk(frame, entry)


def _without_arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """The graph's document with what can be told without arguments and effects."""
    risk = document["risk"]
    if risk is not None:
        risk = {**risk, "declared": _blind(risk["declared"]), "raises": _blind(risk["raises"])}
    guards = _blind(form for form in document["guards"] if form["each"] is None)
    return {**document, "args": {}, "risk": risk, "guards": guards}


def _blind(forms: Any) -> list[dict[str, Any]]:
    """The rules whose conditions read no arguments and no effects."""
    return [form for form in forms if not _reads_call(decode_expr(form["when"]))]


def _reads_call(expr: Expr) -> bool:
    return any(name.partition(".")[0] in _OF_CALL for name in facts_of(expr))
