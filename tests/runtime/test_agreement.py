"""The engine and the reference decide alike, on generated bundles, settings, calls and effects.

`CALLGATE_SEED` sets the seed (a failure prints it), `CALLGATE_TIMES` multiplies the number of
examples, `CALLGATE_SHRINK` makes a failing example small.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from callgate.compiler.build import compile_policy
from callgate.model.condition import Condition
from callgate.model.effect import Effect
from callgate.model.expr import And, Apply, Const, Default, Expr, Fact, Get, Has, Not, Quant, Var
from callgate.model.policy import (
    Consult,
    Consultant,
    Decide,
    Guard,
    GuardDecision,
    Next,
    Policy,
    Rule,
    Step,
    Verdict,
)
from callgate.model.values import UNKNOWN
from callgate.runtime.answers import parse_reply
from callgate.runtime.interpreter import Program
from callgate.runtime.reference import evaluate
from callgate.runtime.reference_reviewer import reviewer_answer
from tests.runtime.agreement import asked, fits, loaded, long_test, say_seed, story_of, told, walked
from tests.strategies import (
    Bundle,
    Term,
    bundles,
    calls,
    effect_set,
    effects,
    guard_conditions,
    matches,
    nested,
    settings_values,
    with_defaults,
    world,
)


@long_test(200)
@given(bundles(), settings_values(), asked(20))
def test_whole_bundles(bundle: Bundle, values: dict[str, Any], questions: list[Any]) -> None:
    """From rule files: the same decisions for effects that come from the call, and for any."""
    say_seed()
    engine = loaded(bundle, nested(values))
    assert engine.settings == with_defaults(values)
    for call, given_effects in questions:
        decision = engine.decide(call)
        found = engine.program.effects_of(decision.frame)
        wanted = told(evaluate(engine.policy, engine.settings, call, found, fits))
        assert wanted.error is None
        assert story_of(decision) == wanted, (call, found.all)
        wanted = told(evaluate(engine.policy, engine.settings, call, given_effects, fits))
        assert wanted.error is None
        found_story = story_of(walked(engine.program, call, given_effects))
        assert found_story == wanted, (call, given_effects.all)


@long_test(100)
@given(bundles(), settings_values(), asked(20))
def test_what_is_shown(bundle: Bundle, values: dict[str, Any], questions: list[Any]) -> None:
    """The second flow: the same tools are hidden, by the same rules, whatever the arguments; and
    what the text says is what was meant."""
    say_seed()
    engine = loaded(bundle, nested(values))
    meant, read = bundle.policy.visibility, engine.policy.visibility
    if meant is not None and read is not None:
        assert (read.codes, read.passing) == (meant.codes, meant.passing)
    for call, _ in questions:
        decision = engine.program.visibility(call)
        if meant is None:
            assert decision is None
            continue
        assert decision is not None
        shown = replace(bundle.policy, flow=meant.flow, guards=(), risk=None)
        wanted = evaluate(shown, engine.settings, call, effect_set([]))
        assert wanted.error is None
        hidden = wanted.decision is Verdict.DENY
        rule = wanted.rule if hidden else "visible"
        assert (decision.decision == "deny", decision.rule) == (hidden, rule), call
        assert decision.failure is None
        # A call of what is hidden is denied by the same rule, unless it lets calls pass.
        if hidden and rule not in meant.passing:
            assert engine.decide(call).rule == rule


@long_test(60)
@given(bundles(), settings_values(), asked(20))
def test_the_text_means_what_was_meant(
    bundle: Bundle, values: dict[str, Any], questions: list[Any]
) -> None:
    """The policy that the checker makes of the text behaves as the one it was written for, down to
    the truth of every rule that was looked at."""
    say_seed()
    engine = loaded(bundle, nested(values))
    for call, given_effects in questions:
        wanted = evaluate(bundle.policy, engine.settings, call, given_effects, matches)
        found = evaluate(engine.policy, engine.settings, call, given_effects, matches)
        assert (told(found), found.visits) == (told(wanted), wanted.visits), (
            call,
            given_effects.all,
        )


def _judging(condition: Expr, kind: str = "") -> Policy:
    """A policy that tells true, false and unknown apart: with a kind of effect a guard that denies,
    asks a person or is silent; without one a rule that allows, else one that denies."""
    when = Condition("generated", condition)
    if kind:
        guard = Guard("g", "g", GuardDecision.DENY, when, ("e", kind))
        return world((guard,), (Step("guards", "guards", guards=True),))
    rules = [
        Rule(effect.value, effect.value, when, Decide(effect))
        for effect in (Verdict.ALLOW, Verdict.DENY)
    ]
    return world((), (Step("s", "s", tuple(rules)),), Verdict.ASK)


@long_test(1000)
@given(guard_conditions(), settings_values(), st.data())
def test_conditions_on_effects(
    written: tuple[str, str, Term], values: dict[str, Any], data: st.DataObject
) -> None:
    """One condition, compiled, on one effect at a time."""
    say_seed()
    tool, kind, term = written
    settings = with_defaults(values)
    policy = _judging(term.expr, kind)
    program = Program(*compile_policy(policy, settings), "test")
    call = data.draw(calls(tool))
    for effect in data.draw(st.lists(effects(kind), min_size=8, max_size=8)):
        one = effect_set([effect])
        wanted = told(evaluate(policy, settings, call, one, fits))
        assert wanted.error is None
        assert story_of(walked(program, call, one)) == wanted, effect


def _run(program: Any, words: Any) -> Effect:
    fields = {"program": program, "program_path": program, "words": words}
    return Effect(
        "run", {**fields, "subcommand": None, "options": (), "operands": (), "idle": False}
    )


_HIDDEN = _run(UNKNOWN, UNKNOWN)
_PARTLY = _run("rm", ("-r", UNKNOWN))
_PROGRAM = Get(Var("e"), "program")
_WORDS = Get(Var("e"), "words")
_NOBODY = Fact("settings.people.admins")
_RECURSIVE = Apply("eq", (Var("x"), Const("-r")))


@pytest.mark.parametrize(
    "condition",
    [
        Quant("any", "x", _WORDS, _RECURSIVE),
        Quant("none", "x", _WORDS, _RECURSIVE),
        Quant("count", "x", _WORDS, _RECURSIVE, "ge", Const(1)),
        Quant("count", "x", _WORDS, _RECURSIVE, "ge", Const(2)),
        Quant("count", "x", _WORDS, _RECURSIVE, "ge", Const(3)),
        Quant("any", "x", _WORDS, Apply("in", (Var("x"), _NOBODY))),
        Apply("in", (_PROGRAM, _NOBODY)),
        Not(Apply("in", (_PROGRAM, _NOBODY))),
        Apply("in", (_PROGRAM, Fact("call.groups"))),
        Apply("in", (Const("-r"), _WORDS)),
        Apply("in", (Const("-f"), _WORDS)),
        Apply("eq", (_WORDS, Const(("-r", "x")))),
        Apply("ge", (Apply("length", (_WORDS,)), Const(2))),
        And((Has(_PROGRAM), Apply("like", (_PROGRAM, Const("*"))))),
        Apply("eq", (Default(_PROGRAM, Const("rm")), Const("rm"))),
    ],
)
@pytest.mark.parametrize("effect", [_HIDDEN, _PARTLY])
def test_hidden_words(condition: Expr, effect: Effect) -> None:
    policy, settings = _judging(condition, "run"), with_defaults({"people.admins": ()})
    program = Program(*compile_policy(policy, settings), "test")
    call = {"tool": "exec", "args": {"command": "x"}}
    wanted = told(evaluate(policy, settings, call, effect_set([effect]), fits))
    assert wanted.error is None
    assert story_of(walked(program, call, effect_set([effect]))) == wanted


@pytest.mark.parametrize("detail", ["a", "b", "z", "", 1, True, None, ["a"], {"a": "a"}])
def test_many_rules_on_a_value_of_any_shape(detail: Any) -> None:
    rules = tuple(
        Rule(
            f"is-{word}",
            word,
            Condition(word, Apply("eq", (Fact("args.detail"), Const(word)))),
            Decide(Verdict.DENY),
        )
        for word in "abcdefgh"
    )
    policy, settings = world((), (Step("s", "s", rules),), Verdict.ASK), with_defaults({})
    program = Program(*compile_policy(policy, settings), "test")
    call = {"tool": "nobody", "args": {"detail": detail}}
    none = effect_set([])
    wanted = told(evaluate(policy, settings, call, none))
    assert story_of(walked(program, call, none)) == wanted


_PIECES = (
    "<think>",
    "</think>",
    "<THINK a='1'>",
    "</think >",
    "<think",
    "approve",
    "Deny",
    " ",
    ".",
)


@given(st.lists(st.sampled_from(_PIECES), max_size=7).map("".join) | st.text())
def test_replies_of_all_sorts(reply: str) -> None:
    assert parse_reply(reply, [re2.compile("de")]) == reviewer_answer(reply, ["de"])


@pytest.mark.parametrize(
    "reply",
    [
        "Error: 500",
        "<think>Error: none to be seen</think>approve",
        "approve\nError: 500",
        "<think>a</think>approve",
        "<think>a</think>",
        "x" * 65_537,
        "<think>" + "x" * 65_537 + "</think>approve",
    ],
)
def test_replies_of_the_reviewer(reply: str) -> None:
    words = ("approve", "deny", "escalate", "unavailable")
    answers = {word: Decide(Verdict.DENY) for word in words}
    consult = Consult(Consultant.REVIEWER, {**answers, "escalate": Next()}, ("Error:",))
    policy = world((), (Step("s", "s", (Rule("r", "r", None, consult),)),))
    program = Program(*compile_policy(policy, with_defaults({})), "test")
    call = {"tool": "exec", "args": {"command": "x"}, "answers": {"reviewer": reply}}
    none = effect_set([])
    wanted = told(evaluate(policy, with_defaults({}), call, none))
    assert story_of(walked(program, call, none)) == wanted
