"""What the bundle `echo` finds in settings: each finding that is promised, and no other."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.compiler.settings_checks import SettingsFindings, settings_of
from callgate.compiler.simplify import FALSE, TRUE, simplify
from callgate.engine import Engine
from callgate.load.settings_file import parse_settings
from callgate.model.catalogue import Setting
from callgate.model.diagnostic import Diagnostics, Severity
from callgate.model.types import BOOL, INT, JSON, Enum, ListOf, MapOf, Type

POLICY = Engine.load("echo", {}).policy
FINDINGS = SettingsFindings(POLICY)


def found(text: str) -> list[str]:
    """Line, severity and code of everything that is found in a settings file."""
    diagnostics = Diagnostics()
    document = parse_settings("config.yaml", text.encode(), diagnostics)
    assert document is not None
    values = settings_of(POLICY, document.data, diagnostics, document)
    diagnostics.items.extend(FINDINGS.of(values, document.data, document))
    for item in diagnostics:
        assert item.help
    return [
        f"{item.span.line} {item.severity} {item.code}"
        for item in diagnostics.sorted()
        if item.span is not None
    ]


PROMISED = {
    "a denied tool in also_allow": (
        "tools:\n  profile: coding\n  also_allow:\n  - exec\n  - cronjob\n  deny: [cronjob]\n",
        ["5 warning settings.also-allow-denied"],
    ),
    "a denied tool in allow, by its alias": (
        "tools:\n  allow: [exec, todo]\n  deny: [shell]\n",
        ["2 warning settings.allow-denied"],
    ),
    "profile while allow is not empty": (
        "tools:\n  profile: coding\n  allow: [todo]\n",
        ["2 warning settings.profile-ignored"],
    ),
    "also_allow while allow is not empty": (
        "tools:\n  allow: [todo]\n  alsoAllow: [exec]\n",
        ["3 warning settings.also-allow-ignored"],
    ),
    "allow_from while elevated is disabled": (
        "permissions:\n  elevated:\n    allow_from:\n      telegram: [user_123]\n",
        ["3 warning settings.allow-from-disabled"],
    ),
    "a listed tool that the security profile hides": (
        "tools:\n  profile: coding\n  also_allow: [exec]\nsecurity: {profile: daemon}\n",
        ["3 warning settings.also-allow-hidden"],
    ),
    "an allowed tool that the security profile hides": (
        "tools:\n  allow: [write_file, todo]\nsecurity: {profile: public_gateway}\n",
        ["2 warning settings.allow-hidden"],
    ),
    "require_approval": (
        "permissions:\n  approval:\n    requireApproval: [exec]\n",
        ["3 warning settings.require-approval-ignored"],
    ),
    "default_policy": (
        "permissions:\n  approval:\n    default_policy: deny\n",
        ["3 warning settings.default-policy-ignored"],
    ),
    "a web tool under network_policy deny": (
        "tools:\n  profile: coding\n  also_allow: [web_fetch]\nexecution: {network_policy: deny}\n",
        ["3 warning settings.also-allow-without-network"],
    ),
    "auto_approve and auto_deny": (
        "permissions:\n  approval:\n    auto_approve: [exec]\n    auto_deny: [exec]\n",
        ["3 warning settings.approved-and-denied"],
    ),
    "soft blocks that auto_approve by-passes": (
        "permissions:\n  approval:\n    auto_approve: [todo, exec]\n",
        ["3 warning settings.auto-approve-soft-blocks"],
    ),
    "soft blocks that mode off by-passes": (
        "permissions:\n  approval:\n    mode: off\n",
        ["3 warning settings.mode-off"],
    ),
    "a dangerous tool in auto_approve": (
        "permissions:\n  approval:\n    auto_approve:\n    - cronjob\n",
        ["4 warning settings.auto-approve-dangerous"],
    ),
    "allow_safe with tools that write": (
        "permissions:\n  approval:\n    unattended_policy: allow_safe\n",
        ["3 warning settings.allow-safe-writes"],
    ),
    "an elevated channel wildcard": (
        'permissions:\n  elevated:\n    enabled: true\n    allow_from:\n      "*": [user_1]\n',
        ["5 warning settings.elevated-every-channel"],
    ),
    "an elevated user wildcard": (
        'permissions:\n  elevated:\n    enabled: true\n    allow_from:\n      telegram: ["*"]\n',
        ["5 warning settings.elevated-every-user"],
    ),
    "both wildcards": (
        'permissions:\n  elevated:\n    enabled: true\n    allow_from:\n      "*": ["*"]\n',
        ["5 warning settings.elevated-everybody"],
    ),
    "mode smart without a reviewer": (
        "permissions:\n  approval:\n    mode: smart\n    reviewer: off\n",
        ["3 warning settings.smart-without-reviewer"],
    ),
    "security full and nobody elevated": (
        "tools:\n  exec:\n    security: full\n",
        ["3 warning settings.full-not-elevated"],
    ),
    "commands on the host and nobody elevated": (
        "tools:\n  exec:\n    host: local\n",
        ["3 warning settings.host-not-elevated"],
    ),
    "a relative write root": (
        "tools:\n  safe_write_root: out\n",
        ["2 warning settings.relative-write-root"],
    ),
    "a misspelt key": ("tools:\n  also_alow: [exec]\n", ["2 error E001"]),
    "a misspelt section": ("permision:\n  approval: {mode: off}\n", ["1 error E001"]),
    "a wrong type": ("tools:\n  deny: cronjob\n", ["2 error E002"]),
    "a wrong word": ("permissions:\n  approval:\n    mode: smrat\n", ["3 error E003"]),
    "a misspelt tool": ("tools:\n  deny: [crnjob]\n", ["2 error E006"]),
    "a tool that nobody knows": ("tools:\n  deny: [deploy]\n", ["2 warning E006"]),
    "a tool of an MCP server": ("tools:\n  deny: [mcp_files_write]\n", []),
    "a wildcard among tools": ('tools:\n  deny: ["*"]\n', ["2 warning E007"]),
    "a wildcard among admins": ('permissions:\n  admin_users: ["*"]\n', ["2 warning E007"]),
    "a wildcard among channels": (
        'permissions:\n  approval:\n    trusted_channels: ["*"]\n',
        ["3 warning E007"],
    ),
    "nothing but sections of the runtime": ("providers: {a: b}\nlogging: {level: info}\n", []),
    "the default in words": ("tools: {profile: full}\nsecurity: {profile: personal_cli}\n", []),
}


@pytest.mark.parametrize("name", PROMISED)
def test_promised_findings(name: str) -> None:
    text, expected = PROMISED[name]
    assert found(text) == expected


def test_soft_blocks_are_counted() -> None:
    """auto_approve and mode off say how many; what the settings switch on counts, too."""

    def count(settings_: dict[str, Any], code: str) -> list[int]:
        values = settings_of(POLICY, settings_, Diagnostics())
        messages = [item.message for item in FINDINGS.of(values) if item.code == code]
        assert len(messages) == 1
        return [int(number) for number in re.findall(r"\d+", messages[0])]

    asks = [guard.id for guard in POLICY.guards if (guard.decide, guard.approval) == ("ask", "any")]
    (off,) = count({"permissions": {"approval": {"mode": "off"}}}, "settings.mode-off")
    (always,) = count(
        {"permissions": {"approval": {"mode": "off"}}, "tools": {"exec": {"ask": "always"}}},
        "settings.mode-off",
    )
    assert 5 < off < always <= len(asks)
    approve = {"permissions": {"approval": {"auto_approve": ["exec"]}}}
    some, all_ = count(approve, "settings.auto-approve-soft-blocks")
    assert 5 < some <= all_ == off
    todo = {"permissions": {"approval": {"auto_approve": ["todo"]}}}
    assert not list(FINDINGS.of(settings_of(POLICY, todo, Diagnostics())))


def test_every_check_has_examples_of_both_kinds() -> None:
    for check in POLICY.settings_checks:
        kinds = {example.found for example in check.examples}
        assert kinds == {True, False}, check.id
        assert any(not example.settings for example in check.examples), check.id


def test_defaults_are_found_fault_with_by_none() -> None:
    assert list(FINDINGS.of(settings_of(POLICY, {}, Diagnostics()))) == []


def test_no_check_keeps_settings_from_being_used() -> None:
    """The runtime starts with such settings, so the policy does, too."""
    assert all(check.severity is not Severity.ERROR for check in POLICY.settings_checks)


def values_of(type_: Type, of_tools: bool = False) -> st.SearchStrategy[Any]:
    """Values of a setting's type, as a settings file may have them."""
    if isinstance(type_, ListOf):
        return st.lists(values_of(type_.item, of_tools), max_size=3)
    if isinstance(type_, MapOf):
        keys = st.sampled_from(["cli", "*", "telegram", ""])
        return st.dictionaries(keys, values_of(type_.value), max_size=2)
    if isinstance(type_, Enum):
        members = (*type_.members, "mcp_a_b", "deploy_site") if type_.open else type_.members
        return st.sampled_from(members)
    if type_ == BOOL:
        return st.booleans()
    if type_ == INT:
        return st.integers(-1, 1_000)
    if type_ == JSON:
        return st.just({"a": 1})
    return st.sampled_from(["", "*", "a", "cron", "~/x", "/x", "{y}", "git push"])


def nested(name: str, value: Any) -> dict[str, Any]:
    *sections, last = name.split(".")
    result: dict[str, Any] = {last: value}
    for section in reversed(sections):
        result = {section: result}
    return result


def merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    result = dict(left)
    for key, value in right.items():
        inner = result.get(key)
        result[key] = merged(inner, value) if isinstance(inner, dict) else value
    return result


@st.composite
def raw_settings(draw: st.DrawFn) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    every = sorted(POLICY.vocabulary.settings)
    for name in draw(st.lists(st.sampled_from(every), unique=True, max_size=12)):
        setting: Setting = POLICY.vocabulary.settings[name]
        value = draw(values_of(setting.field.type, setting.of_tools))
        raw = merged(raw, nested(name, value))
    return raw


@settings(max_examples=150, deadline=None)
@given(raw_settings())
def test_settings_decide_every_check(raw: dict[str, Any]) -> None:
    """Whatever the settings, each condition is true or false, and each text is complete."""
    diagnostics = Diagnostics()
    values = settings_of(POLICY, raw, diagnostics)
    assert not diagnostics.has_errors
    for item in FINDINGS.of(values, raw):
        assert item.message and item.help
        assert "unknown" not in item.message and "{" not in item.message.replace("{y}", "")
    fold = FINDINGS._fold(values)
    for check in POLICY.settings_checks:
        if check.each is None and check.select is None and check.when is not None:
            assert simplify(check.when.expr, fold) in (TRUE, FALSE), check.id


# -- findings about hidden tools agree with the flow that hides them

HIDDEN = {
    "settings.also-allow-denied",
    "settings.also-allow-hidden",
    "settings.also-allow-reserved",
    "settings.also-allow-without-network",
}


ARGUMENTS = {
    "action": "list",
    "code": "1",
    "command": "ls",
    "content": "x",
    "name": "n",
    "path": "a",
    "text": "x",
    "url": "https://example.org/",
}


@pytest.mark.parametrize("network", ["allow", "restricted", "deny"])
@pytest.mark.parametrize("profile", ["personal_cli", "daemon", "public_gateway"])
@pytest.mark.parametrize("denied", [[], ["exec", "memory", "web_fetch"]])
def test_listed_tools_are_hidden_where_a_finding_says_so(
    network: str, profile: str, denied: list[str]
) -> None:
    tools = [*POLICY.tools, "mcp_files_read"]
    raw = {
        "tools": {"profile": "minimal", "also_allow": tools, "deny": denied},
        "execution": {"network_policy": network},
        "security": {"profile": profile},
        "permissions": {"approval": {"unattended_policy": "allow_safe", "auto_approve": tools}},
    }
    engine = Engine.load("echo", raw)
    said: dict[str, set[str]] = {}
    writing: set[str] = set()
    fold = FINDINGS._fold(settings_of(POLICY, raw, Diagnostics()))
    for check in POLICY.settings_checks:
        for inner, tool in FINDINGS._matches(check, fold):
            said.setdefault(check.id, set()).add(tool)
            if check.id == "settings.allow-safe-writes":
                selected = inner("$selected")
                assert selected is not None
                writing = set(selected.value)
    hidden = {
        tool
        for tool in tools
        if str(engine.decide({"tool": tool, "args": ARGUMENTS}).rule).startswith("visibility.")
    }
    assert set().union(*(said.get(code, set()) for code in HIDDEN)) == hidden
    assert POLICY.risk is not None
    writes = {tool for tool in tools if POLICY.risk.tools.get(tool) == "write"}
    assert writing == writes - hidden
    # Reserved names and the network are left out of this one.
    assert said.get("settings.auto-approve-hidden", set()) <= hidden
