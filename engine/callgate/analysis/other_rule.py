"""Why a rule that somebody expected to decide a call did not decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from callgate.analysis.explanation import Explanation, StepStory, TestStory
from callgate.analysis.facts import effect_fields, facts_read, open_settings
from callgate.compiler.build import settings_fold
from callgate.compiler.simplify import simplify
from callgate.model.codec import decode_expr
from callgate.model.decision import Decision
from callgate.model.graph import RuleOrigin
from callgate.model.policy import Guard, Policy, Rule
from callgate.model.suggest import closest
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program
from callgate.runtime.render import View

__all__ = ["OtherRule", "other_rule"]


@dataclass(frozen=True, slots=True)
class OtherRule:
    """`words`: why not, in one phrase. `test`: its condition with the values that it read, where it
    was looked at or can be."""

    words: str
    test: TestStory | None = None


def other_rule(
    policy: Policy,
    decision: Decision,
    explanation: Explanation,
    rule: str,
    settings: Mapping[str, Any],
) -> OtherRule:
    """Why `rule` did not make a decision. `explanation`: of it; `settings`: dotted name →
    value, the secret ones too, which are not shown."""
    shown = open_settings(policy, settings)
    for step in explanation.steps:
        for test in step.tests:
            if test.rule and test.rule in _names(rule):
                return OtherRule(_walked(test, decision), test)
    guard = next((item for item in policy.guards if item.id == rule), None)
    place = next((s for s in policy.flow.steps if guard and s.guards), None) or next(
        (s for s in policy.flow.steps if _is_in(s, rule)), None
    )
    if place is None:
        return OtherRule(_unknown(policy, rule))
    story = next((step for step in explanation.steps if step.id == place.id), None)
    off = _off(decision, rule)
    if off is not None:
        return OtherRule(off)
    if story is None or story.state in ("skipped", "off"):
        return OtherRule(_not_reached(place.id, story, decision), _first_test(story))
    own = next((item for item in place.rules if item.id in _names(rule)), None)
    would = None if own is None else _would(policy, own, decision, settings, shown)
    if story.state == "not reached":
        return OtherRule(_not_reached(place.id, story, decision), would)
    if guard is not None:
        return _guard(guard, decision, shown)
    holds = {True: ", and holds as well", False: ", and does not hold"}
    also = "" if would is None or not isinstance(would.value, bool) else holds[would.value]
    return OtherRule(f"it stands below the rule that decided{also}", would)


def _names(rule: str) -> tuple[str, ...]:
    """The ids under which a rule is told: an answer's is that of its consult with a word more."""
    return rule, rule.rpartition(".")[0]


def _is_in(step: Any, rule: str) -> bool:
    names = {item.id for item in step.rules}
    own = {f"{step.id}.otherwise", f"{step.id}.asks-become-deny"}
    return bool(names.intersection(_names(rule))) or rule in own


def _walked(test: TestStory, decision: Decision) -> str:
    if test.kind in ("guard", "shadow", "exception", "answer"):
        return test.note or f"it came to {test.value}, and another rule decided"
    if test.value is False:
        return "it does not hold"
    if test.value is None:
        return "it can't be told whether it holds"
    return f"it holds, and `{decision.rule}` decided"


def _unknown(policy: Policy, rule: str) -> str:
    known = [guard.id for guard in policy.guards]
    known += [item.id for step in policy.flow.steps for item in step.rules]
    near = closest(rule, known)
    return "there is no such rule" + (f"; did you mean `{near}`?" if near else "")


def _off(decision: Decision, rule: str) -> str | None:
    program = cast("Program", decision.source)
    for item in program.sources.folded:
        if item.rule in _names(rule):
            return f"it is off in these settings: {item.why}"
    return None


def _not_reached(step: str, story: StepStory | None, decision: Decision) -> str:
    if story is not None and story.state == "skipped":
        return f"its step `{step}` does not apply"
    if story is not None and story.state == "off":
        why = next((why for _, why in story.off if why), "")
        return f"its step `{step}` is off in these settings" + (f": {why}" if why else "")
    return f"its step `{step}` is not reached: `{decision.step}` decides before it"


def _would(
    policy: Policy,
    rule: Rule,
    decision: Decision,
    settings: Mapping[str, Any],
    shown: Mapping[str, Any],
) -> TestStory | None:
    """The condition of a rule that the walk did not come to, for the call as it was."""
    program, frame = cast("Program", decision.source), decision.frame
    if rule.when is None or not isinstance(frame, Frame):
        return None
    expr = simplify(rule.when.expr, settings_fold(policy, settings))
    try:
        value = program.codegen.compile(expr)(frame)
    except Exception:
        return None
    text, view = rule.when.text, View(program, decision)
    facts = facts_read(program, view, expr, text, shown)
    known = value if isinstance(value, bool) else None
    origin = program.sources.rules.get(rule.id, RuleOrigin())
    return TestStory("rule", text, known, rule.id, rule.title, facts, "", origin.file, origin.line)


def _first_test(story: StepStory | None) -> TestStory | None:
    """What kept a step from applying."""
    return story.tests[0] if story is not None and story.tests else None


def _guard(guard: Guard, decision: Decision, settings: Mapping[str, Any]) -> OtherRule:
    """Why a guard did nothing in a step that was walked."""
    program = cast("Program", decision.source)
    form = next((form for form in program.guards.forms if form["id"] == guard.id), None)
    if form is None:
        return OtherRule("it never fires in these settings")
    frame = decision.frame
    if not isinstance(frame, Frame):
        return OtherRule("the call could not be judged")
    if form["tools"] is not None and frame.tool not in form["tools"]:
        return OtherRule(f"it is about other tools than `{frame.tool}`")
    view = View(program, decision)
    effects = program.safe_effects(frame)
    each = form["each"]
    bound = effects.of(each[1]) if each and effects is not None else []
    if each and not bound:
        return OtherRule(f"the call has no effect `{each[1]}`")
    when = decode_expr(form["when"])
    title, file, line, text = program.sources.rules.get(guard.id, RuleOrigin())
    fields = tuple(_fields(when, each[0], bound[0], view)) if each else ()
    facts = (*fields, *facts_read(program, view, when, text, settings))
    test = TestStory("rule", text, False, guard.id, title, facts, "", file, line)
    return OtherRule("it does not fire", test)


def _fields(when: Any, binder: str, effect: Any, view: View) -> Iterator[tuple[str, str]]:
    """The fields of the first effect that a guard's condition reads, with their values."""
    for name in dict.fromkeys(effect_fields(when)):
        first, _, field = name.partition(".")
        if first == binder and field in effect.fields:
            yield name, view.show(effect.fields[field])
