"""Every guard of the bundle `echo` says what it is for, and shows what it catches and what not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policies.bundle import document

GUARDS: list[dict[str, Any]] = [
    {**rule, "file": name}
    for name in document("bundle.yaml")["files"]
    if document(name)["kind"] == "guards"
    for rule in document(name)["rules"]
]

AT_LEAST = 4

SETTINGS = "guards/settings.yaml"
"""Rules that only say what the operator has set: how grave that is, the operator knows."""


def test_there_are_guards() -> None:
    assert len(GUARDS) > 50


@pytest.mark.parametrize("rule", GUARDS, ids=lambda rule: str(rule["id"]))
def test_a_guard_is_complete(rule: dict[str, Any]) -> None:
    assert rule["title"] and rule.get("references")
    assert rule.get("reason") or rule["decide"] == "note"
    if rule["decide"] == "deny" and rule["file"] != SETTINGS:
        assert rule.get("severity") in ("high", "critical")


@pytest.mark.parametrize("rule", GUARDS, ids=lambda rule: str(rule["id"]))
@pytest.mark.parametrize("side", ["match", "pass"])
def test_a_guard_has_examples(rule: dict[str, Any], side: str) -> None:
    shown = [str(example) for example in rule["examples"][side]]
    assert len(set(shown)) == len(shown) >= AT_LEAST
