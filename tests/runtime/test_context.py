"""The fields of a call's context: facts with types, defaults and documentation; null is absent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from callgate.effects import match
from callgate.engine import Engine
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.diagnostic import PolicyError
from callgate.model.effect import EffectSet
from callgate.model.types import STRING
from callgate.runtime.reference import evaluate
from tests.runtime.agreement import loaded
from tests.strategies import Files, forms_of

# As docs/formats.md promises them to other programs.
FIELDS = re.findall(
    r"\w+",
    """
    channel sender_id origin unattended cron_authorized nested session_key user_id agent_id
    chat_id trace_id execution_id parent_execution_id attempt_index is_replay idempotency_key
    reply_to_id inbound_event_id memory_scope allowed_tools cwd workspace home groups environment
    extra
    """,
)


def test_every_field_of_the_format_is_a_fact_with_documentation() -> None:
    assert list(CONTEXT_FIELDS) == FIELDS
    assert all(field.doc for field in CONTEXT_FIELDS.values())
    page = (Path(__file__).parents[2] / "docs" / "language.md").read_text("utf-8")
    for name in FIELDS:
        assert f"`call.{name}`" in page


def _engine(when: str, narrowed: dict[str, Any] | None = None) -> Engine:
    """An engine that denies where the condition holds, and asks else."""
    rule = {"id": "s.r", "title": "R", "when": when, "decide": "deny"}
    step = {"id": "s", "title": "S", "rules": [rule]}
    forms = forms_of(steps=[step], otherwise="ask")
    vocabulary: Any = {**forms["vocabulary"]}
    vocabulary["enums"] = {
        **vocabulary["enums"],
        "team": {"members": ["ops", "dev"]},
        "stage": {"members": ["production", "staging", ""]},
    }
    vocabulary["call"] = narrowed or {}
    return loaded(Files({**forms, "vocabulary": vocabulary}))


def _holds(engine: Engine, context: dict[str, Any]) -> bool:
    """Whether the condition holds, as both evaluators say."""
    call = {"tool": "cronjob", "args": {"names": [], "retries": 1}, "context": context}
    decision = engine.decide(call)
    assert decision.failure is None, decision.failure
    outcome = evaluate(engine.policy, engine.settings, call, EffectSet(), match)
    assert outcome.decision.value == decision.decision
    return decision.decision == "deny"


_CONDITIONS = {
    bool: ("call.{}", True),
    int: ("call.{} > 0", 3),
    str: ('call.{} == "x"', "x"),
    tuple: ('"x" in call.{}', ["x"]),
}


@pytest.mark.parametrize("name", FIELDS)
def test_each_can_be_read_and_null_is_its_default(name: str) -> None:
    field = CONTEXT_FIELDS[name]
    form, value = _CONDITIONS.get(type(field.default), ("has call.{}", "x"))
    if name == "extra":
        form, value = 'has call.{}["a"]', {"a": "x"}
    elif name == "allowed_tools":
        value = ["x"]
    engine = _engine(form.format(name))
    assert _holds(engine, {name: value}) is True
    for context in ({}, {name: None}, {name: None, "nested": False, "groups": []}):
        assert _holds(engine, context) is False


def test_null_is_the_default_that_the_vocabulary_gives() -> None:
    narrowed = {"environment": {"type": "stage", "default": "production", "doc": "where"}}
    engine = _engine("call.environment == production", narrowed)
    assert _holds(engine, {"environment": None}) is True
    assert _holds(engine, {}) is True
    assert _holds(engine, {"environment": "staging"}) is False


def test_groups_can_be_a_list_of_teams() -> None:
    engine = _engine("ops in call.groups", {"groups": {"type": "list of team", "doc": "teams"}})
    assert _holds(engine, {"groups": ["dev", "ops"]}) is True
    assert _holds(engine, {"groups": ["dev"]}) is False
    assert _holds(engine, {"groups": None}) is False
    refused = engine.decide(
        {"tool": "exec", "args": {"command": "x"}, "context": {"groups": ["opz"]}}
    )
    assert refused.failure is not None
    assert (
        refused.failure.message == "`context.groups` is a list of 'ops', 'dev'; did you mean 'ops'?"
    )


def test_a_misspelt_team_or_stage_is_found() -> None:
    narrowed = {
        "groups": {"type": "list of team", "doc": "teams"},
        "environment": {"type": "stage", "doc": "where"},
    }
    for when, help in (
        ("opz in call.groups", "`ops`"),
        ("call.environment == prodution", "`production`"),
    ):
        with pytest.raises(PolicyError) as refused:
            _engine(when, narrowed)
        found = [item for item in refused.value.diagnostics if item.severity == "error"]
        assert [item.code for item in found] == ["T002"]
        assert help in found[0].help


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("prod", "; did you mean 'production'?"),
        ("Production", "; did you mean 'production'?"),
        ("production-eu", "; did you mean 'production'?"),
        ("stagin", "; did you mean 'staging'?"),
        ("stgaing", "; did you mean 'staging'?"),
        ("development", ""),
        ("x", ""),
    ],
)
def test_a_misspelt_stage_of_a_call_is_found(wrong: str, hint: str) -> None:
    narrowed = {"environment": {"type": "stage", "doc": "where"}}
    refused = _engine("call.environment == production", narrowed).decide(
        {"tool": "exec", "args": {"command": "x"}, "context": {"environment": wrong}}
    )
    assert refused.failure is not None
    known = "`context.environment` is one of 'production', 'staging', ''"
    assert refused.failure.message == known + hint


@pytest.mark.parametrize("wrong", ["production ", 1, ["production"], True])
def test_a_closed_enum_takes_nothing_else(wrong: Any) -> None:
    engine = _engine("call.nested", {"environment": {"type": "stage", "doc": "where"}})
    call = {"tool": "exec", "args": {"command": "x"}, "context": {"environment": wrong}}
    assert engine.decide(call).to_dict()["error"]["code"] == "R003"


def test_the_types_are_those_of_the_format() -> None:
    assert CONTEXT_FIELDS["environment"].type == STRING
    assert str(CONTEXT_FIELDS["groups"].type) == "list of string"
