"""Random rules: guards, the steps of a flow, the risk map. Each as it is written and as it is
understood: a dict for a rule file, and the model object that the checker must make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from callgate.model.catalogue import Risk, RiskRule
from callgate.model.condition import Condition
from callgate.model.expr import Fact, Get, Var
from callgate.model.policy import (
    AskLevel,
    Decide,
    Guard,
    GuardDecision,
    Rule,
    Step,
    Verdict,
)
from callgate.model.template import Template
from callgate.model.types import Enum
from tests.strategies_exceptions import held_back
from tests.strategies_outcomes import Form, Written, consult, decide
from tests.strategies_pick import Pick
from tests.strategies_scope import Direction, Scope, Term
from tests.strategies_terms import EFFECT_NAMES, condition, effect_terms
from tests.strategies_world import LEVELS, TOOLS, scope_of

__all__ = ["FOCUS", "Phase", "Style", "Written", "focused_step", "guard", "risk_map", "step"]


FOCUS: Final = ("delete", "run")
"""The kinds of effect that focused rules speak of."""


@dataclass(frozen=True)
class Style:
    """How rules are drawn. `unresolved`: what guards may do about the unknown. `liberal`: effects
    are read where the type checker does not allow it. `focused`: rules speak of effects of a few
    kinds, and of little else, so that a change of the effects often changes the decision.
    `defined`: conditions that have a name."""

    unresolved: tuple[str, ...] = ("ask", "deny", "pass")
    liberal: bool = False
    focused: bool = False
    defined: tuple[Term, ...] = ()

    def scope(self, pick: Pick, tools: tuple[str, ...] | None = None) -> Scope:
        """What a rule for these tools may name."""
        if self.focused:
            return Scope({"bool": (Term("call.nested", Fact("call.nested")),)}, kinds=FOCUS)
        scope = scope_of(tools, args=pick.flip())
        return scope.adding(present={"bool": self.defined}) if self.defined else scope


def _condition(term: Term | None) -> Condition | None:
    return None if term is None else Condition(term.text, term.expr)


def _when(form: Form, key: str, term: Term | None) -> Condition | None:
    """Write a condition down, and give the model's."""
    if term is not None:
        form[key] = term.text
    return _condition(term)


def _target(pick: Pick, form: Form) -> tuple[str, ...] | None:
    tools = tuple(pick.some(list(TOOLS), 1, 2)) if pick.flip() else None
    if tools is not None:
        form["tools"] = list(tools)
    return tools


# --- guards ---------------------------------------------------------------------------------


def guard(pick: Pick, id: str, style: Style) -> Written:
    """A guard on effects, or on the call."""
    form: Form = {"id": id, "title": f"guard {id}"}
    tools = None if style.focused else _target(pick, form)
    decide = pick.of(list(GuardDecision)[: 2 if style.focused else 3])
    form["decide"] = decide.value
    approval = AskLevel.ANY
    if decide is GuardDecision.ASK and pick.flip():
        approval = AskLevel.PERSON
        form["approval"] = "person"
    scope, each = style.scope(pick, tools), None
    reason = Template((f"says {id}",))
    form["reason"] = f"says {id}"
    if pick.number(0, 2) or style.focused:
        each = ("e", pick.of(FOCUS if style.focused else EFFECT_NAMES))
        form["each"] = f"e in effects.{each[1]}"
        scope = effect_terms(scope, each[1], "e")
        reason = Template((f"says {id}: ", Get(Var("e"), "certain")))
        form["reason"] = f"says {id}: {{e.certain}}"
    scope = scope.daring() if style.liberal else scope.reading("up")
    term = condition(pick, scope, depth=1 if style.focused else 2) if pick.number(0, 5) else None
    when = _when(form, "when", term)
    unresolved = pick.of(style.unresolved)
    if unresolved == "deny" and decide is not GuardDecision.DENY:
        unresolved = "ask"  # more would be refused (C019)
    if unresolved != "ask" and term is not None:
        form["unresolved"] = {"pass": "seen elsewhere"} if unresolved == "pass" else unresolved
    rest = held_back(pick, form, scope)
    model = Guard(
        id, form["title"], decide, when, each, tools, approval, _unresolved(form), reason, **rest
    )
    return Written(form, model)


def _unresolved(form: Form) -> Any:
    given = form.get("unresolved", "ask")
    return "pass" if isinstance(given, dict) else given


# --- the flow -------------------------------------------------------------------------------


Phase = Literal["before", "here", "after", "without"]
"""Where a step stands: before the guards, with them, after them, in a flow without them."""


def _rule(pick: Pick, id: str, style: Style, phase: Phase) -> Written:
    """A rule of a flow; before the guards it never allows."""
    effects = ("ask", "deny") if phase == "before" else ("allow", "allow", "ask", "deny")
    asks = phase in ("here", "after")
    form: Form = {"id": id, "title": f"rule {id}"}
    tools = _target(pick, form)
    scope = style.scope(pick, tools)
    if pick.number(0, 4) == 0:
        outcome, then = consult(pick, effects, asks)
        term = condition(pick, scope.reading(unknown=False))
    else:
        outcome, then = decide(pick, effects, ("asks",) if asks else ())
        term = _deciding(pick, scope, outcome["decide"], style, asks)
    when = _when(form, "when", term)
    form.update(outcome)
    rest: Mapping[str, Any] = {}
    if "decide" in form:
        deny = form["decide"] == "deny"
        scope = scope.daring() if style.liberal else scope
        rest = held_back(pick, form, scope, effects=deny, asks="down" if asks and deny else "none")
    return Written(form, Rule(id, form["title"], when, then, tools, **rest))


def _deciding(pick: Pick, scope: Scope, effect: str, style: Style, asks: bool) -> Term:
    """The condition of a rule that allows, asks or denies."""
    facing: Direction = {"allow": "down", "deny": "up"}.get(effect, "none") if asks else "none"
    if style.liberal:
        return condition(pick, scope.reading(asks=facing).daring())
    if effect != "allow" or (pick.number(0, 2) and not style.focused):
        return condition(pick, scope.reading(asks=facing))
    complete = Term("effects.complete", Fact("effects.complete"))
    return complete.and_(condition(pick, scope.reading("down", asks=facing)))


def _step_when(pick: Pick, form: Form, style: Style, phase: Phase) -> Condition | None:
    if phase == "here":
        return None
    scope = style.scope(pick).reading(unknown=False)
    return _when(form, "when", condition(pick, scope, depth=1))


def _asks_become(pick: Pick, form: Form, style: Style) -> Condition | None:
    """The condition under which the guards' asks become a deny."""
    if pick.flip():
        return None
    asked = condition(pick, style.scope(pick).reading(), depth=1)
    form["asks_become"] = {"deny": asked.text}
    return _condition(asked)


def step(pick: Pick, id: str, style: Style, phase: Phase) -> Written:
    """A step of a flow."""
    form: Form = {"id": id, "title": f"step {id}"}
    here = phase == "here"
    when = _step_when(pick, form, style, phase)
    if here:
        form["guards"] = "all"
    become = _asks_become(pick, form, style) if here else None
    effects = ("deny", "ask") if phase == "before" else ("allow", "deny", "ask")
    if not here and pick.number(0, 3) == 0:
        outcome, consulted = consult(pick, effects, phase == "after")
        form.update(outcome)
        models: tuple[Rule, ...] = (Rule(id, form["title"], None, consulted),)
    else:
        count = pick.number(0 if here else 1, 3)
        rules = [_rule(pick, f"{id}.r{n}", style, phase) for n in range(count)]
        form.update({"rules": [rule.form for rule in rules]} if rules else {})
        models = tuple(rule.model for rule in rules)
    otherwise = None
    if not here and pick.number(0, 2) == 0:
        decided = pick.of(effects)
        form["otherwise"] = {"decide": decided, "reason": "no rule decided"}
        otherwise = Decide(Verdict(decided), Template(("no rule decided",)))
    show = Fact("risk") if pick.flip() else None
    if show is not None:
        form["show"] = "risk"
    return Written(form, Step(id, form["title"], models, when, otherwise, here, become, show))


def focused_step(pick: Pick, style: Style) -> Written:
    """A step after the guards whose rules allow, some despite asks, or deny because of asks."""
    rules: list[Written] = []
    for number in range(pick.number(1, 3)):
        form: Form = {"id": f"s.r{number}", "title": "rule"}
        scope = style.scope(pick)
        if pick.number(0, 5) == 0:
            outcome, then = decide(pick, ("deny",), ())
            term: Term | None = condition(pick, scope.reading(asks="up"), depth=0)
        else:
            outcome, then = decide(pick, ("allow",), ("asks",))
            term = _deciding(pick, scope, "allow", style, asks=True) if pick.flip() else None
        when = _when(form, "when", term)
        form.update(outcome)
        rest = held_back(pick, form, scope, asks="down")
        rules.append(Written(form, Rule(form["id"], "rule", when, then, **rest)))
    return Written(
        {"id": "s", "title": "step", "rules": [rule.form for rule in rules]},
        Step("s", "step", tuple(rule.model for rule in rules)),
    )


# --- risk -----------------------------------------------------------------------------------


def _risk_rule(pick: Pick, id: str, level_key: str) -> Written:
    form: Form = {"id": id}
    tools = _target(pick, form) if level_key == "to" else None
    scope = scope_of(tools, risk=False, args=pick.flip()).reading()
    term = condition(pick, scope, depth=1)
    level = pick.of(LEVELS)
    form["when"] = term.text
    form[level_key] = level
    when = Condition(term.text, term.expr)
    return Written(form, RiskRule(id, when, level, tools))


def risk_map(pick: Pick) -> Written:
    """A risk map that knows every tool of the catalogue."""
    levels = {name: pick.of(LEVELS) for name in TOOLS}
    tools = {level: [n for n, given in levels.items() if given == level] for level in LEVELS}
    declared = [_risk_rule(pick, f"declared.{n}", "level") for n in range(pick.number(0, 2))]
    raises = [_risk_rule(pick, f"raise.{n}", "to") for n in range(pick.number(0, 2))]
    default = pick.of(LEVELS)
    form = {
        "levels": list(LEVELS),
        "combine": "strictest",
        "default": default,
        "tools": {level: names for level, names in tools.items() if names},
        "declared": [rule.form for rule in declared],
        "raise": [rule.form for rule in raises],
    }
    model = Risk(
        Enum("risk", LEVELS, ordered=True),
        levels,
        default,
        tuple(rule.model for rule in declared),
        tuple(rule.model for rule in raises),
    )
    return Written(form, model)
