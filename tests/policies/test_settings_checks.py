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
from callgate.model.types import BOOL, INT, JSON, PATTERNS, Enum, ListOf, MapOf, Type
from callgate.runtime.unseen import Unseen

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
    "an exclusive list that names no tool": (
        'tools:\n  allow:\n  - nosuch\n  - "*"\n',
        ["2 warning settings.nothing-visible", "3 warning E006", "4 warning E007"],
    ),
    "an exclusive list with one tool": (
        "tools:\n  allow:\n  - nosuch\n  - exec\n",
        ["3 warning E006"],
    ),
    "a tool twice in a list": (
        "tools:\n  allow:\n  - bash\n  - todo\n  - exec\n  deny: [exec]\n",
        ["3 warning settings.allow-denied", "5 warning settings.allow-denied"],
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
    "no soft blocks where commands are switched off": (
        "tools:\n  exec: {enabled: false}\n"
        "permissions:\n  approval:\n    auto_approve: [exec, process]\n",
        ["5 info settings.auto-approve-hidden", "5 info settings.auto-approve-hidden"],
    ),
    "no soft blocks where no command may run": (
        "tools:\n  exec: {security: deny}\npermissions:\n  approval:\n    auto_approve: [exec]\n",
        [],
    ),
    "no soft blocks where code is switched off": (
        "tools:\n  code_exec: {enabled: false}\n"
        "permissions:\n  approval:\n    auto_approve: [execute_code]\n",
        ["5 info settings.auto-approve-hidden"],
    ),
    "no soft blocks where nobody is elevated": (
        "tools:\n  exec:\n    host: local\npermissions:\n  approval:\n    auto_approve: [exec]\n",
        ["3 warning settings.host-not-elevated"],
    ),
    "soft blocks of a tool that runs nothing": (
        "tools:\n  exec: {enabled: false}\n"
        "permissions:\n  approval:\n    auto_approve: [write_file]\n",
        ["5 warning settings.auto-approve-soft-blocks"],
    ),
    "a subsystem that is switched off": (
        "tools:\n  browser: {enabled: false}\n"
        "permissions:\n  approval:\n    auto_approve: [browser]\n",
        ["5 info settings.auto-approve-hidden"],
    ),
    "a tool that nobody knows in auto_approve": (
        "tools:\n  profile: coding\npermissions:\n  approval:\n    auto_approve: [foo]\n",
        ["5 warning E006"],
    ),
    "a tool that the host may bring in auto_approve": (
        "permissions:\n  approval:\n    auto_approve: [foo]\n",
        ["3 warning E006", "3 info settings.auto-approve-unknown"],
    ),
    "commands that are more than a program": (
        "tools:\n  exec:\n    blocked_commands:\n    - rm *\n    - git push*\n    - nmap\n"
        '    - " "\n    - ""\n    - mkfs*\n    allowed_commands: ["git *"]\n'
        "    safe_bins: [ls cat]\n",
        [
            "4 warning settings.blocked-command-star",
            "5 warning settings.blocked-command-star",
            "7 warning settings.blocked-command-blank",
            "8 warning settings.blocked-command-empty",
            "9 warning E007",
            "10 warning settings.allowed-command-words",
            "11 warning settings.safe-bin-words",
        ],
    ),
    "stars within names that are elevated": (
        "permissions:\n  elevated:\n    enabled: true\n    allow_from:\n      tele*: [user_*]\n",
        ["5 warning settings.elevated-star-channel", "5 warning settings.elevated-star-user"],
    ),
    "a language that is none": (
        "tools:\n  code_exec:\n    timeout: -5\n    languages:\n    - bash\n    - pyton\n",
        ["3 warning settings.code-timeout", "6 warning settings.unknown-language"],
    ),
    "no time": (
        "tools: {web: {timeout: 0}}\npermissions:\n  approval:\n    wait_timeout_seconds: -5\n",
        ["1 warning settings.web-timeout", "4 warning settings.no-time-at-all"],
    ),
    "a key for searxng": (
        "tools:\n  web:\n    search_provider: searxng\n"
        "    search_base_url: https://s.example.org\n    search_api_key: k\n",
        ["5 info settings.search-key-ignored"],
    ),
    "an address without searxng": (
        "tools:\n  web:\n    search_base_url: https://s.example.org\n",
        ["3 warning settings.search-address-ignored"],
    ),
    "an MCP tool that a capability hides": (
        "permissions:\n  approval:\n    auto_approve: [mcp_a_b]\n"
        "security: {profile: public_gateway}\n",
        ["3 info settings.auto-approve-hidden"],
    ),
    "mode off beside auto_approve": (
        "permissions:\n  approval:\n    mode: off\n    auto_approve: [exec]\n",
        ["3 warning settings.mode-off"],
    ),
    "ask off beside what it switches off": (
        "tools:\n  exec:\n    ask: off\npermissions:\n  approval:\n    mode: off\n"
        "    auto_approve: [exec]\nexecution:\n  network_policy: restricted\n",
        ["3 info settings.ask-off", "9 warning settings.network-refused"],
    ),
    "ask off without an allowlist": (
        "tools:\n  exec:\n    ask: off\n    security: deny\n",
        ["3 info settings.ask-off-no-allowlist"],
    ),
    "a hidden tool is not called needless": (
        "tools:\n  also_allow: [exec]\nsecurity: {profile: public_gateway}\n",
        ["2 warning settings.also-allow-hidden"],
    ),
    "sections of the file's author": ("x-tools: {a: b}\nx-anything: 1\n", []),
    "an empty channel": (
        'permissions:\n  approval:\n    trusted_channels: [cli, ""]\n',
        ["3 warning settings.trusted-no-channel"],
    ),
    "a type error beside what else there is to say": (
        "tools: {web: {timeout: 30s}}\n"
        "permissions:\n  approval:\n    mode: off\n    auto_approve: [cronjob]\n",
        [
            "1 error E002",
            "4 warning settings.mode-off",
            "5 warning settings.auto-approve-dangerous",
        ],
    ),
    "nothing is said of what a wrong setting may change": (
        "tools:\n  profile: codin\n  deny: [exec]\n  allow: [exec]\n",
        ["2 error E003", "4 warning settings.allow-denied"],
    ),
    "hosts that are none": (
        "execution:\n  network_policy: restricted\n  network_allow:\n"
        '  - https://api.example.org/v1\n  - example.org\n  - 10.0.0.0/8\n  - ""\n',
        ["4 warning E003", "6 warning E003", "7 warning E003"],
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
    "mode smart without an address": (
        "permissions:\n  approval:\n    mode: smart\n",
        ["3 warning settings.smart-without-reviewer"],
    ),
    "a model without an address": (
        "permissions:\n  approval:\n    smart_model: small-1\n",
        ["2 warning settings.smart-without-reviewer"],
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
    "a key in capitals": ("TOOLS:\n  Deny: [exec]\n", ["1 error E001"]),
    "a setting in capitals": ("tools:\n  Deny: [exec]\n", ["2 error E001"]),
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


def messages(settings_: dict[str, Any]) -> dict[str, str]:
    values = settings_of(POLICY, settings_, Diagnostics())
    return {item.code: item.message for item in FINDINGS.of(values, settings_)}


def test_an_alias_is_named_as_it_is_written() -> None:
    found = messages({"tools": {"allow": ["bash"], "deny": ["shell"]}})
    assert found == {
        "settings.allow-denied": "`bash` (exec) is also listed in tools.deny, which wins: "
        "it stays hidden"
    }


def test_the_empty_channel_is_quoted() -> None:
    found = messages({"permissions": {"elevated": {"enabled": True, "allow_from": {"": [""]}}}})
    assert 'under the channel "" elevates' in found["settings.elevated-without-sender"]
    told = [
        Engine.load("echo", {"permissions": {"approval": {"trusted_channels": [""]}}})
        .decide({"tool": "exec", "args": {"command": "ls"}, "settings": overlay})
        .reason
        for overlay in (
            {"permissions": {"approval": {"cli_auto_approve": False}}},
            {"tools": {"exec": {"host": "local"}}},
        )
    ]
    assert told[0] == 'channel "" is listed in permissions.approval.trusted_channels'
    assert 'and "" on channel "" has none' in told[1]


MODE_OFF: Any = {"permissions": {"approval": {"mode": "off"}}}
ASK_OFF: Any = {"tools": {"exec": {"ask": "off", "allowed_commands": ["curl"]}}}
PLUG: Any = {"permissions": {"approval": {"auto_approve": ["plug"]}}}
RESTRICTED: Any = {"execution": {"network_policy": "restricted"}}


def blocked(*entries: str) -> Any:
    return {"tools": {"exec": {"blocked_commands": list(entries)}}}


@pytest.mark.parametrize(
    ("raw", "channel", "call", "decision"),
    [
        # settings.auto-approve-unknown
        (PLUG, "telegram", {"tool": "plug", "declared": {"risk_level": "exec"}}, "allow"),
        (PLUG, "telegram", {"tool": "plug", "declared": {"risk_level": "dangerous"}}, "ask"),
        (PLUG, "telegram", {"tool": "plug"}, "ask"),
        (PLUG, "cron", {"tool": "plug", "declared": {"risk_level": "exec"}}, "deny"),
        # settings.mode-off
        (MODE_OFF, "telegram", "make", "allow"),
        (MODE_OFF, "telegram", "$TOOL now", "ask"),
        (MODE_OFF, "telegram", {"tool": "cronjob", "args": {"action": "list"}}, "ask"),
        (MODE_OFF, "cron", "make", "deny"),
        ({**MODE_OFF, **RESTRICTED}, "telegram", "curl https://example.org", "ask"),
        # settings.ask-off, settings.network-refused, settings.network-allow-empty
        (ASK_OFF, "cli", "make", "deny"),
        (ASK_OFF, "telegram", "ls", "ask"),
        ({**ASK_OFF, **RESTRICTED}, "cli", "curl https://example.org", "deny"),
        (RESTRICTED, "cli", "curl https://example.org", "ask"),
        # settings.blocked-command-star, -blank, -empty
        (blocked("rm *"), "cli", "rm notes.md", "allow"),
        (blocked("rm *"), "cli", "rm *", "deny"),
        (blocked(" "), "cli", "ls notes", "deny"),
        (blocked(" "), "cli", "ls", "allow"),
        (blocked(""), "cli", "ls notes", "allow"),
    ],
)
def test_what_findings_say_is_so(raw: Any, channel: str, call: Any, decision: str) -> None:
    command = {"tool": "exec", "args": {"command": call}}
    asked = command if isinstance(call, str) else {"args": {}, **call}
    engine = Engine.load("echo", raw)
    assert engine.decide({**asked, "context": {"channel": channel}}).decision == decision


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
    if type_ in PATTERNS:
        return st.sampled_from(["git status $", "git push [--force] $", "ls $", "ls -l $"])
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


# -- what is said of a tool agrees with both flows

SITUATIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "no commands": {"tools": {"exec": {"enabled": False}}},
    "security deny": {"tools": {"exec": {"security": "deny"}}},
    "no code": {"tools": {"code_exec": {"enabled": False}}},
    "no browser, no web": {"tools": {"browser": {"enabled": False}, "web": {"enabled": False}}},
    "on the host": {"tools": {"exec": {"host": "local"}}},
    "elevated": {
        "tools": {"exec": {"host": "local"}},
        "permissions": {"admin_users": ["u"]},
    },
    "daemon": {"security": {"profile": "daemon"}},
    "public gateway": {"security": {"profile": "public_gateway"}},
    "coding": {"tools": {"profile": "coding", "also_allow": ["exec"], "deny": ["memory"]}},
    "exclusive": {"tools": {"allow": ["exec", "agents_list"]}},
    "no network": {"execution": {"network_policy": "deny"}},
    "auto deny": {"permissions": {"approval": {"auto_deny": ["exec", "todo"]}}},
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_what_is_hidden_and_denied(name: str) -> None:
    raw = SITUATIONS[name]
    engine = Engine.load("echo", raw)
    values = settings_of(POLICY, raw, Diagnostics()).values
    catalogue = FINDINGS._catalogue.under(values)["catalogue"].value
    unseen = Unseen(engine.program)
    context = {"channel": "cli", "sender_id": "u"}
    for tool in POLICY.tools:
        call = {"tool": tool, "context": context}
        code = unseen.code_of(unseen.visibility(call))
        assert catalogue[tool]["hidden"] == ("" if code == "visible" else code), tool
        met = unseen.approval(call)
        if catalogue[tool]["denied"]:
            assert (met.decision, met.rule) == ("deny", catalogue[tool]["denied"]), tool
        else:
            assert met.decision != "deny", tool


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
    "id": "i",
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
