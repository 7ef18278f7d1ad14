"""What a walk looked at in each node, with the values it had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from callgate.analysis.explanation import TestKind, TestStory
from callgate.analysis.facts import effect_fields, facts_read
from callgate.analysis.flow_view import BECOMES, HOLD
from callgate.model.codec import decode_expr
from callgate.model.expr import Fact
from callgate.model.graph import NodeOrigin, RuleOrigin
from callgate.runtime.frame import Match
from callgate.runtime.interpreter import Program
from callgate.runtime.render import View

__all__ = ["Walked"]

MOST_OTHERS: Final = 8
"""Rules shown of those that a `switch` passed by."""

MOST_VALUES: Final = 6
_PERSON: Final = "only a person, or a grant for exactly this call, lifts it"


class Walked:
    """Tells the nodes of one walk. `settings`: what may be shown of them; `error`: what failed in
    the decision's JSON form, or None."""

    def __init__(
        self,
        program: Program,
        view: View,
        settings: Mapping[str, Any],
        error: Mapping[str, Any] | None,
    ) -> None:
        self._program = program
        self._view = view
        self._settings = settings
        self._error = error
        failure = view.decision.failure
        self._failed_at = failure.node if failure is not None else 0
        self._nodes = program.graph.nodes
        self._origins = program.sources.nodes
        self._rules = program.sources.rules
        self.excepted = {node[7]: node[2] for node in self._nodes if node[0] == "note" and node[7]}
        """The exceptions of rules of the flow, with the rule that each is of."""
        self.risk = self._risk_sources()
        """Where the risk comes from, as (source, level)."""

    def at(self, number: int) -> list[TestStory]:
        """What was looked at in a node of the trace (negative: its condition was not true)."""
        node = self._nodes[abs(number) - 1]
        origin = self._origins[abs(number) - 1]
        if number == self._failed_at:
            return [self._failed(node, origin)]
        match node[0]:
            case "branch":
                return [self._branch(number, node, origin)]
            case "switch" if not node[3]:
                shown = self._value(number, node)
                facts = self.risk if decode_expr(node[2]) == Fact("risk") else ()
                return [_story("shows", origin.condition, shown, origin, facts=facts)]
            case "switch":
                return self._switch(number, node, origin)
            case "guards":
                return self._guards()
            case "consult":
                answer = self._value(number, node)
                note = "" if answer is not None else "no answer yet"
                return [_story("answer", node[3], answer, origin, node[2], note=note)]
            case "note":
                return [self._noted(node, origin)]
        return []

    def _noted(self, node: list[Any], origin: NodeOrigin) -> TestStory:
        """What a rule of the flow would have decided, and why it did not."""
        told = self._view.noted(node)
        title, file, line, text = self._rules.get(node[2], RuleOrigin())
        kind, note = self._mark(told)
        where = origin if file == "" else NodeOrigin(origin.step, node[2], text, file, line)
        story = _story(kind, text or "always", told["decide"], where, node[2], title, note=note)
        return replace(story, reason=told["reason"])

    def _mark(self, told: Mapping[str, Any]) -> tuple[TestKind, str]:
        """Why what matched decides nothing."""
        id_ = told.get("exception")
        if id_ is not None:
            origin = self._rules.get(id_, RuleOrigin())
            place = f", {origin.file}:{origin.line}" if origin.file else ""
            why = f": {origin.title}" if origin.title else ""
            return "exception", f"decides nothing: the exception {id_} counts{why}{place}"
        return "shadow", f"decides nothing: it is a shadow, and would {told['decide']}"

    def _risk_sources(self) -> tuple[tuple[str, str], ...]:
        frame = self._view.frame
        if frame is None:
            return ()
        try:
            return tuple(self._program.classifier.explain(frame))
        except Exception:
            return ()

    def _failed(self, node: list[Any], origin: NodeOrigin) -> TestStory:
        note = str(self._error["message"]) if self._error else ""
        return _story("rule", origin.condition or node[0], None, origin, origin.rule, note=note)

    def _value(self, number: int, node: list[Any]) -> Any:
        try:
            return self._view.value_at(number, node)
        except Exception:
            return None

    def _branch(self, number: int, node: list[Any], origin: NodeOrigin) -> TestStory:
        text, value = origin.condition, self._value(number, node)
        kind: TestKind = "rule" if origin.rule else "step"
        note = ""
        if origin.rule and text.startswith(HOLD):
            kind = "held"
            if value is not True and self._view.frame is not None:
                whose = " for a person" if self._view.frame.asks == "person" else ""
                note = f"an ask{whose} is carried, so this allow does not count"
        elif origin.rule.endswith(BECOMES) and value is True:
            note = "asks that are carried become a deny"
        if value is None:
            taken = node[5] == "then"
            note = "unknown counts as true" if taken else "unknown never lets a call through"
        facts = facts_read(self._program, self._view, decode_expr(node[2]), text, self._settings)
        title = self._title(origin.rule)
        return _story(kind, text, value, origin, origin.rule, title, facts, note)

    def _title(self, rule: str) -> str:
        title = self._rules.get(rule, RuleOrigin()).title
        return f"exception {rule}: {title}" if rule in self.excepted else title

    def _switch(self, number: int, node: list[Any], origin: NodeOrigin) -> list[TestStory]:
        """The rules that a switch chose among: those it passed by, and the one it led to."""
        have = self._program.test_of(number)(self._view.frame)
        cases: dict[str, list[Any]] = {}
        decided = ""
        for value, target in node[3]:
            rule, whole = self._rule_at(target)
            cases.setdefault(rule, []).append(value)
            if value == have:
                decided = rule if whole else decided
        entry = dict(node[3]).get(have)
        others = [rule for rule in cases if entry is None or rule != self._rule_at(entry)[0]]
        tests = [
            self._case(origin, have, rule, cases[rule], False) for rule in others[:MOST_OTHERS]
        ]
        if decided:
            tests.append(self._case(origin, have, decided, cases[decided], True))
        if others[MOST_OTHERS:]:
            left = len(others) - MOST_OTHERS
            noun = "rule" if left == 1 else "rules"
            text = f"{left:,} more {noun} for another {origin.condition}"
            tests.append(_story("more", text, False, origin))
        return tests

    def _case(
        self, origin: NodeOrigin, have: Any, rule: str, values: list[Any], held: bool
    ) -> TestStory:
        title, file, line, _ = self._rules.get(rule, RuleOrigin("", origin.file, origin.line))
        more = ", …" if values[MOST_VALUES:] else ""
        text = f"{origin.condition} in [{', '.join(map(str, values[:MOST_VALUES]))}{more}]"
        facts = ((origin.condition, self._view.show(have)),)
        return TestStory("rule", text, held, rule, title, facts, "", file, line)

    def _rule_at(self, number: int) -> tuple[str, bool]:
        """The rule that a case of a switch leads to, and whether nothing else is asked there."""
        node, origin = self._nodes[number - 1], self._origins[number - 1]
        if node[0] in ("decide", "consult", "note"):
            return str(node[2]), True
        return origin.rule, origin.condition.startswith(HOLD)

    def _guards(self) -> list[TestStory]:
        frame = self._view.frame
        tests = []
        for match in frame.matches if frame else ():
            told = self._view.matched(match)
            rule, decide = told["rule"], told["decide"]
            title, file, line, text = self._rules.get(rule, RuleOrigin())
            note = _PERSON if told["approval"] == "person" else ""
            kind: TestKind = "guard"
            if not match.stands:
                kind, note = self._mark(told)
            facts, why = self._guard_facts(match, text), told["reason"]
            test = TestStory(kind, text, decide, rule, title, facts, note, file, line, why)
            tests.append(test)
        return tests

    def _guard_facts(self, match: Match, text: str) -> tuple[tuple[str, str], ...]:
        """What the guard's condition read: of the effect that it fired on, and of the call."""
        if match.guard < 0:
            return ()
        form = self._program.guards.forms[match.guard]
        when = decode_expr(form["when"])
        found = []
        if match.effect is not None:
            fields = match.effect.fields
            for name in dict.fromkeys(effect_fields(when)):
                binder, _, field = name.partition(".")
                if binder == form["each"][0] and field in fields:
                    found.append((name, self._view.show(fields[field])))
        return (*found, *facts_read(self._program, self._view, when, text, self._settings))


def _story(
    kind: TestKind,
    text: str,
    value: Any,
    origin: NodeOrigin,
    rule: str = "",
    title: str = "",
    facts: tuple[tuple[str, str], ...] = (),
    note: str = "",
) -> TestStory:
    return TestStory(kind, text, value, rule, title, facts, note, origin.file, origin.line)
