"""A random second flow: rules that hide tools, and the step of the approval flow that denies
them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from callgate.compiler.assemble_visibility import denials
from callgate.model.condition import Condition
from callgate.model.policy import Decide, Flow, Rule, Step, Verdict, Visibility
from callgate.model.template import Template
from tests.strategies_outcomes import Form, Written
from tests.strategies_pick import Pick
from tests.strategies_scope import Scope, Term
from tests.strategies_terms import condition
from tests.strategies_world import TOOLS, scope_of

__all__ = ["Hiding", "hidden_step", "known_to_hiding", "visibility"]

_LATER: Final = re.compile(r"\b(?:args|effects|guards|risk)\b")
_CODES: Final = ("policy.deny", "policy.profile", "missing.key", "reserved")


@dataclass(frozen=True)
class Hiding:
    """The second flow, as it is written and as it is understood."""

    form: Form
    model: Visibility


def _scope(defined: tuple[Term, ...]) -> Scope:
    """What a rule that hides may read: neither arguments nor the risk."""
    lists = {"capability": scope_of().lists["capability"]}
    return scope_of(risk=False, args=False).adding(present={"bool": defined}, lists=lists)


def known_to_hiding(defined: Iterable[tuple[str, Term]]) -> tuple[Term, ...]:
    """The definitions that rules that hide may name: they read nothing that is found out later."""
    return tuple(Term(name, term.expr) for name, term in defined if not _LATER.search(term.text))


def visibility(pick: Pick, defined: tuple[Term, ...] = ()) -> Hiding:
    """One to three steps of rules that hide, some of which let calls pass."""
    codes: dict[str, str] = {}
    passing: set[str] = set()
    steps = [
        _step(pick, f"v{number}", defined, codes, passing) for number in range(pick.number(1, 3))
    ]
    form: Form = {
        "flow": "visibility",
        "steps": [step.form for step in steps],
        "otherwise": "show",
    }
    flow = Flow(tuple(step.model for step in steps), Decide(Verdict.ALLOW))
    return Hiding(form, Visibility(flow, codes, frozenset(passing)))


def _step(
    pick: Pick, id: str, defined: tuple[Term, ...], codes: dict[str, str], passing: set[str]
) -> Written:
    form: Form = {"id": id, "title": f"step {id}"}
    when = None
    if pick.flip():
        term = condition(pick, _scope(defined).reading(unknown=False), depth=1)
        form["when"] = term.text
        when = Condition(term.text, term.expr)
    rules = [_rule(pick, f"{id}.r{number}", defined) for number in range(pick.number(1, 3))]
    for rule in rules:
        codes[rule.form["id"]] = rule.form["hide"]
        if "calls" in rule.form:
            passing.add(rule.form["id"])
    form["rules"] = [rule.form for rule in rules]
    return Written(form, Step(id, form["title"], tuple(rule.model for rule in rules), when))


def _rule(pick: Pick, id: str, defined: tuple[Term, ...]) -> Written:
    form: Form = {"id": id, "title": f"rule {id}", "hide": pick.of(_CODES), "reason": "hidden"}
    tools = tuple(pick.some(list(TOOLS), 1, 2)) if pick.flip() else None
    if tools is not None:
        form["tools"] = list(tools)
    if pick.flip():
        form["calls"] = "pass"
    when = None
    if pick.number(0, 4):
        term = condition(pick, _scope(defined).reading())
        form["when"] = term.text
        when = Condition(term.text, term.expr)
    then = Decide(Verdict.DENY, Template(("hidden",)))
    return Written(form, Rule(id, form["title"], when, then, tools))


def hidden_step(hiding: Hiding) -> Written:
    """The step of the approval flow that denies calls of what is hidden."""
    form: dict[str, Any] = {"id": "hidden", "title": "step hidden", "flow": "visibility"}
    return Written(form, Step("hidden", form["title"], denials(hiding.model)))
