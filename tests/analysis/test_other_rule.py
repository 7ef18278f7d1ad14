"""Why a rule that was expected to decide did not."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.analysis.explain import explain
from callgate.analysis.other_rule import OtherRule, other_rule
from tests.acme import CALLS, acme


def told(call: dict[str, Any], rule: str) -> OtherRule:
    engine = acme().with_settings(call.get("settings", {}))
    decision = engine.decide({key: value for key, value in call.items() if key != "settings"})
    return other_rule(engine.policy, decision, explain(decision), rule, engine.settings)


OFF: dict[str, Any] = {"tool": "look", "settings": {"approval": {"mode": "off"}}}


@pytest.mark.parametrize(
    ("call", "rule", "words"),
    [
        (CALLS["team"], "tiers.look", "it does not hold"),
        (CALLS["team"], "tiers.team", "it does not hold"),
        (CALLS["look"], "tiers.team", "it stands below the rule that decided, and does not hold"),
        (CALLS["look"], "human.pending", "its step `human` is not reached: `tiers` decides"),
        (CALLS["look"], "human.once", "its step `human` is not reached: `tiers` decides"),
        (CALLS["look"], "night.look", "its step `night` does not apply"),
        (CALLS["look"], "night.otherwise", "its step `night` does not apply"),
        (CALLS["look"], "off.all", "its step `off` is off in these settings"),
        (CALLS["look"], "blocked.listed", "it is off in these settings: approval.blocked is "),
        (CALLS["look"], "files.private", "the call has no effect `write`"),
        (CALLS["temporary"], "files.private", "it does not fire"),
        (CALLS["temporary"], "files.temporary", "it came to ask, and another rule decided"),
        (CALLS["blocked"], "files.private", "its step `guards` is not reached: `blocked` decides"),
        (CALLS["look"], "tiers.lok", "there is no such rule; did you mean `tiers.look`?"),
        (CALLS["look"], "zzzzzzzzzzzz", "there is no such rule"),
        (CALLS["broken"], "tiers.look", "its step `tiers` is not reached"),
    ],
)
def test_why_not(call: dict[str, Any], rule: str, words: str) -> None:
    assert told(call, rule).words.startswith(words)


@pytest.mark.parametrize(
    ("call", "rule", "facts"),
    [
        (CALLS["team"], "tiers.team", {"call.channel": "ops", "call.sender_id": "ben"}),
        (CALLS["look"], "tiers.team", {"call.channel": '""'}),
        (CALLS["temporary"], "files.private", {"w.path": "/tmp/a"}),
        (CALLS["blocked"], "tiers.look", {"risk": "high"}),
    ],
)
def test_its_condition_is_told_with_values(
    call: dict[str, Any], rule: str, facts: dict[str, str]
) -> None:
    test = told(call, rule).test
    assert test is not None
    assert test.rule == rule and test.text
    assert facts.items() <= dict(test.facts).items()
