"""What parts come to is made once for all settings that agree on what they read."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.compiler.build import compile_policy, settings_fold, settle
from callgate.compiler.memo import Memo, Under, settings_read
from callgate.model.expr import And, Fact
from tests.acme import acme
from tests.small import SETTINGS, pipeline


def test_settings_that_are_read() -> None:
    expr = And((Fact("settings.b.c"), Fact("call.tool"), Fact("settings.a"), Fact("settings.a")))
    assert settings_read([expr, Fact("settings.d")]) == ("a", "b.c", "d")


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ({"a": 1, "b": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": None}, {}, False),
        ({"a": (1, 2)}, {"a": (1, 2)}, True),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}, True),
    ],
)
def test_what_is_shared(one: dict[str, Any], other: dict[str, Any], shared: bool) -> None:
    memo, made = Memo(), []
    for settings in (one, other):
        under = Under(memo, settings, lambda name: None)
        under.part("p", [Fact("settings.a")], lambda settings=settings: made.append(settings))
    assert made == ([one] if shared else [one, other])


@pytest.mark.parametrize(
    "overlay",
    [
        {},
        {"approval": {"mode": "off"}},
        {"approval": {"blocked": ["start"]}},
        {"approval": {"mode": "off", "blocked": ["save"]}},
    ],
)
def test_graphs_are_the_same_as_without(overlay: dict[str, Any]) -> None:
    policy, settled = acme().policy, settle(acme().policy)
    compile_policy(policy, acme().settings, settled)
    settings = acme().with_settings(overlay).settings
    graph, sources = compile_policy(policy, settings, settled)
    alone, alone_sources = compile_policy(policy, settings)
    assert graph.digest == alone.digest
    assert sources == alone_sources


def test_a_policy_keeps_its_own() -> None:
    one, two = settle(pipeline()), settle(pipeline())
    assert one.memo is not two.memo
    fold = settings_fold(pipeline(), SETTINGS)
    assert Under(one.memo, SETTINGS, fold).condition(None).value is True  # type: ignore[attr-defined]
