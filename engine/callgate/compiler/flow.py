"""A flow and its settings → nodes.

The flow is built from its end: every rule needs the node that a call goes to when the rule does
not decide. Reversing the order of creation afterwards (`numbering`) puts the nodes in the order of
the walk, with edges that only go forward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.compiler.exceptions import exception_text, exceptions_of
from callgate.compiler.memo import Under
from callgate.compiler.simplify import FALSE, TRUE, simplify
from callgate.compiler.switches import Case, arrange
from callgate.model.codec import encode_expr, encode_template
from callgate.model.condition import Condition
from callgate.model.expr import And, Apply, Const, Expr, Fact
from callgate.model.graph import FoldedRule, NodeOrigin
from callgate.model.policy import AskLevel, Consult, Decide, Flow, Policy, Rule, Step, Verdict
from callgate.model.span import Span
from callgate.model.template import Template
from callgate.runtime.masking import Masker

__all__ = ["FlowBuilder", "place"]

ASK_LEVELS: Final = tuple(level.value for level in AskLevel)
_FIRST_ASK: Final = Template((Fact("guards.reason"),))


def place(span: Span | None) -> tuple[str, int]:
    """File and line of a span."""
    return (span.file, span.line) if span else ("", 0)


@dataclass(frozen=True, slots=True)
class _Origin:
    step: int
    rule: str
    text: str
    span: Span | None


class FlowBuilder:
    """Makes nodes; handles are their indices in order of creation."""

    def __init__(
        self,
        policy: Policy,
        settings: Mapping[str, Any],
        under: Under,
        can_ask: bool,
        masker: Masker,
        secrets: Sequence[Any] = (),
    ) -> None:
        self.policy = policy
        self.settings = settings
        self.under = under
        self.can_ask = can_ask
        self.steps: list[tuple[str, str]] = []
        self.spans: list[Span | None] = []
        self.nodes: list[list[Any]] = []
        self.origins: list[_Origin] = []
        self.folded: list[FoldedRule] = []
        self.after_guards = False
        self._masker = masker
        self._secrets = masker.of_settings(secrets)

    # -- nodes

    def _add(self, node: list[Any], origin: _Origin) -> int:
        self.nodes.append(node)
        self.origins.append(origin)
        return len(self.nodes) - 1

    def branch(self, case: Case, otherwise: int) -> int:
        origin: _Origin = case.origin
        unknown = "then" if case.unknown_applies else "otherwise"
        return self._add(
            ["branch", origin.step, encode_expr(case.test), case.target, otherwise, unknown], origin
        )

    def switch(self, on: Expr, table: Sequence[tuple[Any, int]], default: int, origin: Any) -> int:
        return self._add(
            ["switch", origin.step, encode_expr(on), [list(row) for row in table], default],
            _Origin(origin.step, "", _text(on), self.spans[origin.step]),
        )

    def decide(self, decide: Decide, rule: str, origin: _Origin, after: int) -> int:
        """The node for an outcome; an allow that asks can hold goes on to `after` where they do."""
        node = self._add(
            [
                "decide",
                origin.step,
                rule,
                decide.effect.value,
                self.under.reason(decide.reason),
            ],
            _Origin(origin.step, rule, "", origin.span),
        )
        return self._unless_held(node, decide, rule, origin, after)

    def _unless_held(
        self, node: int, decide: Decide, rule: str, origin: _Origin, after: int
    ) -> int:
        """The entry to an outcome's node."""
        if not self._held(decide):
            return node
        most = ASK_LEVELS.index(decide.despite.value)
        text = f"guards.asks <= {decide.despite.value}"
        return self.branch(
            Case(_asks("le", most), node, False, _Origin(origin.step, rule, text, origin.span)),
            after,
        )

    # -- the flow, from its end

    def flow(self, flow: Flow, last: str = "otherwise") -> int:
        """The entry of a flow; `last` names its last word. Steps are numbered on from those of the
        flow before."""
        first, folded = len(self.steps), self.folded
        self.folded = []
        self.steps += [*((s.id, s.title) for s in flow.steps), (last, last.capitalize())]
        self.spans += [*(step.span for step in flow.steps), flow.span]
        steps = list(enumerate(flow.steps, first))
        end = first + len(steps)
        guards_at = min((i for i, step in steps if step.guards), default=end)
        self.after_guards = guards_at < end
        entry = self.decide(flow.otherwise, last, _Origin(end, last, "", flow.span), -1)
        for index, step in reversed(steps):
            self.after_guards = index >= guards_at
            entry = self.step(index, step, entry)
        self.folded = [*folded, *reversed(self.folded)]
        return entry

    def step(self, index: int, step: Step, after: int) -> int:
        when = self.under.condition(step.when)
        if when == FALSE:
            self._off(step, "", step.title, step.when, step.span)
            return after
        here = _Origin(index, "", "", step.span)
        entry = after
        if step.otherwise is not None:
            entry = self.decide(step.otherwise, f"{step.id}.otherwise", here, after)
        entry = self._rules(index, step, entry)
        if step.guards:
            entry = self._guard_step(index, step, entry)
        if step.show is not None:
            shown = simplify(step.show, self.under.fold)
            entry = self._add(
                ["switch", index, encode_expr(shown), [], entry],
                _Origin(index, "", _text(shown), step.span),
            )
        if when != TRUE:
            text = step.when.text if step.when else ""
            entry = self.branch(Case(when, entry, True, _Origin(index, "", text, step.span)), after)
        return entry

    def _guard_step(self, index: int, step: Step, after: int) -> int:
        origin = _Origin(index, "", "guards", step.span)
        deny = self.under.condition(step.asks_become_deny) if step.asks_become_deny else FALSE
        if deny != FALSE and self.can_ask:
            rule = f"{step.id}.asks-become-deny"
            carried = _asks("gt", 0)
            test = carried if deny == TRUE else And((carried, deny))
            target = self._add(["decide", index, rule, "deny", encode_template(_FIRST_ASK)], origin)
            assert step.asks_become_deny is not None
            text = f"guards.asks > none and {step.asks_become_deny.text}"
            after = self.branch(
                Case(test, target, True, _Origin(index, rule, text, step.span)), after
            )
        if not self.can_ask:
            return after
        return self._add(["guards", index, after], origin)

    def _rules(self, index: int, step: Step, after: int) -> int:
        entry = after
        run: list[Case] = []
        for rule in reversed(step.rules):
            test = self.under.condition(rule.when)
            if test == FALSE:
                self._off(step, rule.id, rule.title, rule.when, rule.span)
                continue
            if rule.tools is not None:
                among = Apply("in", (Fact("call.tool"), Const(rule.tools)))
                test = simplify(And((among, test)), self.under.fold)
            text = rule.when.text if rule.when else ""
            origin = _Origin(index, rule.id, text, rule.span)
            plain = not rule.shadow and not rule.exceptions
            if plain and isinstance(rule.then, Decide) and not self._held(rule.then):
                # Falling through is the same for all of these: they may become one switch.
                target = self.decide(rule.then, rule.id, origin, -1)
                applies = rule.then.effect is not Verdict.ALLOW
                run.append(Case(test, target, applies, origin))
                continue
            entry = arrange(run[::-1], entry, self)
            run = []
            target, applies = self._outcome(rule, origin, entry)
            target = self._excepted(step, rule, origin, target, entry)
            case = Case(test, target, applies, origin)
            entry = target if test == TRUE else self.branch(case, entry)
        return arrange(run[::-1], entry, self)

    def _held(self, decide: Decide) -> bool:
        """Whether it is an allow that carried asks can hold."""
        allow = decide.effect is Verdict.ALLOW and decide.despite is not AskLevel.PERSON
        return allow and self.can_ask and self.after_guards

    def _outcome(self, rule: Rule, origin: _Origin, after: int) -> tuple[int, bool]:
        if isinstance(rule.then, Decide) and rule.shadow:
            node = self._note(rule, rule.then, origin, after, None)
            node = self._unless_held(node, rule.then, rule.id, origin, after)
            return node, rule.then.effect is not Verdict.ALLOW
        if isinstance(rule.then, Decide):
            applies = rule.then.effect is not Verdict.ALLOW
            return self.decide(rule.then, rule.id, origin, after), applies
        return self._consult(rule.then, rule.id, origin, after), True

    def _excepted(self, step: Step, rule: Rule, origin: _Origin, target: int, after: int) -> int:
        """The entry to what a rule leads to, behind its exceptions: where one counts, the walk goes
        on as if the rule did not hold."""
        if not isinstance(rule.then, Decide):
            return target
        kept = exceptions_of(rule, self.under.fold)
        for item, test in reversed(kept):
            here = _Origin(origin.step, item.id, exception_text(item), item.span)
            note = self._note(rule, rule.then, here, after, item.id)
            target = self.branch(Case(test, note, False, here), target)
        for item in rule.exceptions:
            if all(item is not other for other, _ in kept):
                self._off(step, item.id, f"exception {item.id}", item.when, item.span)
        return target

    def _note(
        self, rule: Rule, decide: Decide, origin: _Origin, after: int, exception: str | None
    ) -> int:
        """What a rule would have decided, put on record."""
        reason = self.under.reason(decide.reason)
        effect = decide.effect.value
        form = ["note", origin.step, rule.id, effect, reason, after, rule.shadow, exception]
        return self._add(form, _Origin(origin.step, origin.rule, "", origin.span))

    def _consult(self, consult: Consult, rule: str, origin: _Origin, after: int) -> int:
        answers: dict[str, int] = {}
        for answer, outcome in consult.answers.items():
            if isinstance(outcome, Decide):
                answers[answer] = self.decide(outcome, f"{rule}.{answer}", origin, after)
            else:
                answers[answer] = after
        who, patterns = consult.who.value, list(consult.unavailable_when)
        return self._add(["consult", origin.step, rule, who, answers, patterns], origin)

    # -- helpers

    def _off(
        self, step: Step, rule: str, title: str, condition: Condition | None, span: Span | None
    ) -> None:
        expr = condition.expr if condition else None
        names = self.under.reads_of(id(expr), (expr,)) if expr else ()
        shown = ", ".join(f"{name} is {self._shown(name)}" for name in names)
        why = shown or (f"`{condition.text}` is never true" if condition else "")
        self.folded.append(FoldedRule(step.id, rule, title, why, *place(span)))

    def _shown(self, name: str) -> str:
        """A setting's value for people; of a secret, only whether there is one."""
        value = self.settings.get(name)
        setting = self.policy.vocabulary.settings.get(name)
        if setting is not None and setting.field.secret:
            return "set" if value else "not set"
        return self._masker.show(value, self._secrets) or '""'

    def origin_of(self, handle: int) -> NodeOrigin:
        """Where a node comes from."""
        origin = self.origins[handle]
        step, _ = self.steps[origin.step]
        return NodeOrigin(step, origin.rule, origin.text, *place(origin.span))


def _asks(op: str, level: int) -> Expr:
    rank = Apply("rank", (Fact("guards.asks"), Const(ASK_LEVELS)))
    return Apply(op, (rank, Const(level)))


def _text(expr: Expr) -> str:
    return expr.name if isinstance(expr, Fact) else "value"
