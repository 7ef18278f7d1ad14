"""The flow that a graph shows is the one that the YAML says."""

from __future__ import annotations

import pytest

from callgate.analysis.flow_view import FlowView, StepView, view_of
from callgate.engine import Engine
from tests.acme import acme
from tests.small import pipeline, program


def view(**settings: object) -> FlowView:
    engine: Engine = acme().with_settings({"approval": settings}) if settings else acme()
    return view_of(engine.graph, engine.source_map)


def step(flow: FlowView, id_: str) -> StepView:
    return next(step for step in flow.steps if step.id == id_)


def test_steps_are_titled_and_ordered_as_in_the_policy() -> None:
    assert [(s.id, s.title, s.active) for s in view().steps] == [
        ("blocked", "Blocked tools", False),
        ("guards", "Guards", True),
        ("risk", "Risk", True),
        ("night", "At night", True),
        ("tiers", "What anybody may do", True),
        ("off", "Approval is off", False),
        ("human", "A person", True),
        ("otherwise", "Otherwise", False),
    ]


def test_what_settings_switch_off_is_named() -> None:
    off = {item.step: (item.rule, item.why) for s in view().steps for item in s.off}
    assert off == {
        "blocked": ("blocked.listed", "approval.blocked is []"),
        "off": ("", "approval.mode is manual"),
    }


@pytest.mark.parametrize(
    ("id_", "rules"),
    [
        ("night", [("night.look", "risk == low", "allow", "none")]),
        (
            "tiers",
            [
                ("tiers.look", "risk == low", "allow", "none"),
                (
                    "tiers.team",
                    'call.channel == "ops" and call.sender_id == "anna" and args.count ?? 9 < 5',
                    "allow",
                    "none",
                ),
            ],
        ),
    ],
)
def test_rules(id_: str, rules: list[tuple[str, str, str, str]]) -> None:
    found = [
        (rule.id, rule.condition, rule.outcome.verdict, rule.outcome.despite)
        for rule in step(view(), id_).rules
        if rule.outcome
    ]
    assert found == rules


def test_conditions_and_otherwise() -> None:
    night = step(view(), "night")
    assert night.condition == "at_night"
    assert night.otherwise is not None
    assert night.otherwise.verdict == "deny"
    assert night.otherwise.reason == "nobody is there for {call.tool}"


def test_a_consult_shows_every_answer() -> None:
    (rule,) = step(view(), "human").rules
    assert rule.who == "human"
    assert [(a, o.verdict, o.despite) for a, o in rule.answers] == [
        ("once", "allow", "person"),
        ("session", "allow", "person"),
        ("session-all", "allow", "person"),
        ("always", "allow", "person"),
        ("deny", "deny", None),
        ("timeout", "deny", None),
    ]


def test_a_rule_that_became_a_switch_still_says_what_it_compares() -> None:
    (rule,) = step(view(blocked=["save", "start", "look"]), "blocked").rules
    assert rule.outcome is not None
    assert rule.outcome.verdict == "deny"
    assert rule.condition


def test_rules_of_a_switch_keep_the_policys_order() -> None:
    ready = program(pipeline())
    step = view_of(ready.graph, ready.sources).steps[0]
    rules = ["denied", "dangerous", "tiers", "cron", "approved", "trusted"]
    assert [rule.id for rule in step.rules] == rules


def test_guards() -> None:
    assert [(g.id, g.decide, g.kind, g.reason) for g in view().guards] == [
        ("files.private", "deny", "write", "{w.path} is private"),
        ("files.temporary", "ask", "write", "{w.path} is gone tomorrow"),
    ]
