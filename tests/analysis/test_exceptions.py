"""Shadows and exceptions as they are told, drawn and counted."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from callgate.analysis.drawing import draw
from callgate.analysis.explain import explain
from callgate.analysis.flow_view import view_of
from callgate.analysis.why_not import why_not
from callgate.cli.card import card_of
from callgate.cli.story import story_of
from callgate.engine import Engine
from callgate.policytest.checks import mismatches
from callgate.policytest.coverage import Coverage
from callgate.policytest.loaded import load
from callgate.policytest.run import run_tests
from tests.runtime.agreement import loaded
from tests.strategies import Files, forms_of

_EXCEPTION = {"until": "2027-01-01", "owner": "ann", "reason": "ann moves the data"}
_GUARDS = [
    {
        "id": "data.write",
        "title": "Writing data",
        "each": "w in effects.write",
        "decide": "deny",
        "when": 'w.path under "/data"',
        "reason": "{w.path} is data",
        "exceptions": [{"id": "data.move", "when": 'call.sender_id == "ann"', **_EXCEPTION}],
    },
    {
        "id": "data.new",
        "title": "A new guard",
        "each": "w in effects.write",
        "decide": "ask",
        "reason": "we want to know how often",
        "enforce": "shadow",
    },
]
_STEPS = [
    {"id": "guards", "title": "Guards", "guards": "all"},
    {
        "id": "rules",
        "title": "Rules",
        "rules": [
            {
                "id": "rules.nested",
                "title": "No sub-agents",
                "when": "call.nested",
                "decide": "deny",
                "exceptions": [
                    {"id": "rules.ann", "when": 'call.sender_id == "ann"', **_EXCEPTION}
                ],
            },
            {"id": "rules.tried", "title": "Tried", "decide": "deny", "enforce": "shadow"},
            {"id": "rules.allow", "title": "Allow", "decide": "allow"},
        ],
    },
]
_CALL = {
    "tool": "write_file",
    "args": {"path": "/data/a"},
    "context": {"sender_id": "ann", "nested": True},
    "observed": {"time": "2026-12-01T09:00:00Z"},
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return loaded(Files(forms_of(_GUARDS, _STEPS)))


def _text(engine: Engine, call: dict[str, Any]) -> str:
    lines = story_of(explain(engine.decide(call), engine.settings), 100)
    return "\n".join("".join(text for text, _ in line) for line in lines)


def test_the_story_says_what_would_have_been_and_why_it_was_not(engine: Engine) -> None:
    explanation = explain(engine.decide(_CALL), engine.settings)
    assert explanation.decision["decision"] == "allow"
    tests = {(t.kind, t.rule): t for step in explanation.steps for t in step.tests}
    held_back = tests["exception", "data.write"]
    assert held_back.value == "deny"
    assert held_back.reason == "/data/a is data"
    assert "the exception data.move counts: ann moves the data" in held_back.note
    assert "guards.yaml:" in held_back.note
    assert tests["shadow", "data.new"].note == "decides nothing: it is a shadow, and would ask"
    assert "rules.ann counts" in tests["exception", "rules.nested"].note
    assert tests["shadow", "rules.tried"].value == "deny"
    text = _text(engine, _CALL)
    for part in ("the exception data.move counts", "is a shadow, and would ask", "we want to know"):
        assert part in text
    json.dumps(explanation.to_dict())


def test_an_exception_that_does_not_count_says_why(engine: Engine) -> None:
    bob = {**_CALL, "args": {"path": "/x"}, "context": {"nested": True, "sender_id": "bob"}}
    explanation = explain(engine.decide(bob), engine.settings)
    held, looked_at = explanation.steps[1].tests
    assert (held.rule, held.value) == ("rules.nested", True)
    assert (looked_at.rule, looked_at.value) == ("rules.ann", False)
    assert looked_at.title == "exception rules.ann: ann moves the data"
    assert dict(looked_at.facts) == {
        "observed.time": "2026-12-01T09:00:00Z",
        "call.sender_id": "bob",
    }
    unobserved = {key: value for key, value in _CALL.items() if key != "observed"}
    explanation = explain(engine.decide({**unobserved, "args": {"path": "/x"}}), engine.settings)
    assert explanation.decision["rule"] == "rules.nested"
    assert explanation.steps[1].tests[1].value is None
    assert explanation.steps[1].tests[1].note == "unknown never lets a call through"


def test_a_step_that_only_shadows_says_so() -> None:
    shadow = {"id": "a.s", "title": "S", "decide": "deny", "enforce": "shadow"}
    engine = loaded(Files(forms_of(steps=[{"id": "a", "title": "A", "rules": [shadow]}])))
    explanation = explain(engine.decide({"tool": "cronjob", "args": {"names": [], "retries": 1}}))
    assert explanation.steps[0].summary == "a shadow would have decided deny"


def test_the_card_marks_them(engine: Engine) -> None:
    lines = card_of(engine.decide(_CALL).to_dict(), 100)
    text = " ".join(" ".join("".join(part for part, _ in line) for line in lines).split())
    assert "data.write: /data/a is data (not so: exception data.move)" in text
    assert "data.new: we want to know how often (a shadow: decides nothing)" in text


def test_the_flow_has_them(engine: Engine) -> None:
    view = view_of(engine.graph, engine.program.sources)
    nested, tried, allow = view.steps[1].rules
    assert nested.exceptions == ('observed.time < 2027-01-01 and (call.sender_id == "ann")',)
    assert (nested.shadow, tried.shadow, allow.shadow) == (False, True, False)
    assert [guard.shadow for guard in view.guards] == [False, True]
    assert view.guards[0].exceptions == nested.exceptions
    for form in ("svg", "dot", "mermaid"):
        drawn = draw(engine.graph, engine.program.sources, form)
        assert "a shadow" in drawn and "except where" in drawn, form


def test_what_would_have_changed_it(engine: Engine) -> None:
    call = {key: value for key, value in _CALL.items() if key != "context"}
    decision = engine.decide(call)
    assert decision.decision == "deny"
    found = {item.decision: item for item in why_not(engine.decide, call, decision)}
    changes = [c.fact for a in found["allow"].alternatives for c in a.changes]
    assert "context.sender_id" in changes


@pytest.mark.parametrize(
    ("matched", "same"),
    [
        ([], True),
        (["data.write"], False),
        ([{"rule": "data.write", "exception": "data.move"}], True),
        ([{"rule": "data.new", "enforce": "shadow", "decide": "ask"}], True),
        ([{"rule": "data.new", "enforce": "shadow", "decide": "deny"}], False),
        ([{"rule": "data.write", "exception": "rules.ann"}], False),
        ([{"rule": "rules.tried", "enforce": "shadow"}], True),
    ],
)
def test_tests_may_expect_them(engine: Engine, matched: list[Any], same: bool) -> None:
    told = engine.decide(_CALL).to_dict()
    assert (mismatches(told, {"matched": matched}) == []) is same


def test_coverage_counts_exceptions(tmp_path: Path) -> None:
    bob = {**deepcopy(_CALL), "context": {"sender_id": "bob"}}
    cases = {
        "cases": [
            {"name": "ann may", "call": deepcopy(_CALL), "expect": {"decision": "allow"}},
            {"name": "bob may not", "call": bob, "expect": {"rule": "data.write"}},
        ]
    }
    files = Files({**forms_of(_GUARDS, _STEPS), "tests": cases})
    loaded = load(files.write(tmp_path))
    seen = Coverage.of(loaded)
    report = run_tests(loaded, observer=seen)
    rules = seen.rules
    assert report.failures == ()
    assert (rules["data.move"].held, rules["data.move"].passed) == (1, 1)
    assert (rules["rules.ann"].held, rules["rules.ann"].passed) == (1, 0)
    assert rules["rules.tried"].held == 1
