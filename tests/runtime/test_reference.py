"""The reference, on hand-written policies: the flow, guards and consults."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.model.condition import Condition
from callgate.model.effect import Effect, EffectSet
from callgate.model.expr import (
    Apply,
    Const,
    Expr,
    Fact,
    Get,
    Quant,
    Var,
)
from callgate.model.policy import (
    AskLevel,
    Consult,
    Consultant,
    Decide,
    Guard,
    GuardDecision,
    Next,
    Rule,
    Step,
    Verdict,
)
from callgate.model.values import UNKNOWN
from callgate.runtime.reference import Outcome, evaluate
from callgate.runtime.reference_reviewer import MAX_REPLY, reviewer_answer
from tests.small import eq, policy

T, F = Const(True), Const(False)


def _rule(name: str, effect: str, when: Expr | None = None, despite: str = "none") -> Rule:
    condition = None if when is None else Condition(name, when)
    return Rule(name, name, condition, Decide(Verdict(effect), None, AskLevel(despite)))


def _guard(name: str, decide: str, when: Expr | None = None, **more: Any) -> Guard:
    condition = None if when is None else Condition(name, when)
    return Guard(name, name, GuardDecision(decide), condition, **more)


_UNKNOWN_TIME = Apply("lt", (Fact("observed.time"), Const(0)))
_GUARDS = Step("guards", "guards", guards=True)
_DELETE = Effect("delete", {"path": "/x", "recursive": True})
_HIDDEN = Effect("delete", {"path": "/x", "recursive": UNKNOWN})
_FLAT = Effect("delete", {"path": "/x", "recursive": False})
_OPAQUE = Effect("opaque", {"reason": "?", "bound": False})
_EACH = ("d", "delete")
_RECURSIVE = Get(Var("d"), "recursive")


def _effects(*items: Effect) -> EffectSet:
    effects = EffectSet()
    for effect in items:
        effects.add(effect)
    return effects


def _evaluate(source: Any, call: dict[str, Any] | None = None, *effects: Effect) -> Outcome:
    return evaluate(source, {}, call or {"tool": "exec"}, _effects(*effects))


@pytest.mark.parametrize(
    ("rules", "rule", "decision"),
    [
        ((_rule("a", "allow"), _rule("b", "deny")), "a", "allow"),
        ((_rule("a", "allow", F), _rule("b", "deny", T)), "b", "deny"),
        ((_rule("a", "allow", _UNKNOWN_TIME), _rule("b", "ask")), "b", "ask"),
        ((_rule("a", "deny", _UNKNOWN_TIME), _rule("b", "allow")), "a", "deny"),
        ((_rule("a", "ask", _UNKNOWN_TIME), _rule("b", "allow")), "a", "ask"),
        ((_rule("a", "deny", F),), "otherwise", "ask"),
    ],
)
def test_the_first_rule_that_applies_decides(
    rules: tuple[Rule, ...], rule: str, decision: str
) -> None:
    found = _evaluate(policy(*rules))
    assert (found.rule, found.decision.value, found.error) == (rule, decision, None)


def test_steps_are_passed_over_and_have_an_otherwise() -> None:
    steps = (
        Step("off", "off", (_rule("a", "deny"),), Condition("no", F)),
        Step("on", "on", (_rule("b", "deny", F),), None, Decide(Verdict.ASK)),
        Step("never", "never", (_rule("c", "allow"),)),
    )
    found = _evaluate(policy(steps=steps))
    assert (found.rule, found.step, found.decision) == ("on.otherwise", "on", "ask")
    assert [(visit.step, visit.when) for visit in found.visits] == [("off", False), ("on", True)]
    assert found.visits[1].rules == [("b", False)]


@pytest.mark.parametrize("tools", [("exec",), ("write_file",)])
def test_rules_of_some_tools(tools: tuple[str, ...]) -> None:
    rule = Rule("a", "a", None, Decide(Verdict.DENY), tools)
    found = _evaluate(policy(rule))
    assert found.rule == ("a" if "exec" in tools else "otherwise")


def test_an_unknown_step_or_a_failure_denies() -> None:
    step = Step("s", "s", (_rule("a", "allow"),), Condition("t", _UNKNOWN_TIME))
    found = _evaluate(policy(steps=(step,)))
    assert (found.decision, found.step, found.error) == ("deny", "s", "R006")
    found = _evaluate(policy(_rule("a", "allow", Fact("call.nonsense"))))
    assert (found.decision, found.rule, found.error) == ("deny", "a", "R006")


# --- guards ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guard", "effects", "matched", "decision"),
    [
        (_guard("g", "deny", _RECURSIVE, each=_EACH), [_DELETE], ("deny", None), "deny"),
        (_guard("g", "deny", _RECURSIVE, each=_EACH), [_FLAT], None, "allow"),
        (_guard("g", "deny", _RECURSIVE, each=_EACH), [], None, "allow"),
        (_guard("g", "deny", each=_EACH), [_FLAT], ("deny", None), "deny"),
        (_guard("g", "deny", _RECURSIVE, each=_EACH), [_HIDDEN], ("ask", "person"), "ask"),
        (_guard("g", "deny", _RECURSIVE, each=_EACH), [_HIDDEN, _DELETE], ("deny", None), "deny"),
        (_guard("g", "ask", _RECURSIVE, each=_EACH), [_HIDDEN], ("ask", "any"), "ask"),
        (
            _guard("g", "ask", each=_EACH, approval=AskLevel.PERSON),
            [_FLAT],
            ("ask", "person"),
            "ask",
        ),
        (
            _guard("g", "deny", _RECURSIVE, each=_EACH, unresolved="deny"),
            [_HIDDEN],
            ("deny", None),
            "deny",
        ),
        (_guard("g", "deny", _RECURSIVE, each=_EACH, unresolved="pass"), [_HIDDEN], None, "allow"),
        (_guard("g", "note", each=_EACH), [_FLAT], ("note", None), "allow"),
        (_guard("g", "note", _RECURSIVE, each=_EACH), [_HIDDEN], None, "allow"),
        (_guard("g", "deny", T, tools=("write_file",)), [], None, "allow"),
        (_guard("g", "deny", T), [], ("deny", None), "deny"),
    ],
)
def test_a_guard(
    guard: Guard, effects: list[Effect], matched: tuple[str, str | None] | None, decision: str
) -> None:
    source = policy(_rule("a", "allow"), guards=(guard,), steps=(_GUARDS,))
    found = _evaluate(source, None, *effects)
    assert found.decision == decision
    assert [(m.decide, m.approval) for m in found.matched] == ([matched] if matched else [])
    if decision == "deny":
        assert (found.rule, found.step) == ("g", "guards")


@pytest.mark.parametrize(
    ("asks", "despite", "taken"),
    [
        ([], "none", True),
        (["any"], "none", False),
        (["any"], "any", True),
        (["person"], "any", False),
        (["any", "person", "any"], "any", False),
        (["any", "person", "any"], "person", True),
    ],
)
def test_asks_hold_allows(asks: list[str], despite: str, taken: bool) -> None:
    guards = tuple(_guard(f"g{n}", "ask", T, approval=AskLevel(a)) for n, a in enumerate(asks))
    found = _evaluate(policy(_rule("a", "allow", None, despite), guards=guards, steps=(_GUARDS,)))
    assert found.rule == ("a" if taken else "otherwise")


def test_the_first_deny_ends_the_guards() -> None:
    guards = (_guard("a", "ask", T), _guard("b", "deny", T), _guard("c", "deny", T))
    found = _evaluate(policy(guards=guards, steps=(_GUARDS,)))
    assert [m.rule for m in found.matched] == ["a", "b"]
    assert found.visits[0].guards == [("a", True), ("b", True)]


def test_what_is_not_understood_needs_a_person() -> None:
    source = policy(_rule("a", "allow", None, "any"), steps=(_GUARDS,))
    found = _evaluate(source, None, _OPAQUE, _OPAQUE)
    assert [(m.rule, m.approval) for m in found.matched] == [("builtin.opaque", "person")] * 2
    assert found.rule == "otherwise"


def test_what_is_too_much_is_denied() -> None:
    source = policy(_rule("a", "allow", None, "any"), steps=(_GUARDS,))
    too_much = Effect("opaque", {"reason": "?", "bound": True})
    found = _evaluate(source, None, _OPAQUE, too_much)
    assert [m.rule for m in found.matched] == ["builtin.opaque", "builtin.bounds"]
    assert (found.decision, found.rule) == (Verdict.DENY, "builtin.bounds")


def test_conditions_read_effects() -> None:
    deletes = Quant("count", "d", Fact("effects.delete"), _RECURSIVE, "ge", Const(2))
    source = policy(_rule("a", "deny", deletes), _rule("b", "allow", Fact("effects.complete")))
    assert _evaluate(source).rule == "b"
    assert _evaluate(source, None, _OPAQUE).rule == "otherwise"
    assert _evaluate(source, None, _DELETE, _FLAT).rule == "b"
    assert _evaluate(source, None, _DELETE, _DELETE).rule == "a"
    assert _evaluate(source, None, _DELETE, _HIDDEN).rule == "a"


@pytest.mark.parametrize(
    ("when", "asks", "rule"),
    [
        (T, True, "guards.asks-become-deny"),
        (_UNKNOWN_TIME, True, "guards.asks-become-deny"),
        (F, True, "otherwise"),
        (T, False, "otherwise"),
    ],
)
def test_asks_become_a_deny(when: Expr, asks: bool, rule: str) -> None:
    step = Step("guards", "g", guards=True, asks_become_deny=Condition("c", when))
    guards = (_guard("g", "ask", T if asks else F),)
    assert _evaluate(policy(guards=guards, steps=(step,))).rule == rule


def test_conditions_read_what_guards_asked() -> None:
    asked = _rule("a", "deny", eq("guards.asks", "person"))
    guards = (_guard("g", "ask", T, approval=AskLevel.PERSON),)
    assert _evaluate(policy(asked, guards=guards, steps=(_GUARDS,))).rule == "a"
    assert _evaluate(policy(asked, guards=guards)).rule == "otherwise"


# --- consults -------------------------------------------------------------------------------


def _consulting(who: str, **answers: Any) -> Any:
    names = {
        "grant": ("granted", "none"),
        "reviewer": ("approve", "deny", "escalate", "unavailable"),
        "human": ("once", "session", "session-all", "always", "deny", "timeout"),
    }[who]
    given = {name: answers.get(name, Decide(Verdict.DENY)) for name in names}
    consult = Consult(Consultant(who), given, ("^Error:",))
    return policy(Rule("r", "r", None, consult))


@pytest.mark.parametrize(
    ("who", "answers", "rule"),
    [
        ("grant", None, "r.pending"),
        ("grant", {}, "r.pending"),
        ("grant", {"grant": None}, "r.pending"),
        ("grant", {"grant": True}, "r.granted"),
        ("grant", {"grant": False}, "r.none"),
        ("human", {"grant": True}, "r.pending"),
        ("human", {"human": "session-all"}, "r.session-all"),
        ("reviewer", {"reviewer": None}, "r.unavailable"),
        ("reviewer", {"reviewer": "approve"}, "r.approve"),
        ("reviewer", {"reviewer": {"unavailable": "down"}}, "r.unavailable"),
        ("reviewer", {"reviewer": {"reply": "DENY"}}, "r.deny"),
    ],
)
def test_answers(who: str, answers: dict[str, Any] | None, rule: str) -> None:
    call = {"tool": "exec"} if answers is None else {"tool": "exec", "answers": answers}
    found = _evaluate(_consulting(who), call)
    assert (found.rule, found.error) == (rule, None)
    assert found.pending == (who if rule == "r.pending" else None)
    assert found.decision == ("ask" if rule == "r.pending" else "deny")


def test_an_answer_may_go_on() -> None:
    found = _evaluate(_consulting("grant", none=Next()), {"tool": "x", "answers": {"grant": False}})
    assert (found.rule, found.pending) == ("otherwise", None)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("APPROVE", "approve"),
        (" deny\n", "deny"),
        ("Escalate", "escalate"),
        ("APPROVE.", "escalate"),
        ("APPROVE DENY", "escalate"),
        ("<think>DENY</think>approve", "approve"),
        ("<Think x='1'>a\nb</THINK > Deny <think></think>", "deny"),
        ("approve <think>never closed", "approve"),
        ("<think>approve", "escalate"),
        ("<think>a</think>", "escalate"),
        ("<thinking>a</thinking>approve", "escalate"),
        ("<think>a<think>deny</think>b</think>approve", "approve"),
        ("app<think>a</think>rove", "escalate"),
        ("a</think>approve", "escalate"),
        ("approve" + " " * MAX_REPLY, "escalate"),
        ("", "unavailable"),
        (" \n", "unavailable"),
        (None, "unavailable"),
        ({"reply": None}, "unavailable"),
        ("Error: 401", "unavailable"),
        ("Error: approve", "unavailable"),
        ("an Error: 401", "escalate"),
    ],
)
def test_replies(reply: Any, answer: str) -> None:
    assert reviewer_answer(reply, ["^Error:"]) == answer
