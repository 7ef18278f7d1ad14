"""The manual's own settings: its config.yaml as it stands, and its shorter samples."""

from __future__ import annotations

from textwrap import dedent

import pytest
import yaml

from callgate.engine import Engine
from callgate.model.diagnostic import Severity
from tests.acme import golden
from tests.policies.bundle import ROOT
from tests.policies.manual import ALIASES, CATALOGUE

SAMPLE = ROOT / "tests" / "cases" / "echo" / "manual.yaml"

PROJECT = "/home/user/project"
PLACE: dict[str, object] = {"workspace": PROJECT, "cwd": PROJECT, "home": "/home/user"}
CONTEXTS: dict[str, dict[str, object]] = {
    "cli": {"channel": "cli"},
    "telegram": {"channel": "telegram"},
    "cron job": {"unattended": True},
    "authorised": {"unattended": True, "cron_authorized": True},
}
ARGUMENTS = {
    "action": "list",
    "code": "print(1)",
    "command": "ls",
    "content": "text",
    "id": "i",
    "name": "n",
    "patch": "@@ -1 +1 @@\n-a\n+b\n",
    "path": "notes.md",
    "text": "hello",
    "url": "https://example.org/",
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load("echo", SAMPLE)


def test_the_sample_as_it_stands_decides(engine: Engine) -> None:
    """What every tool and alias meets, in four contexts."""
    lines = [f"{'':<18} " + " ".join(f"{name:<40}" for name in CONTEXTS)]
    for tool in [*CATALOGUE, *ALIASES, "mcp_files_read"]:
        told = [
            engine.decide({"tool": tool, "args": ARGUMENTS, "context": PLACE | context})
            for context in CONTEXTS.values()
        ]
        cells = " ".join(f"{one.decision} {one.rule}".ljust(40) for one in told)
        lines.append(f"{tool:<18} {cells}")
    shown = "".join(f"{line.rstrip()}\n" for line in lines)
    assert shown == golden("echo/manual-decisions.txt", shown)


@pytest.mark.parametrize("tool", ["read_file", "write_file"])
@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("notes.md", "allow"),
        (f"{PROJECT}/src/a.py", "allow"),
        ("src/../notes.md", "allow"),
        ("/home/user/other/a.py", "deny"),
        ("/home/user/project-2/a.py", "deny"),
        ("../other/a.py", "deny"),
        ("~/other/a.py", "deny"),
        ("/etc/motd", "deny"),
    ],
)
def test_the_sample_as_it_stands_keeps_files_in_the_project(
    engine: Engine, tool: str, path: str, decision: str
) -> None:
    call = {"tool": tool, "args": ARGUMENTS | {"path": path}, "context": PLACE}
    assert engine.decide(call).decision == decision


def test_the_sample_as_it_stands_has_findings(engine: Engine) -> None:
    lines = [
        f"{found.span.line}:{found.span.column} {found.severity} {found.code}: {found.message}\n"
        for found in engine.diagnostics
        if found.span is not None
    ]
    shown = "".join(lines)
    assert shown == golden("echo/manual-findings.txt", shown)


def test_the_sample_is_that_of_the_manual() -> None:
    """Nobody mends it so that the findings go away."""
    assert yaml.safe_load(SAMPLE.read_text("utf-8")) == {
        "tools": {
            "profile": "coding",
            "also_allow": ["exec", "process"],
            "deny": ["skill_install", "cronjob"],
            "restrict_to_workspace": True,
            "safe_write_root": "/home/user/project",
        },
        "permissions": {
            "approval": {
                "mode": "smart",
                "auto_approve": ["exec"],
                "trusted_channels": ["cli"],
                "unattended_policy": "deny",
            }
        },
        "security": {"profile": "daemon"},
        "execution": {"network_policy": "allow"},
    }


LISTS = """
    tools:
      profile: full
      allow: []          # Override profile with explicit allowlist (profile ignored when set)
      also_allow: []     # Additional tools on top of profile
      deny: []           # Explicit blocklist (highest priority)
"""
NETWORK = """
    execution:
      network_policy: deny   # deny | allow | restricted
"""
APPROVAL = """
    permissions:
      approval:
        auto_approve: [exec]          # Tools that skip approval entirely
        trusted_channels: [telegram]  # Trusted channels (EXEC may pass; DANGEROUS still needs approval)
        cli_auto_approve: true        # Auto-approve EXEC in interactive CLI mode
        mode: "smart"                 # off | smart | manual
        unattended_policy: "deny"     # deny | allow_safe
        wait_timeout_seconds: 120     # Human approval timeout
        smart_model: ""               # Model used for Smart Approval
      elevated:
        enabled: true                 # Enable the elevation mechanism
        allow_from:                   # Per-channel user elevation mapping
          telegram: [user_123]
"""  # noqa: E501
WORKSPACE = """
    tools:
      restrict_to_workspace: false   # Restrict file operations to workspace
      safe_write_root: ""            # Root directory for permitted writes (empty = unrestricted)
"""


@pytest.mark.parametrize(
    ("sample", "tool", "rule"),
    [
        (LISTS, "web_search", "tiers.read"),
        (NETWORK, "web_search", "visibility.network"),
        (APPROVAL, "exec", "auto-approve.listed"),
        (APPROVAL, "process", "trusted-channels.listed"),
        (APPROVAL, "cronjob", "grants.pending"),
        (WORKSPACE, "write_file", "tiers.write"),
    ],
)
def test_the_shorter_samples(sample: str, tool: str, rule: str) -> None:
    engine = Engine.load("echo", yaml.safe_load(dedent(sample)))
    assert not [found for found in engine.diagnostics if found.severity is Severity.ERROR]
    context = PLACE | {"channel": "telegram", "sender_id": "user_123"}
    assert engine.decide({"tool": tool, "args": ARGUMENTS, "context": context}).rule == rule
