"""The worked bundle `acme`: clean, tested both ways, and nowhere weaker than `echo` but by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError, Severity
from callgate.policytest.loaded import load
from callgate.policytest.run import Report, run_tests
from tests.policies.bundle import cases

ROOT = Path(__file__).parents[2]
ACME = ROOT / "policies" / "acme"
SAMPLES = ROOT / "docs" / "samples"
STRICTNESS = ["allow", "ask", "deny"]


def document(name: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((ACME / name).read_text("utf-8"))
    return data


MANIFEST = document("bundle.yaml")
GUARDS = [
    rule
    for name in MANIFEST["files"]
    if document(name)["kind"] == "guards"
    for rule in document(name)["rules"]
]
REPLACED_RULES = [entry["rule"] for entry in MANIFEST["replaces"] if "rule" in entry]
REPLACED_TESTS = [entry["test"] for entry in MANIFEST["replaces"] if "test" in entry]


def calls(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def acme() -> Engine:
    return Engine.load("acme")


@pytest.fixture(scope="module")
def report() -> Report:
    return run_tests(load("acme"))


def test_loading_says_no_more_than_what_is_replaced(acme: Engine) -> None:
    assert [(item.code, item.severity) for item in acme.diagnostics] == [("C024", Severity.INFO)]
    assert "web.private-address" in acme.diagnostics[0].message


def test_one_rule_is_replaced_and_nothing_removed() -> None:
    assert REPLACED_RULES == ["web.private-address"]
    assert {key for entry in MANIFEST["replaces"] for key in entry} == {"rule", "test", "reason"}
    own = {
        case.get("name") for name in MANIFEST["files"] for case in document(name).get("cases", ())
    }
    # A table of echo's in which acme's rules only match besides is left out as a whole.
    tables = {case.get("table", case.get("matrix")) for case in cases()}
    assert set(REPLACED_TESTS) - tables <= own


@pytest.mark.parametrize("rule", GUARDS, ids=lambda rule: str(rule["id"]))
def test_a_guard_is_complete(rule: dict[str, Any]) -> None:
    assert rule["id"].startswith("acme.") or rule["id"] in REPLACED_RULES
    assert {"title", "reason", "owner", "severity"} <= rule.keys()
    assert len(rule["examples"]["match"]) >= 3
    assert len(rule["examples"]["pass"]) >= 3


def test_its_tests_and_the_inherited_ones_pass(report: Report) -> None:
    assert [failure.case.name for failure in report.failures] == []
    files = {case.span.file for case in report.cases}
    assert any("echo" in file for file in files)


@pytest.mark.parametrize("rule", [rule["id"] for rule in GUARDS])
def test_a_rule_is_tested_both_ways(rule: str, report: Report, acme: Engine) -> None:
    """In one of the own files, it fires in a case and does not in another."""
    seen: dict[str, set[bool]] = {}
    for case in report.cases:
        if "acme/tests" in case.span.file:
            told = acme.with_settings(case.settings).decide(dict(case.call)).to_dict()
            fired = any(match["rule"] == rule for match in told["matched"])
            seen.setdefault(case.span.file, set()).add(fired)
    assert {True, False} in seen.values()


def test_nowhere_weaker_than_echo(acme: Engine, report: Report) -> None:
    """What acme decides less strictly than echo is about the mirror, which it lets through."""
    echo = Engine.load("echo")
    weaker = []
    for case in report.cases:
        if case.call["tool"] == "deploy":
            continue  # echo does not know it
        ours = acme.with_settings(case.settings).decide(dict(case.call))
        theirs = echo.with_settings(case.settings).decide(dict(case.call))
        if STRICTNESS.index(ours.decision) < STRICTNESS.index(theirs.decision):
            weaker.append((theirs.rule, str(case.call["args"]["url"])))
    mirror = ("web.private-address", "https://mirror.internal.acme.example/")
    assert set(weaker) <= {mirror}


def test_sample_calls_of_echo_are_decided_as_strictly(acme: Engine) -> None:
    echo = Engine.load("echo")
    for call in calls("calls.jsonl"):
        ours, theirs = acme.decide(call).decision, echo.decide(call).decision
        assert STRICTNESS.index(ours) >= STRICTNESS.index(theirs), call["id"]


def test_sample_calls_show_the_rules_at_work(acme: Engine) -> None:
    decided = [acme.decide(call).to_dict() for call in calls("acme-calls.jsonl")]
    assert {told["decision"] for told in decided} == set(STRICTNESS)
    assert not [told for told in decided if told["error"]]
    met = {match["rule"] for told in decided for match in told["matched"]}
    assert len({rule["id"] for rule in GUARDS} & met) >= 12


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ({}, set()),
        ({"permissions": {"approval": {"mode": "off"}}}, {"acme.settings.approval-off"}),
        (
            {"tools": {"web": {"allow_private_addresses": True}}},
            {"acme.settings.private-addresses"},
        ),
    ],
)
def test_settings_checks(settings: dict[str, Any], codes: set[str]) -> None:
    try:
        found = Engine.load("acme", settings).diagnostics
    except PolicyError as error:
        found = tuple(error.diagnostics)
    assert {str(item.code) for item in found if str(item.code).startswith("acme.")} == codes
