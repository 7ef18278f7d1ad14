"""Catalogue, profiles and defaults of the bundle `echo`, row by row against the manual's tables."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from callgate.engine import Engine
from tests.policies.bundle import cases, document
from tests.policies.manual import (
    ALIASES,
    CAPABILITIES,
    CATALOGUE,
    DEFAULTS,
    PROFILES,
    RISK_LEVELS,
    SECURITY_PROFILES,
)

TOOLS = document("tools.yaml")["tools"]
RISK = document("risk.yaml")

ARGUMENTS = {
    "action": "list",
    "code": "1",
    "command": "ls",
    "id": "i",
    "name": "n",
    "path": "/srv/a.md",
    "text": "",
    "url": "https://example.org/",
}
"""What the effects of all tools read; each tool takes its own."""


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def test_the_manual_has_34_names_and_decision_16_adds_seven() -> None:
    assert sum(entry.manual for entry in CATALOGUE.values()) == 34
    assert len(CATALOGUE) == 41


def test_the_catalogue_is_complete() -> None:
    assert TOOLS.keys() == CATALOGUE.keys()


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_row_of_the_catalogue(name: str, echo: Engine) -> None:
    entry, tool = CATALOGUE[name], TOOLS[name]
    assert tool["description"] == entry.description
    assert tool["capabilities"] == entry.capabilities
    assert name in RISK["tools"][entry.risk]
    assert tool["effects"] == "none" or tool["effects"]
    reserved = "Reserved name" in entry.description
    assert tool.get("status", "available") == ("reserved" if reserved else "available")
    told = echo.decide({"tool": name, "args": ARGUMENTS}).to_dict()
    assert told["risk"] == entry.risk
    assert sorted(told["capabilities"]) == sorted(entry.capabilities)


def test_every_tool_has_one_level() -> None:
    assert RISK["levels"] == RISK_LEVELS
    names = [name for level in RISK["tools"].values() for name in level]
    assert sorted(names) == sorted(CATALOGUE)


def test_aliases() -> None:
    found = {alias: name for name, tool in TOOLS.items() for alias in tool.get("aliases", ())}
    assert found == ALIASES


def test_capabilities_and_their_meanings() -> None:
    found = {name: text.casefold() for name, text in document("tools.yaml")["capabilities"].items()}
    assert found == {name: text.casefold() for name, text in CAPABILITIES.items()}
    assert len(found) == 24


def test_mcp_tools_have_their_capability() -> None:
    dynamic = document("tools.yaml")["dynamic"]
    assert dynamic["mcp"]["capabilities"] == ["mcp.call"]
    assert dynamic["mcp"]["listed"]
    assert "capabilities" not in dynamic["unlisted"]


@pytest.mark.parametrize("name", CATALOGUE)
def test_parameters_are_a_schema_whose_arguments_are_described(name: str) -> None:
    parameters = TOOLS[name]["parameters"]
    jsonschema.Draft202012Validator.check_schema(parameters)
    properties = parameters.get("properties", {})
    assert set(parameters.get("required", ())) <= properties.keys()
    for argument, schema in properties.items():
        assert "description" in schema or "enum" in schema or argument == "timeout", argument


@pytest.mark.parametrize("name", CATALOGUE)
def test_effects_read_arguments_that_exist(name: str) -> None:
    properties = TOOLS[name]["parameters"].get("properties", {})
    for effect in () if TOOLS[name]["effects"] == "none" else TOOLS[name]["effects"]:
        for kind, fields in effect.items():
            if kind == "when":
                continue
            for value in fields.values():
                assert _argument(value) in {None, *properties}


def _argument(value: Any) -> str | None:
    if isinstance(value, dict):
        return str(value["arg"])
    text = str(value)
    return text.removeprefix("args.") if text.startswith("args.") else None


def test_raising_rules_only_raise() -> None:
    """A rule that named a lower level than the map would be of no use: the strictest wins."""
    for rule in RISK["raise"]:
        for name in rule.get("tools", ()):
            assert RISK_LEVELS.index(rule["to"]) >= RISK_LEVELS.index(CATALOGUE[name].risk)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_tool_profile(profile: str) -> None:
    profiles = document("profiles.yaml")["profiles"]
    found: set[str] = set()
    current: list[str] = [profile]
    while current:
        entry = profiles[current.pop()]
        found.update(CATALOGUE if entry["tools"] == ["*"] else entry["tools"])
        current.extend(entry.get("includes", ()))
    assert profiles.keys() == PROFILES.keys()
    assert found == PROFILES[profile]


@pytest.mark.parametrize("profile", SECURITY_PROFILES)
def test_a_security_profile(profile: str) -> None:
    profiles = document("security-profiles.yaml")["profiles"]
    assert profiles.keys() == SECURITY_PROFILES.keys()
    expected = SECURITY_PROFILES[profile]
    assert set(profiles[profile]["deny_tools"]) == expected.tools
    assert set(profiles[profile]["deny_capabilities"]) == expected.capabilities
    assert set(profiles[profile].get("keep", ())) == expected.keep


@pytest.mark.parametrize("profile", PROFILES)
def test_the_bundle_tests_every_tool_under_every_profile(profile: str) -> None:
    """The table says `visibility.…` exactly where the manual's sets hide a tool."""
    title = f"V4 profiles: {profile}, tool by tool"
    (table,) = (case for case in cases() if case.get("table") == title)
    rows = {name: rule for name, _, rule, *_ in table["rows"]}
    assert rows.keys() == CATALOGUE.keys()
    hidden = {name for name, rule in rows.items() if rule == "visibility.not-in-profile"}
    assert hidden == CATALOGUE.keys() - PROFILES[profile]


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default(name: str, echo: Engine) -> None:
    settings = document("vocabulary.yaml")["settings"]
    assert settings[name]["default"] == DEFAULTS[name]
    if not settings[name].get("secret"):
        found = echo.settings[name]
        assert (list(found) if isinstance(found, tuple) else found) == DEFAULTS[name]


def test_every_setting_says_what_it_decides() -> None:
    for name, setting in document("vocabulary.yaml")["settings"].items():
        assert setting.keys() >= {"type", "default", "doc"}, name
