"""More effects, and effects that are hidden, never make a decision less strict.

The rules of docs/language.md ("Effects only make stricter") on generated policies that the type
checker accepts, by both evaluators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from callgate.compiler.assemble import prepare
from callgate.engine import Engine
from callgate.lang.check import Checker
from callgate.lang.check_uses import Use
from callgate.lang.scope import Scope
from callgate.load.bundle import load_bundle
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics, PolicyError
from callgate.model.effect import EFFECT_KINDS, Effect
from callgate.model.policy import Rule
from callgate.model.values import UNKNOWN
from callgate.runtime.reference import evaluate
from callgate.runtime.reference_conditions import truth
from callgate.runtime.reference_facts import CallFacts
from callgate.runtime.reference_values import Truth
from tests.check.standard import Text
from tests.runtime.agreement import Asked, fits, loaded, long_test, say_seed, walked
from tests.strategies import (
    FOCUS,
    Bundle,
    Files,
    Style,
    Term,
    bundles,
    calls,
    effect_conditions,
    effect_set,
    effects,
    forms_of,
    known_value,
)

_ALL = {"id": "guards", "title": "Guards", "guards": "all"}
_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


class _Found(NamedTuple):
    """What one of the evaluators decides, and by which rule."""

    who: str
    decision: str
    rule: str


def _decisions(
    engine: Engine, call: Mapping[str, Any], items: Sequence[Effect]
) -> tuple[_Found, _Found]:
    """What each evaluator decides for a call with these effects."""
    outcome = evaluate(engine.policy, engine.settings, call, effect_set(items), fits)
    decision = walked(engine.program, call, effect_set(items))
    return (
        _Found("reference", outcome.decision.value, outcome.rule),
        _Found("engine", decision.decision, decision.rule),
    )


_FOCUSED = st.sampled_from((*FOCUS * 3, "opaque", "read")).flatmap(effects)


def _changed(most: int) -> st.SearchStrategy[Asked]:
    """Calls with effects, and two more numbers that say what is changed."""
    numbers = st.integers(0, 1000)
    one = st.tuples(calls(), st.lists(_FOCUSED, max_size=most), _FOCUSED, numbers, numbers)
    return st.lists(one, min_size=40, max_size=40).map(Asked)


def _weaker(
    engine: Engine, call: Mapping[str, Any], before: Sequence[Effect], after: Sequence[Effect]
) -> list[str]:
    """The evaluators that are less strict after the change than before."""
    pairs = zip(_decisions(engine, call, before), _decisions(engine, call, after), strict=True)
    return [old.who for old, new in pairs if _STRICTNESS[new.decision] < _STRICTNESS[old.decision]]


# --- more effects ---------------------------------------------------------------------------


def _with(items: Sequence[Effect], extra: Effect, place: int) -> list[Effect]:
    """The effects with one more among them."""
    place %= len(items) + 1
    return [*items[:place], extra, *items[place:]]


@long_test(100)
@given(bundles(Style(focused=True)), _changed(most=2))
def test_another_effect_never_weakens(bundle: Bundle, questions: list[Any]) -> None:
    say_seed()
    engine = loaded(bundle)
    for call, items, extra, place, _ in questions:
        more = _with(items, extra, place)
        assert not _weaker(engine, call, items, more), (call, items, more)


@long_test(20)
@given(bundles(Style(liberal=True), guard_count=1), _changed(most=2))
def test_bundles_that_an_effect_could_weaken_are_refused(
    bundle: Bundle, questions: list[Any]
) -> None:
    """Conditions read effects anywhere in any direction: what is accepted is safe."""
    say_seed()
    try:
        engine = loaded(bundle)
    except PolicyError as refused:
        codes = {item.code for item in refused.diagnostics if item.severity == "error"}
        assert codes <= {"T010", "T011", "T012", "T013", "T023"}, refused
        assume(False)
    for call, items, extra, place, _ in questions:
        more = _with(items, extra, place)
        assert not _weaker(engine, call, items, more), (call, items, more)


@cache
def _plain() -> Engine:
    """A bundle without rules, for its names."""
    return loaded(Files(forms_of(steps=[_ALL])))


@cache
def _names() -> Scope:
    """What conditions of that bundle may name."""
    diagnostics = Diagnostics()
    contents = [
        (f"t/{name}", text.encode()) for name, text in Files(forms_of(steps=[_ALL])).texts.items()
    ]
    bundle = load_bundle("t", diagnostics, [contents])
    assert bundle is not None
    return prepare(bundle, diagnostics).scope


def _truth(condition: Condition, call: Mapping[str, Any], items: Sequence[Effect]) -> Truth:
    engine, known = _plain(), effect_set(items)
    facts = CallFacts(engine.policy, engine.settings, call, known, fits)
    return truth(condition.expr, facts, fits)


_ORDER: Mapping[Truth, int] = {False: 0, UNKNOWN: 1, True: 2}


@long_test(500)
@given(effect_conditions(), st.data())
def test_conditions_that_an_effect_could_weaken_are_refused(
    term: Term, data: st.DataObject
) -> None:
    """Guards that are accepted only come nearer to firing, allows only further from applying."""
    say_seed()
    checker = Checker(_names(), Diagnostics())
    guard = checker.condition(Text(term.text), Use.GUARD)
    allow = checker.condition(Text(term.text), Use.ALLOW)
    if guard is None and allow is None:
        return
    call = data.draw(calls())
    items: list[Effect] = []
    for extra in data.draw(st.lists(effects(), min_size=6, max_size=6)):
        more = [*items, extra]
        if guard is not None:
            before, after = _truth(guard, call, items), _truth(guard, call, more)
            assert _ORDER[before] <= _ORDER[after], (call, items, extra)
        if allow is not None and _truth(allow, call, more) is True:
            assert _truth(allow, call, items) is True, (call, items, extra)
        items = more


_DELETE = Effect("delete", {"path": "/data/a", "recursive": True})
_MAYBE = Effect("delete", {"path": "/data/a", "recursive": UNKNOWN})
_READ = Effect("read", {"path": "/data/a"})
_GUARD = {"id": "g", "title": "G", "each": "d in effects.delete", "decide": "ask", "reason": "r"}


def _step(*rules: dict[str, Any], **keys: Any) -> dict[str, Any]:
    named = [{"id": f"r{n}", "title": "R", **rule} for n, rule in enumerate(rules)]
    return {"id": "s", "title": "S", "rules": named, **keys}


_LIFT = {"decide": "allow", "despite": "asks"}
_GRANT = {"consult": "grant", "answers": {"granted": "next", "none": {"decide": "deny"}}}
_DENYING = {**_GUARD, "when": "d.recursive", "unresolved": "deny"}


@pytest.mark.parametrize(
    ("guard", "step", "before"),
    [
        (_GUARD, _step({"decide": "ask", "when": "guards.asks >= any"}), [_READ]),
        (_GUARD, _step({"decide": "deny", "when": "guards.asks == none"}, _LIFT), [_READ]),
        (_GUARD, _step({**_LIFT, "when": "guards.asks > none"}), [_READ]),
        # Whoever is asked may deny, so this must be refused; where an answer can only allow, to ask
        # or not to ask ends the same (`pending` is no decision yet).
        (_GUARD, _step({**_GRANT, "when": "guards.asks == none"}, _LIFT), [_READ]),
        (_GUARD, _step({"decide": "ask"}, when="guards.asks >= any"), [_READ]),
        (_DENYING, _step(_LIFT), [_MAYBE]),
        (
            {**_DENYING, "each": None, "when": "any(d in effects.delete where d.recursive)"},
            _step(_LIFT),
            [_MAYBE],
        ),
    ],
)
def test_holes(guard: dict[str, Any], step: dict[str, Any], before: list[Effect]) -> None:
    """Each of these was found: it must be refused, or be safe."""
    form = {key: value for key, value in guard.items() if value is not None}
    try:
        engine = loaded(Files(forms_of([form], [_ALL, step])))
    except PolicyError:
        return
    call = {"tool": "exec", "args": {"command": "x"}}
    assert not _weaker(engine, call, before, [*before, _DELETE])


# --- hidden effects -------------------------------------------------------------------------


def _hidden(items: Sequence[Effect], which: int, what: int) -> list[Effect] | None:
    """The effects with a field of one of them, or a word of it, put behind a variable."""
    places = [
        (index, name)
        for index, effect in enumerate(items)
        for name, field in EFFECT_KINDS[effect.kind].fields.items()
        if field.unknown and effect.fields[name] is not UNKNOWN
    ]
    if not places:
        return None
    index, name = places[which % len(places)]
    effect = items[index]
    value: Any = effect.fields[name]
    if isinstance(value, tuple) and value and what % 2:
        position = what % len(value)
        value = (*value[:position], UNKNOWN, *value[position + 1 :])
    else:
        value = UNKNOWN
    changed = replace(effect, fields={**effect.fields, name: value})
    return [*items[:index], changed, *items[index + 1 :]]


def _unanswered(call: Mapping[str, Any]) -> dict[str, Any]:
    """The call without the word of a person, who may let anything through."""
    answers = call["answers"]
    return {**call, "answers": {k: v for k, v in answers.items() if k == "reviewer"}}


@long_test(100)
@given(bundles(Style(unresolved=("ask", "deny"), focused=True)), _changed(most=3))
def test_hiding_never_allows(bundle: Bundle, questions: list[Any]) -> None:
    """What was not allowed is not allowed when it hides, unless a person says so."""
    say_seed()
    engine = loaded(bundle)
    for given_call, items, extra, which, what in questions:
        call, items = _unanswered(given_call), [*items, extra]
        hidden = _hidden(items, which, what)
        if hidden is None:
            continue
        pairs = zip(_decisions(engine, call, items), _decisions(engine, call, hidden), strict=True)
        for old, new in pairs:
            assert old.decision == "allow" or new.decision != "allow", (new, call, items, hidden)


@long_test(100)
@given(bundles(Style(unresolved=("deny",), focused=True)), _changed(most=3))
def test_hiding_never_weakens_where_guards_deny_the_unknown(
    bundle: Bundle, questions: list[Any]
) -> None:
    say_seed()
    engine = loaded(bundle)
    for call, items, extra, which, what in questions:
        items = [*items, extra]
        hidden = _hidden(items, which, what)
        assert hidden is None or not _weaker(engine, call, items, hidden), (call, items, hidden)


# --- unknown never allows -------------------------------------------------------------------


def _rule(engine: Engine, name: str) -> Rule | None:
    rules = (rule for step in engine.policy.flow.steps for rule in step.rules)
    return next((rule for rule in rules if rule.id == name), None)


def _found_out(effect: Effect, choice: int) -> Effect:
    """The effect with everything that was unknown found out, one way or another."""
    kinds = EFFECT_KINDS[effect.kind].fields
    fields = {
        name: known_value(kinds[name].type, name, choice + place) if value is UNKNOWN else value
        for place, (name, value) in enumerate(effect.fields.items())
    }
    return replace(effect, fields=fields)


@long_test(100)
@given(bundles(Style(focused=True)), _changed(most=3))
def test_an_allowing_condition_holds_whatever_the_unknown_is(
    bundle: Bundle, questions: list[Any]
) -> None:
    say_seed()
    engine = loaded(bundle)
    for call, items, _, seed_of_values, _ in questions:
        for found in _decisions(engine, call, items):
            rule = _rule(engine, found.rule)
            if found.decision != "allow" or rule is None or rule.when is None:
                continue
            for choice in range(seed_of_values, seed_of_values + 4):
                known = effect_set([_found_out(effect, choice) for effect in items])
                facts = CallFacts(engine.policy, engine.settings, call, known, fits)
                assert truth(rule.when.expr, facts, fits) is True, (found, call, items, known.all)
