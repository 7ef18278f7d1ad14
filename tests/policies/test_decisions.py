"""Every row of the decisions about what the manual leaves open has tests that carry its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from callgate.cli import main
from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError
from tests.policies.bundle import ECHO, ROOT, cases, rule_ids
from tests.policies.manual import DECISIONS

NAMES = [str(case.get("name", case.get("table", case.get("matrix")))) for case in cases()]

PYTHON = {
    "D9 spelling": [
        "tests/policies/test_decisions.py::test_two_spellings_in_one_mapping_are_an_error"
    ],
    "D14 diagnosis": ["tests/policies/test_decisions.py::test_diagnosis_gives_a_reason_code"],
    "reload": ["tests/policies/test_decisions.py::test_reload_changes_a_policy_never_by_itself"],
    "defaults": ["tests/policies/test_catalogue.py::test_a_default"],
}
"""Rows that also, or only, Python tests carry."""

FINDINGS = {
    "D2 DANGEROUS": ["settings.auto-approve-dangerous"],
    "soft blocks": ["settings.auto-approve-soft-blocks", "settings.mode-off"],
    "D11 reviewer": ["settings.smart-without-reviewer"],
    "V2 explicit allow": ["settings.allow-hidden", "settings.also-allow-hidden"],
    "require_approval, default_policy": [
        "settings.require-approval-ignored",
        "settings.default-policy-ignored",
    ],
}
"""Rows that say what `lint --settings` tells, and the checks that do."""


@pytest.mark.parametrize("row", DECISIONS)
def test_a_decision_has_tests_of_its_name(row: str) -> None:
    policy = [name for name in NAMES if name.startswith(f"{row}: ")]
    assert policy or PYTHON.get(row)
    for place in PYTHON.get(row, ()):
        file, _, function = place.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text("utf-8"), place


@pytest.mark.parametrize("row", FINDINGS)
def test_a_decision_has_its_findings(row: str) -> None:
    assert row in DECISIONS
    for check in FINDINGS[row]:
        assert check in rule_ids()


def test_names_of_cases_are_unique() -> None:
    assert len(NAMES) == len(set(NAMES))


def test_two_spellings_in_one_mapping_are_an_error() -> None:
    with pytest.raises(PolicyError, match="network_policy"):
        Engine.load("echo", {"execution": {"network_policy": "deny", "networkPolicy": "allow"}})


@pytest.mark.parametrize(
    ("settings", "tool", "reason"),
    [
        ("{}", "read_file", "visible"),
        ("{}", "agents_list", "reserved"),
        ("tools: {deny: [exec]}", "exec", "policy.deny"),
        ("tools: {allow: [exec]}", "read_file", "policy.allow_exclusive"),
        ("tools: {profile: coding}", "web_fetch", "policy.profile"),
        ("tools: {profile: coding}", "skill_run", "policy.profile"),
        ("security: {profile: daemon}", "skill_run", "policy.security_profile"),
        ("security: {profile: public_gateway}", "write_file", "policy.security_profile"),
        ("execution: {network_policy: deny}", "web_fetch", "policy.network"),
        ("tools: {web: {enabled: false}}", "web_fetch", "subsystem.disabled"),
        ("tools: {exec: {enabled: false}}", "exec", "subsystem.disabled"),
        ("{}", "web_search", "missing.search_key"),
        ("tools: {web: {search_api_key: x}}", "web_search", "visible"),
        ("tools: {web: {search_provider: searxng}}", "web_search", "missing.base_url"),
        # Policy comes before readiness.
        ("tools: {deny: [web_search]}", "web_search", "policy.deny"),
    ],
)
def test_diagnosis_gives_a_reason_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, tool: str, reason: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "config.yaml"
    file.write_text(settings)
    result = CliRunner().invoke(main, ["tools", "--settings", str(file), "--format", "json"])
    assert result.exit_code == 0, result.output
    (found,) = (entry for entry in json.loads(result.stdout) if entry["name"] == tool)
    assert (found["reason"], found["visible"]) == (reason, reason == "visible")


def test_reload_changes_a_policy_never_by_itself(tmp_path: Path) -> None:
    """An engine keeps the settings that it was loaded with; loading again reads the new ones."""
    file = tmp_path / "config.yaml"
    call = {"tool": "exec", "args": {"command": "ls"}, "context": {"channel": "cli"}}
    file.write_text("permissions: {approval: {auto_deny: []}}\n")
    engine = Engine.load("echo", file)
    assert engine.decide(call).decision == "allow"
    file.write_text("permissions: {approval: {auto_deny: [exec]}}\n")
    assert engine.decide(call).decision == "allow"
    assert Engine.load("echo", file).decide(call).rule == "auto-deny.listed"


def test_files_of_tests_can_be_read_in_one_sitting() -> None:
    for file in sorted((ECHO / "tests").glob("*.yaml")):
        assert len(file.read_text("utf-8").splitlines()) <= 300, file.name
