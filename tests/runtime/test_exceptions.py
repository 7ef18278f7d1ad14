"""Shadows and exceptions: what they show, and that they never do more than they say.

The two evaluators are compared on generated bundles in test_agreement.py; here are tables of what
must come out, and properties of both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from callgate.compiler.build import compile_policy
from callgate.engine import Engine
from callgate.model.effect import Effect, EffectSet
from callgate.model.policy import Decide, Policy, Verdict
from callgate.model.values import UNKNOWN
from callgate.runtime.interpreter import Program
from callgate.runtime.reference import evaluate
from tests.runtime.agreement import asked, fits, loaded, long_test, say_seed, story_of, told, walked
from tests.strategies import Bundle, Files, bundles, effect_set, forms_of

_ALL = {"id": "guards", "title": "Guards", "guards": "all"}
_ALLOW = {"id": "s", "title": "S", "rules": [{"id": "s.allow", "title": "R", "decide": "allow"}]}
_GUARD = {
    "id": "g",
    "title": "G",
    "each": "d in effects.delete",
    "decide": "deny",
    "reason": "{d.path} goes",
}
_EXCEPTION = {
    "id": "g.x",
    "when": 'd.path under "/data/a"',
    "until": "2027-01-01",
    "owner": "ann",
    "reason": "for now",
}
_A = Effect("delete", {"path": "/data/a", "recursive": True})
_B = Effect("delete", {"path": "/data/b", "recursive": True})
_HIDDEN = Effect("delete", {"path": UNKNOWN, "recursive": True})
_NOW = {"observed": {"time": "2026-12-01T09:00:00Z"}}
_LATER = {"observed": {"time": "2027-01-01T00:00:00Z"}}
_CALL: dict[str, Any] = {"tool": "exec", "args": {"command": "x"}}


def _told(engine: Engine, call: dict[str, Any], *effects: Effect) -> dict[str, Any]:
    """What the engine tells, after the reference said the same."""
    items = effect_set(effects)
    decision = walked(engine.program, call, items)
    assert story_of(decision) == told(evaluate(engine.policy, engine.settings, call, items, fits))
    return decision.to_dict()


def _with_guard(**keys: Any) -> Engine:
    form = {key: value for key, value in {**_GUARD, **keys}.items() if value is not None}
    return loaded(Files(forms_of([form], [_ALL, _ALLOW])))


def _marks(matched: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(m["rule"], m["decide"], m.get("enforce"), m.get("exception")) for m in matched]


@pytest.mark.parametrize(
    ("more", "effects", "decision", "marks"),
    [
        # In time, and its condition holds.
        (_NOW, [_A], "allow", [("g", "deny", None, "g.x")]),
        # One effect that the exception is not about.
        (_NOW, [_A, _B], "deny", [("g", "deny", None, None)]),
        (_NOW, [_B], "deny", [("g", "deny", None, None)]),
        # Its end is not within its time; a time that nobody observed is no time.
        (_LATER, [_A], "deny", [("g", "deny", None, None)]),
        ({}, [_A], "deny", [("g", "deny", None, None)]),
        # Whether its condition holds is not known.
        (_NOW, [_HIDDEN], "deny", [("g", "deny", None, None)]),
        (_NOW, [_A, _HIDDEN], "deny", [("g", "deny", None, None)]),
        # Nothing to make an exception of.
        (_NOW, [], "allow", []),
    ],
)
def test_an_exception_of_a_guard(
    more: dict[str, Any], effects: list[Effect], decision: str, marks: list[Any]
) -> None:
    found = _told(_with_guard(exceptions=[_EXCEPTION]), {**_CALL, **more}, *effects)
    assert (found["decision"], _marks(found["matched"])) == (decision, marks)


def test_what_an_exception_held_back_is_told() -> None:
    found = _told(_with_guard(exceptions=[_EXCEPTION]), {**_CALL, **_NOW}, _A)
    assert found["matched"] == [
        {
            "rule": "g",
            "decide": "deny",
            "approval": None,
            "reason": "/data/a goes",
            "exception": "g.x",
        }
    ]
    assert found["approved_actions"] == ["exec"]


def test_the_first_exception_that_counts_is_named() -> None:
    first = {**_EXCEPTION, "id": "g.over", "until": "2026-01-01", "when": "true"}
    other = {**_EXCEPTION, "id": "g.other", "when": "call.nested"}
    engine = _with_guard(exceptions=[first, other, _EXCEPTION])
    found = _told(engine, {**_CALL, **_NOW}, _A)
    assert [item["exception"] for item in found["matched"]] == ["g.x"]
    nested = {**_CALL, **_NOW, "context": {"nested": True}}
    assert [m["exception"] for m in _told(engine, nested, _A)["matched"]] == ["g.other"]


@pytest.mark.parametrize("end", ["2026-12-01", "2026-12-01T10:00:00+01:00", "2026-12-01T09:00:00Z"])
def test_an_exception_ends_as_its_end_begins(end: str) -> None:
    engine = _with_guard(exceptions=[{**_EXCEPTION, "until": end}])
    at = {"2026-12-01": "2026-12-01T00:00:00Z"}.get(end, "2026-12-01T09:00:00Z")
    before = at.replace("12-01T00:00:00", "11-30T23:59:59").replace("T09:00:00", "T08:59:59.9")
    for time, decision in ((before, "allow"), (at, "deny")):
        call = {**_CALL, "observed": {"time": time}}
        assert _told(engine, call, _A)["decision"] == decision, time


def test_an_exception_of_an_ask_lifts_that_ask_alone() -> None:
    ask = {**_GUARD, "decide": "ask", "exceptions": [_EXCEPTION]}
    other = {**_GUARD, "id": "h", "decide": "ask", "when": 'd.path under "/data/a"'}
    engine = loaded(Files(forms_of([ask, other], [_ALL, _ALLOW], "ask")))
    found = _told(engine, {**_CALL, **_NOW}, _A)
    assert _marks(found["matched"]) == [("g", "ask", None, "g.x"), ("h", "ask", None, None)]
    assert (found["decision"], found["rule"]) == ("ask", "otherwise")


@pytest.mark.parametrize("decide", ["deny", "ask"])
def test_a_shadow_shows_what_it_would_do(decide: str) -> None:
    found = _told(_with_guard(enforce="shadow", decide=decide), _CALL, _A)
    assert found["decision"] == "allow"
    assert _marks(found["matched"]) == [("g", decide, "shadow", None)]
    assert found["approved_actions"] == ["exec"]
    assert all(entry["value"] != decide for entry in found["trace"])


def test_a_shadow_in_doubt_shows_the_ask() -> None:
    engine = _with_guard(enforce="shadow", when="d.recursive")
    found = _told(engine, _CALL, replace(_A, fields={**_A.fields, "recursive": UNKNOWN}))
    assert [(m["decide"], m["approval"]) for m in found["matched"]] == [("ask", "person")]
    assert found["decision"] == "allow"


def _flow(*rules: dict[str, Any], guards: tuple[dict[str, Any], ...] = ()) -> Engine:
    named = [{"id": f"s.r{n}", "title": f"rule {n}", **rule} for n, rule in enumerate(rules)]
    step = {"id": "s", "title": "S", "rules": named}
    return loaded(Files(forms_of(list(guards), [_ALL, step] if guards else [step])))


_RULE = {"decide": "deny", "when": "call.nested", "reason": "it is nested"}
_ANN = {**_EXCEPTION, "id": "s.x", "when": 'call.sender_id == "ann"'}
_NESTED = {**_CALL, **_NOW, "context": {"nested": True, "sender_id": "ann"}}


def test_an_exception_of_a_rule() -> None:
    engine = _flow({**_RULE, "exceptions": [_ANN]}, {"decide": "allow"})
    found = _told(engine, _NESTED)
    assert (found["decision"], found["rule"]) == ("allow", "s.r1")
    assert found["matched"] == [
        {
            "rule": "s.r0",
            "decide": "deny",
            "approval": None,
            "reason": "it is nested",
            "exception": "s.x",
        }
    ]
    assert all(entry["condition"] for entry in found["trace"])
    bob = {**_NESTED, "context": {"nested": True, "sender_id": "bob"}}
    assert _told(engine, bob)["rule"] == "s.r0"
    unobserved = {key: value for key, value in _NESTED.items() if key != "observed"}
    assert _told(engine, unobserved)["rule"] == "s.r0"
    # The exception is not looked at where the rule does not hold.
    assert _told(engine, _CALL)["matched"] == []


@pytest.mark.parametrize("decide", ["allow", "ask", "deny"])
def test_a_shadow_of_the_flow(decide: str) -> None:
    engine = _flow({"decide": decide, "enforce": "shadow"}, {"decide": "ask"})
    found = _told(engine, _CALL)
    assert (found["decision"], found["rule"]) == ("ask", "s.r1")
    assert _marks(found["matched"]) == [("s.r0", decide, "shadow", None)]


def test_a_shadow_with_an_exception_shows_both() -> None:
    rule = {**_RULE, "enforce": "shadow", "exceptions": [_ANN]}
    found = _told(_flow(rule, {"decide": "allow"}), _NESTED)
    assert _marks(found["matched"]) == [("s.r0", "deny", "shadow", "s.x")]


def test_a_shadow_that_allows_waits_for_asks_as_it_would() -> None:
    guard = {**_GUARD, "decide": "ask"}
    shadow = {"decide": "allow", "enforce": "shadow"}
    engine = _flow(shadow, {**shadow, "despite": "asks"}, {"decide": "deny"}, guards=(guard,))
    found = _told(engine, _CALL, _A)
    assert _marks(found["matched"]) == [("g", "ask", None, None), ("s.r1", "allow", "shadow", None)]
    assert [m["rule"] for m in _told(engine, _CALL)["matched"]] == ["s.r0", "s.r1"]


def test_shadows_between_rules_on_one_value_change_nothing() -> None:
    words = ["read_file", "write_file", "remove", "exec", "fetch", "cronjob"]
    rules = [
        {"decide": "deny", "when": f"call.tool == {word}", **({"enforce": "shadow"} if odd else {})}
        for odd, word in ((n % 2, word) for n, word in enumerate(words))
    ]
    engine = _flow(*rules, {"decide": "allow"})
    for number, word in enumerate(words):
        call = {"tool": word, "args": {"path": "/a", "command": "x", "url": "u", "names": []}}
        if word == "cronjob":
            call = {"tool": word, "args": {"names": [], "retries": 1}}
        found = _told(engine, call)
        assert found["decision"] == ("allow" if number % 2 else "deny"), word


# --- properties -----------------------------------------------------------------------------


def _changed(policy: Policy, guard: Any, rule: Any) -> Policy:
    """The policy with every guard and rule put through a function; None drops it."""
    guards = tuple(new for old in policy.guards if (new := guard(old)) is not None)
    steps = tuple(
        replace(s, rules=tuple(new for old in s.rules if (new := rule(old)) is not None))
        for s in policy.flow.steps
    )
    return replace(policy, guards=guards, flow=replace(policy.flow, steps=steps))


def _decisions(
    policy: Policy, engine: Engine, call: dict[str, Any], effects: EffectSet
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Decision and rule, by the reference and by the engine."""
    program = Program(*compile_policy(policy, engine.settings), "test")
    outcome = evaluate(policy, engine.settings, call, effects, fits)
    decision = walked(program, call, effects)
    return (outcome.decision.value, outcome.rule), (decision.decision, decision.rule)


@long_test(60)
@given(bundles(), asked(10))
def test_a_shadow_changes_no_decision(bundle: Bundle, questions: list[Any]) -> None:
    say_seed()
    engine = loaded(bundle)
    without = _changed(
        engine.policy,
        lambda guard: None if guard.shadow else guard,
        lambda rule: None if rule.shadow else rule,
    )
    for call, effects in questions:
        with_, bare = (
            _decisions(policy, engine, call, effects) for policy in (engine.policy, without)
        )
        assert with_ == bare, (call, effects.all)


def _plain(rule: Any) -> Any:
    return replace(rule, exceptions=())


def _denies(rule: Any) -> bool:
    return isinstance(rule.then, Decide) and rule.then.effect is Verdict.DENY


_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


@long_test(60)
@given(bundles(), asked(10))
def test_an_exception_never_makes_a_decision_stricter(bundle: Bundle, questions: list[Any]) -> None:
    """Of guards and of rules that deny; where a rule asks, what follows it may be stricter."""
    say_seed()
    engine = loaded(bundle)
    loose = _changed(
        engine.policy, lambda guard: guard, lambda rule: rule if _denies(rule) else _plain(rule)
    )
    strict = _changed(engine.policy, _plain, _plain)
    for call, effects in questions:
        pairs = zip(
            _decisions(loose, engine, call, effects),
            _decisions(strict, engine, call, effects),
            strict=True,
        )
        for (with_, _), (without, _) in pairs:
            assert _STRICTNESS[with_] <= _STRICTNESS[without], (call, effects.all)


@long_test(60)
@given(bundles(), asked(10))
def test_without_the_time_no_exception_counts(bundle: Bundle, questions: list[Any]) -> None:
    say_seed()
    engine = loaded(bundle)
    strict = _changed(engine.policy, _plain, _plain)
    for given_call, effects in questions:
        call = {key: value for key, value in given_call.items() if key != "observed"}
        with_, without = (
            _decisions(policy, engine, call, effects) for policy in (engine.policy, strict)
        )
        assert with_ == without, (call, effects.all)
