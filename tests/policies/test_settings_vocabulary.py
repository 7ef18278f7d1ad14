"""The vocabulary of the bundle `echo`: every key of the runtime that decides something."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.compiler.settings_checks import settings_of
from callgate.engine import Engine
from callgate.model.diagnostic import Diagnostics
from callgate.model.types import BOOL, INT, JSON, PATTERNS, STRING, Enum, ListOf, MapOf

POLICY = Engine.load("echo").policy
SETTINGS = POLICY.vocabulary.settings

SAFE_BINS = (
    *("awk", "cat", "date", "echo", "find", "grep", "head", "ls"),
    *("pwd", "rg", "sed", "sort", "tail", "tr", "uniq", "wc"),
)

# Release 0.3.7, with its packaged configuration laid over the defaults of its schema.
DEFAULTS: dict[str, Any] = {
    "tools.profile": "full",
    "tools.allow": (),
    "tools.also_allow": (),
    "tools.deny": (),
    "tools.restrict_to_workspace": False,
    "tools.safe_write_root": "",
    "tools.exec.enabled": True,
    "tools.exec.host": "sandbox",
    "tools.exec.security": "allowlist",
    "tools.exec.ask": "on_miss",
    "tools.exec.allowed_commands": (),
    "tools.exec.blocked_commands": (),
    "tools.exec.safe_bins": SAFE_BINS,
    "tools.code_exec.enabled": True,
    "tools.code_exec.timeout": 30,
    "tools.code_exec.languages": ("python", "javascript", "bash"),
    "tools.browser.enabled": True,
    "tools.web.enabled": True,
    "tools.web.timeout": 30,
    "tools.web.search_provider": "brave",
    "tools.web.search_api_key": None,
    "tools.web.allow_private_addresses": False,
    "tools.mcp.enabled": True,
    "tools.mcp_security_policy": "block",
    "execution.default_executor": "local",
    "execution.network_policy": "allow",
    "permissions.admin_users": (),
    "permissions.elevated.enabled": False,
    "permissions.elevated.allow_from": {},
    "permissions.approval.mode": "smart",
    "permissions.approval.cli_auto_approve": True,
    "permissions.approval.trusted_channels": (),
    "permissions.approval.auto_approve": (),
    "permissions.approval.auto_deny": (),
    "permissions.approval.default_policy": "approve",
    "permissions.approval.unattended_policy": "deny",
    "permissions.approval.wait_timeout_seconds": 300,
    "permissions.approval.smart_model": "",
    "permissions.approval.require_approval": ("cronjob", "skill_install", "skill_manage"),
    "security.profile": "personal_cli",
}
WORDS = {
    "tools.profile": "minimal messaging coding full",
    "tools.exec.host": "auto local sandbox container remote",
    "tools.exec.security": "deny allowlist full",
    "tools.exec.ask": "off on_miss always",
    "tools.web.search_provider": "brave tavily serpapi searxng serply",
    "tools.mcp_security_policy": "warn block",
    "execution.network_policy": "allow deny restricted",
    "permissions.approval.mode": "off smart manual",
    "permissions.approval.default_policy": "approve deny ask",
    "permissions.approval.unattended_policy": "deny allow_safe",
    "security.profile": "personal_cli daemon public_gateway",
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults(name: str) -> None:
    assert settings_of(POLICY, None, Diagnostics()).values[name] == DEFAULTS[name]


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    type_ = SETTINGS[name].field.type
    assert isinstance(type_, Enum) and not type_.open
    assert set(type_.members) == set(WORDS[name].split())


def test_lists_of_tools_know_aliases() -> None:
    names = {name for name, setting in SETTINGS.items() if setting.of_tools}
    assert names == {
        "tools.allow",
        "tools.also_allow",
        "tools.deny",
        "permissions.approval.auto_approve",
        "permissions.approval.auto_deny",
    }


def test_every_setting_is_explained() -> None:
    for setting in SETTINGS.values():
        assert setting.field.doc, setting.name


def test_what_may_hold_a_key_is_secret() -> None:
    for name, setting in SETTINGS.items():
        looks_secret = any(word in name for word in ("key", "token", "password", "secret"))
        # What ends in `key_from` says where a key is.
        assert setting.field.secret or not looks_secret or name.endswith("_key_from"), name
    assert SETTINGS["tools.mcp.servers"].field.secret  # their environments hold tokens


def test_wildcards_are_read_for_elevation_alone() -> None:
    names = {name for name, setting in SETTINGS.items() if setting.wildcards}
    assert names == {"permissions.elevated.allow_from"}


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def other_than_default(name: str) -> Any:
    field = SETTINGS[name].field
    match field.type:
        case Enum(members=members):
            return next(member for member in members if member != field.default)
        case ListOf(item=item):
            return ["exec $"] if item in PATTERNS else ["exec"]
        case MapOf(value=value):
            return {"a": 1} if value == JSON else {"cli": ["u"]}
    return {BOOL: not field.default, INT: 77, STRING: "x"}.get(field.type, "/x")


@pytest.mark.parametrize("name", SETTINGS)
def test_both_spellings_are_the_same_key(name: str) -> None:
    value = other_than_default(name)
    found = []
    for spelt in (name.split("."), [camel(part) for part in name.split(".")]):
        raw: Any = value
        for key in reversed(spelt):
            raw = {key: raw}
        diagnostics = Diagnostics()
        settings = settings_of(POLICY, raw, diagnostics)
        assert not list(diagnostics)
        assert settings.given == {name}
        found.append(settings.values[name])
    assert found[0] == found[1] != settings_of(POLICY, None, Diagnostics()).values[name]
