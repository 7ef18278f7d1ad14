"""Explanations: their text for calls that end in every step, and what holds of all of them."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.analysis.explain import explain
from callgate.analysis.explanation import Explanation
from callgate.analysis.facts import open_settings
from callgate.analysis.why_not import why_not
from callgate.cli.paint import Painter
from callgate.cli.story import story_of
from callgate.model.catalogue import Tool, ToolEffect
from callgate.model.condition import Condition
from callgate.model.expr import Apply, Const, Expr, Fact, Get, Or, Quant, Var
from callgate.model.policy import Guard, GuardDecision, Step
from tests.acme import CALLS, acme, golden
from tests.small import pipeline, policy, program, rule


def told(call: dict[str, Any]) -> Explanation:
    engine = acme().with_settings(call.get("settings", {}))
    plain = {key: value for key, value in call.items() if key != "settings"}
    decision = engine.decide(plain)
    alternatives = why_not(engine.decide, plain, decision)
    return explain(decision, open_settings(engine.policy, engine.settings), alternatives)


def text(explanation: Explanation, width: int = 100) -> str:
    stream = io.StringIO()
    Painter(stream).write(story_of(explanation, width))
    return re.sub(r"sha256:[0-9a-f]{12}", "sha256:000000000000", stream.getvalue())


@pytest.mark.parametrize("name", sorted(CALLS))
def test_golden(name: str) -> None:
    shown = text(told(CALLS[name]))
    assert shown == golden(f"explain/{name}.txt", shown)
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_json_form_is_the_decision_with_its_story(name: str) -> None:
    call = CALLS[name]
    form = json.loads(json.dumps(told(call).to_dict()))
    decision = acme().decide(call).to_dict()
    assert {key: form[key] for key in decision} == json.loads(json.dumps(decision))
    assert [step["step"] for step in form["steps"]][-1] == "otherwise"
    assert {"place", "risk_sources", "steps", "why_not"} == form.keys() - decision.keys()


def state(explanation: Explanation) -> dict[str, str]:
    return {step.id: step.state for step in explanation.steps}


def test_every_step_has_its_state() -> None:
    assert state(told(CALLS["night"])) == {
        "blocked": "off",
        "guards": "passed",
        "risk": "passed",
        "night": "decided",
        "tiers": "not reached",
        "off": "off",
        "human": "not reached",
        "otherwise": "off",
    }
    assert state(told(CALLS["team"]))["night"] == "skipped"
    assert state(told(CALLS["team"]))["human"] == "pending"
    assert set(state(told(CALLS["broken"])).values()) == {"off", "not reached"}


def test_an_allow_that_an_ask_holds_back_says_so() -> None:
    call = {"tool": "save", "args": {"path": "/tmp/x"}, "settings": {"approval": {"mode": "off"}}}
    step = next(step for step in told(call).steps if step.id == "off")
    assert step.state == "decided"
    guards = next(step for step in told(call).steps if step.id == "guards")
    assert [(test.kind, test.value, test.rule) for test in guards.tests] == [
        ("guard", "ask", "files.temporary")
    ]
    assert guards.summary == "1 ask carried on"


def test_rules_of_a_switch_are_told_too() -> None:
    call = {"tool": "look", "settings": {"approval": {"blocked": ["save", "start"]}}}
    step = told(call).steps[0]
    assert [(test.rule, test.value) for test in step.tests] == [("blocked.listed", False)]
    assert dict(step.tests[0].facts)["call.tool"] == "look"


@pytest.mark.parametrize(
    ("call", "sources", "line"),
    [
        (CALLS["look"], [("risk map", "low")], "              risk map: low\n"),
        (
            {**CALLS["look"], "declared": {"risk_level": "high"}},
            [("risk map", "low"), ("declared.risk_level", "high")],
            "              risk map: low · declared.risk_level: high\n",
        ),
        (CALLS["unknown"], [("default", "high")], "              default: high\n"),
        # The guards decide before a step shows the risk.
        (CALLS["private"], [("risk map", "high")], "          risk high (risk map: high)\n"),
        (CALLS["broken"], [], ""),
    ],
)
def test_the_risk_has_its_sources(
    call: dict[str, Any], sources: list[tuple[str, str]], line: str
) -> None:
    explanation = told(call)
    form = explanation.to_dict()["risk_sources"]
    assert [(item["source"], item["level"]) for item in form] == sources
    assert text(explanation).count("risk map: ") == ("risk map" in dict(sources))
    assert line in text(explanation)


def on_tools(id_: str, when: Expr, tools: tuple[str, ...] | None = None) -> Guard:
    return Guard(
        id_, f"Guard {id_}", GuardDecision("ask"), Condition(f"text of {id_}", when), None, tools
    )


def test_guards_have_their_condition_with_what_it_read() -> None:
    test = told(CALLS["private"]).steps[1].tests[-1].to_dict()
    assert (test["kind"], test["rule"], test["value"]) == ("guard", "files.private", "deny")
    assert test["condition"] == "w.path under paths.private"
    assert test["reason"] == "/etc/hosts is private"
    assert test["facts"]["w.path"] == "/etc/hosts"
    assert "w.path under paths.private\n" in text(told(CALLS["private"]))


def test_guards_on_calls_have_facts_too() -> None:
    fired = on_tools("fired", Fact("call.unattended"))
    silent = on_tools("silent", Fact("call.nested"))
    step = Step("guards", "Guards", guards=True)
    small = program(
        policy(rule("r", Fact("call.nested"), "allow"), guards=(fired, silent), steps=(step,))
    )
    explanation = explain(small.decide({"tool": "exec", "context": {"unattended": True}}))
    (test,) = explanation.steps[0].tests
    assert (test.text, test.facts) == ("text of fired", (("call.unattended", "true"),))
    assert "silent" not in text(explanation)


def test_facts_of_a_guard_are_those_of_its_own_effect() -> None:
    mine, other = (Apply("eq", (Get(Var(name), "path"), Const("/a"))) for name in "dw")
    when = Condition("w", Or((mine, Quant("any", "w", Fact("effects.write"), other))))
    guard = Guard("g", "G", GuardDecision("ask"), when, ("d", "delete"))
    tool = Tool("rm", effects=(ToolEffect("delete", {"path": ("arg", "path", None)}),))
    step = Step("guards", "Guards", guards=True)
    small = program(policy(guards=(guard,), steps=(step,), tools={"rm": tool}))
    explanation = explain(small.decide({"tool": "rm", "args": {"path": "/a"}}))
    assert [dict(test.facts).keys() for test in explanation.steps[0].tests] == [
        {"d.path", "effects.write"}
    ]


def test_settings_are_shown_with_their_values_but_secrets_are_not() -> None:
    call = {
        "tool": "look",
        "settings": {"approval": {"blocked": ["save"]}, "api": {"key": "s3cret"}},
    }
    explanation = told(call)
    assert "settings.approval.blocked = [save]" in text(explanation)
    assert "s3cret" not in json.dumps(explanation.to_dict()) + text(explanation)


def test_rules_are_told_in_the_policys_order_and_only_up_to_the_one_that_decides() -> None:
    decision = program(pipeline()).decide({"tool": "cronjob", "context": {"unattended": True}})
    assert [(test.rule, test.value) for test in explain(decision).steps[0].tests] == [
        ("denied", False),
        ("dangerous", True),
    ]
    decision = program(pipeline()).decide({"tool": "exec"})
    rules = ["denied", "dangerous", "tiers", "cron", "approved", "trusted"]
    assert [test.rule for test in explain(decision).steps[0].tests] == rules


def test_secret_settings_are_never_open() -> None:
    shown = open_settings(acme().policy, {**acme().settings, "api.key": "s3cret"})
    assert set(shown) == {"approval.mode", "approval.blocked"}


SECRET = "sk-" + "A1b2C3d4" * 2


@pytest.mark.parametrize(
    "call",
    [
        {"tool": "save", "args": {"path": f"/tmp/{SECRET}", "text": SECRET}},
        {"tool": "save", "args": {"path": "/etc/x", "api_key": SECRET}},
        {"tool": SECRET},
        {"tool": "start", "context": {"channel": SECRET, "sender_id": SECRET}},
        {"tool": "start", "args": {"job": "password=hunter2hunter2"}},
        {"tool": "look", "args": {"path": SECRET, SECRET: 1}, "id": 3},
        {"tool": "look", "args": {"path": [SECRET]}},
    ],
)
def test_no_secret_is_told(call: dict[str, Any]) -> None:
    explanation = told(call)
    everything = json.dumps(explanation.to_dict()) + text(explanation)
    assert SECRET not in everything
    assert "hunter2" not in everything


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
CALL = st.fixed_dictionaries(
    {"tool": st.sampled_from(["look", "cat", "save", "start", "fly"]) | st.text(max_size=9)},
    optional={
        "args": st.dictionaries(
            st.sampled_from(["path", "count", "text"]) | st.text(max_size=5), JSON
        ),
        "context": st.fixed_dictionaries(
            {},
            optional={
                "unattended": st.booleans(),
                "origin": st.sampled_from(["", "cron", "user"]),
                "channel": st.sampled_from(["ops", "cli"]) | st.text(max_size=5),
                "nested": JSON,
            },
        ),
        "answers": st.fixed_dictionaries({}, optional={"human": st.sampled_from(["once", "deny"])}),
        "declared": st.fixed_dictionaries({}, optional={"risk_level": st.text(max_size=5)}),
    },
)


@settings(max_examples=25, deadline=None)
@given(CALL, st.integers(60, 120))
def test_every_call_can_be_explained(call: dict[str, Any], width: int) -> None:
    explanation = told(call)
    shown = text(explanation, width)
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not {unicodedata.category(char) for char in shown.replace("\n", "")} & hidden
    decided = [step for step in explanation.steps if step.state in ("decided", "pending", "failed")]
    assert len(decided) == (0 if explanation.decision["error"] else 1)
    json.dumps(explanation.to_dict())
