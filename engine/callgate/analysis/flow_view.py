"""A decision graph as people think of it: steps with rules in order, not nodes and edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from callgate.analysis.texts import expr_text, template_text
from callgate.model.graph import (
    VISIBLE,
    DecisionGraph,
    FoldedRule,
    NodeOrigin,
    RuleOrigin,
    SourceMap,
)
from callgate.model.policy import ANSWERS, Consultant

__all__ = ["BECOMES", "HOLD", "FlowView", "GuardView", "Outcome", "RuleView", "StepView", "view_of"]

HOLD: Final = "guards.asks <= "
"""How the condition begins that lets an allow pass only while no stronger ask is carried."""

BECOMES: Final = ".asks-become-deny"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What follows: `verdict` is allow, ask, deny or next, or show or hide in the second flow.
    `despite` names the strongest ask that an allow passes (None: asks play no part); `reason` is
    the template as text."""

    verdict: str
    rule: str = ""
    despite: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RuleView:
    """A rule: decides by `outcome`, or consults `who`, with an outcome for every answer. `shadow`:
    it only shows what it would decide. `exceptions`: the conditions under which it does nothing."""

    id: str
    title: str
    condition: str
    outcome: Outcome | None = None
    who: str = ""
    answers: tuple[tuple[str, Outcome], ...] = ()
    file: str = ""
    line: int = 0
    shadow: bool = False
    exceptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardView:
    """A guard: `decide` is deny, ask or note; `kind` the effect it looks at, or "". `shadow` and
    `exceptions` as of a rule."""

    id: str
    title: str
    decide: str
    approval: str
    kind: str
    tools: tuple[str, ...]
    reason: str
    shadow: bool = False
    exceptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepView:
    """A step. `off`: what these settings switched off in it; `active` is false when nothing of it
    is left. `shows` is the fact that it puts into the trace."""

    id: str
    title: str
    condition: str = ""
    guards: bool = False
    shows: str = ""
    rules: tuple[RuleView, ...] = ()
    otherwise: Outcome | None = None
    off: tuple[FoldedRule, ...] = ()
    active: bool = True


@dataclass(frozen=True, slots=True)
class FlowView:
    """A whole flow; the last step is what is decided when no other step did. `flow`: the name of
    the second flow, "" of the first."""

    name: str
    version: str
    digest: str
    steps: tuple[StepView, ...]
    guards: tuple[GuardView, ...]
    flow: str = ""


@dataclass(slots=True)
class _Draft:
    condition: str = ""
    guards: bool = False
    shows: str = ""
    rules: dict[str, tuple[int, Any]] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    cases: dict[str, list[Any]] = field(default_factory=dict)
    key: dict[str, str] = field(default_factory=dict)
    exceptions: dict[str, list[str]] = field(default_factory=dict)


def view_of(graph: DecisionGraph, source: SourceMap, flow: str = "") -> FlowView:
    """A flow of a graph, with the texts and places of its source map."""
    return _Reader(graph, source).flow(flow)


class _Reader:
    def __init__(self, graph: DecisionGraph, source: SourceMap) -> None:
        self.graph = graph
        self.nodes = graph.nodes
        self.source = source
        self.drafts = [_Draft() for _ in graph.steps]

    def flow(self, flow: str) -> FlowView:
        answers = self._answer_nodes()
        for number, node in enumerate(self.nodes, start=1):
            if number not in answers:
                self._read(number, node, self.drafts[node[1]])
        bundle = self.graph.document["bundle"]
        steps = tuple(self._step(index) for index in self.graph.steps_of(flow))
        guards = tuple(
            self._guard(guard) for guard in ([] if flow else self.graph.document["guards"])
        )
        digest = self.graph.digest
        return FlowView(bundle["name"], bundle["version"], digest, steps, guards, flow)

    def _origin(self, number: int) -> NodeOrigin:
        if number <= len(self.source.nodes):
            return self.source.nodes[number - 1]
        step = self.graph.steps[self.nodes[number - 1][1]][0]
        return NodeOrigin(step, "", "", "", 0)

    def _answer_nodes(self) -> set[int]:
        """The nodes that belong to an answer of a consult, not to a rule of their own."""
        found: set[int] = set()
        for node in self.nodes:
            if node[0] == "consult":
                for answer, target in node[4].items():
                    outcome, nodes = self._outcome(target, f"{node[2]}.{answer}")
                    if outcome.verdict != "next":
                        found.update(nodes)
        return found

    def _outcome(self, number: int, rule: str) -> tuple[Outcome, tuple[int, ...]]:
        """What reaching the node means for `rule`, and the nodes that say so."""
        node = self.nodes[number - 1]
        if node[0] in ("decide", "note") and node[2] == rule:
            return self._decided(node), (number,)
        origin = self._origin(number)
        if node[0] == "branch" and origin.rule == rule and origin.condition.startswith(HOLD):
            decided, nodes = self._outcome(node[3], rule)
            despite = origin.condition.removeprefix(HOLD)
            return Outcome(decided.verdict, rule, despite, decided.reason), (number, *nodes)
        return Outcome("next"), ()

    def _decided(self, node: Sequence[Any]) -> Outcome:
        """What a node decides; of the second flow, whether the tool is shown."""
        rule, verdict, reason = node[2], node[3], template_text(node[4])
        second = self.graph.visibility
        if second is None or node[1] < second["step"]:
            return Outcome(verdict, rule, None, reason)
        code = second["codes"].get(rule, "")
        why = ": ".join(part for part in (code, reason) if part)
        return Outcome("show" if verdict == "allow" else "hide", rule, None, why)

    def _read(self, number: int, node: Sequence[Any], draft: _Draft) -> None:
        origin = self._origin(number)
        if node[0] == "guards":
            draft.guards = True
        elif node[0] == "switch":
            if not node[3]:
                draft.shows = origin.condition or expr_text(node[2])
            for value, target in node[3]:
                rule = self._rule_of(target)
                draft.cases.setdefault(rule, []).append(value)
                draft.key[rule] = origin.condition or expr_text(node[2])
        elif node[0] == "note" and node[7] is not None:
            exceptions = draft.exceptions.setdefault(node[2], [])
            exceptions.append(self.source.rules.get(node[7], RuleOrigin()).condition or node[7])
        elif node[0] in ("consult", "decide", "note"):
            draft.rules.setdefault(node[2], (number, node))
        elif origin.condition.startswith(HOLD) and self._outcome(number, origin.rule)[1]:
            draft.rules.setdefault(origin.rule, (number, node))
        elif origin.rule:
            draft.conditions.setdefault(origin.rule, origin.condition or expr_text(node[2]))
        else:
            draft.condition = origin.condition or expr_text(node[2])

    def _rule_of(self, number: int) -> str:
        node = self.nodes[number - 1]
        decides = node[0] in ("decide", "consult", "note")
        return str(node[2]) if decides else self._origin(number).rule

    def _step(self, index: int) -> StepView:
        id_, title = self.graph.steps[index]
        draft = self.drafts[index]
        otherwise, rules = None, []
        for rule, (number, node) in draft.rules.items():
            if rule in (f"{id_}.otherwise", "otherwise") or id_ == rule == VISIBLE:
                otherwise = self._outcome(number, rule)[0]
            else:
                rules.append(self._rule(rule, number, node, draft))
        off = tuple(item for item in self.source.folded if item.step == id_)
        active = bool(rules or draft.guards or draft.shows or otherwise)
        return StepView(
            id_,
            title,
            draft.condition,
            draft.guards,
            draft.shows,
            tuple(rules),
            otherwise,
            off,
            active,
        )

    def _rule(self, rule: str, number: int, node: Sequence[Any], draft: _Draft) -> RuleView:
        origin = self._origin(number)
        title, file, line, _ = self.source.rules.get(rule, RuleOrigin("", origin.file, origin.line))
        condition = draft.conditions.get(rule) or _cases(draft.key.get(rule), draft.cases.get(rule))
        if node[0] == "consult":
            answers = tuple(
                (answer, self._answer(number, node[4][answer], f"{rule}.{answer}"))
                for answer in ANSWERS[Consultant(node[3])]
                if answer in node[4]
            )
            return RuleView(rule, title, condition, None, node[3], answers, file, line)
        outcome, nodes = self._outcome(number, rule)
        shadow = self.nodes[nodes[-1] - 1][0] == "note"
        exceptions = tuple(draft.exceptions.get(rule, ()))
        return RuleView(rule, title, condition, outcome, "", (), file, line, shadow, exceptions)

    def _answer(self, number: int, target: int, rule: str) -> Outcome:
        outcome = self._outcome(target, rule)[0]
        if outcome.verdict == "allow" and outcome.despite is None and self._guarded(number):
            return replace(outcome, despite="person")
        return outcome

    def _guarded(self, number: int) -> bool:
        """Whether the node comes after the guards."""
        return any(node[0] == "guards" for node in self.nodes[:number])

    def _guard(self, guard: dict[str, Any]) -> GuardView:
        title = self.source.rules.get(guard["id"], RuleOrigin()).title
        return GuardView(
            guard["id"],
            title,
            guard["decide"],
            guard["approval"],
            guard["each"][1] if guard["each"] else "",
            tuple(guard["tools"] or ()),
            template_text(guard["reason"]),
            guard["shadow"],
            tuple(
                self.source.rules.get(id_, RuleOrigin()).condition or id_
                for id_, _ in guard["exceptions"]
            ),
        )


def _cases(key: str | None, values: Sequence[Any] | None) -> str:
    """The comparison that a switch made of a rule's condition."""
    if key is None or not values:
        return ""
    if len(values) == 1:
        return f"{key} == {_literal(values[0])}"
    return f"{key} in [{', '.join(map(_literal, values))}]"


def _literal(value: Any) -> str:
    return '"' + str(value).replace('"', '\\"') + '"' if isinstance(value, str) else str(value)
