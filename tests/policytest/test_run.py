"""Running tests: what counts as a failure, invariants, coverage."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from callgate.model.diagnostic import PolicyError
from callgate.policytest.cases import EXPECTED
from callgate.policytest.checks import mismatches
from callgate.policytest.coverage import Coverage, RuleCounts
from callgate.policytest.loaded import load
from callgate.policytest.run import run_tests
from tests.acme import BUNDLE, CALLS, acme
from tests.shop import BUNDLE as SHOP_BUNDLE
from tests.shop import ROOT
from tests.small import pipeline, program

SHOP = ROOT / SHOP_BUNDLE

TOLD = {
    "decision": "ask",
    "rule": "r.pending",
    "step": "s",
    "risk": "high",
    "called_as": "x",
    "capabilities": ["a", "b"],
    "matched": [{"rule": "g1"}, {"rule": "g2"}],
    "approval_source": None,
    "pending": {"consult": "human", "outcomes": []},
    "error": None,
    "effects": [{"kind": "read"}, {"kind": "write", "path": "/a", "tree": False}],
    "reason": "r of x",
    "obligations": [],
}


@pytest.mark.parametrize(
    ("expect", "wrong"),
    [
        ({}, []),
        ({"decision": "ask", "rule": "r.pending", "step": "s", "risk": "high"}, []),
        ({"decision": "deny", "rule": "r"}, ["decision", "rule"]),
        ({"capabilities": ["b", "a"], "matched": ["g2", "g1"]}, []),
        ({"capabilities": ["a"], "matched": []}, ["capabilities", "matched"]),
        ({"effects": ["read", "write"]}, []),
        ({"effects": ["write", "read"]}, ["effects"]),
        ({"pending": "human", "error": None, "approval_source": None}, []),
        ({"pending": None, "error": "R003"}, ["pending", "error"]),
        ({"approval_source": "auto", "called_as": "y"}, ["called_as", "approval_source"]),
        ({"reason": "r of x", "obligations": []}, []),
        ({"reason": {"contains": "of x"}}, []),
        ({"reason": {"contains": "of y"}, "obligations": ["log"]}, ["reason", "obligations"]),
        ({"reason": "r of"}, ["reason"]),
        ({"effects": [{"kind": "read"}, {"kind": "write", "path": "/a", "tree": False}]}, []),
        ({"effects": ["read", {"kind": "write", "path": "/b"}]}, ["effects"]),
        ({"effects": [{"kind": "read", "path": "/a"}, "write"]}, ["effects"]),
        ({"effects": [{"kind": "read"}]}, ["effects"]),
    ],
)
def test_only_what_is_expected_is_compared(expect: dict[str, Any], wrong: list[str]) -> None:
    assert [item.key for item in mismatches(TOLD, expect)] == wrong


def test_every_expectation_can_be_read_from_every_decision() -> None:
    for call in CALLS.values():
        told = {**acme().decide(call).to_dict(), "shown": "visible"}
        found = mismatches(told, dict.fromkeys(EXPECTED, "nothing is like this"))
        assert [item.key for item in found] == list(EXPECTED)
        assert mismatches(told, {item.key: item.actual for item in found}) == []


def test_acme_passes() -> None:
    seen: list[tuple[str, bool]] = []
    report = run_tests(load(BUNDLE), done=lambda case, passed: seen.append((case.name, passed)))
    assert report.failures == ()
    assert (report.passed, report.examples, len(report.policy.invariants)) == (7, 4, 1)
    assert [passed for _, passed in seen] == [True] * 7


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the bundle that a test may change."""
    return Path(shutil.copytree(BUNDLE, tmp_path / "acme"))


def with_case(bundle: Path, **case: Any) -> Path:
    case = {"name": "x", **case}
    (bundle / "tests.yaml").write_text("kind: tests\ncases: [" + json.dumps(case) + "]\n")
    return bundle


def test_a_wrong_expectation_fails(copy: Path) -> None:
    bundle = with_case(copy, call={"tool": "look"}, expect={"decision": "deny", "risk": "low"})
    (failure,) = run_tests(load(bundle)).failures
    assert [(m.key, m.expected, m.actual) for m in failure.mismatches] == [
        ("decision", "deny", "ask")
    ]


def test_settings_that_do_not_fit_fail_the_case(copy: Path) -> None:
    bundle = with_case(
        copy, call={"tool": "look"}, settings={"approval": {"mode": 3}}, expect={"risk": "low"}
    )
    (failure,) = run_tests(load(bundle)).failures
    assert failure.problem.startswith("settings: ")
    assert failure.decision is None


@pytest.mark.parametrize(
    ("never", "when", "violated"),
    [
        ("allow", "risk == low", True),
        ("deny", "risk == low", False),
        ("allow", "risk == high", False),
        ("allow", "settings.approval.mode == manual and risk == low", True),
        ("allow", "settings.approval.mode == off", False),
        ("allow", 'count(r in effects.read where r.path under \\"/srv\\") >= 1', True),
    ],
)
def test_invariants_hold_for_every_case(copy: Path, never: str, when: str, violated: bool) -> None:
    (copy / "invariants.yaml").write_text(
        f'kind: invariants\nrules: [{{id: i, title: I, never: {never}, when: "{when}"}}]\n'
    )
    bundle = with_case(copy, call=CALLS["look"], expect={"decision": "allow"})
    failures = run_tests(load(bundle)).failures
    assert [failure.violated for failure in failures] == ([(("i", "I"),)] if violated else [])


def test_a_test_file_that_cannot_be_used(copy: Path) -> None:
    (copy / "tests.yaml").write_text(
        "kind: tests\ncases: [{table: t, columns: [decison], rows: [[allow]]}]\n"
    )
    with pytest.raises(PolicyError) as caught:
        run_tests(load(copy))
    assert [item.code for item in caught.value.diagnostics] == ["S004"]


def test_a_rule_that_a_switch_leads_to_held() -> None:
    coverage = RuleCounts(pipeline())
    coverage.add(program(pipeline()).decide({"tool": "cronjob", "context": {"unattended": True}}))
    assert [(r.rule, r.held, r.passed) for r in coverage.rules.values() if r.held or r.passed] == [
        ("denied", 0, 1),
        ("dangerous", 1, 0),
        ("tiers", 0, 1),
        ("cron", 0, 1),
    ]


def test_a_rule_without_a_condition_is_covered_once_it_held() -> None:
    human = RuleCounts(acme().policy)
    covered = {"tiers.look": [], "human": []}  # type: dict[str, list[bool]]
    for name in ("look", "team"):
        for rule, seen in covered.items():
            seen.append(human.rules[rule].covered)
        human.add(acme().decide(CALLS[name]))
    for rule, seen in covered.items():
        seen.append(human.rules[rule].covered)
    assert covered == {"tiers.look": [False, False, True], "human": [False, False, True]}


def test_coverage_counts_what_walks_did() -> None:
    coverage = RuleCounts(acme().policy)
    for name in ("look", "private", "temporary", "night", "team", "blocked"):
        call = CALLS[name]
        engine = acme().with_settings(call.get("settings", {}))
        coverage.add(engine.decide({k: v for k, v in call.items() if k != "settings"}))
    counted = {row.rule: (row.decided, row.held, row.passed) for row in coverage.rules.values()}
    assert counted == {
        "blocked.listed": (1, 1, 0),
        "night.look": (0, 0, 1),
        "tiers.look": (1, 1, 2),
        "tiers.team": (0, 0, 2),
        "off.all": (0, 0, 0),
        "human": (2, 2, 0),
        "files.private": (1, 1, 0),
        "files.temporary": (0, 1, 0),
    }


def test_whether_a_tool_is_shown() -> None:
    loaded = load(SHOP)
    seen = Coverage.of(loaded)
    report = run_tests(loaded, observer=seen)
    assert report.passed == len(report.cases) == 6
    counts = seen.rules["ready.search-key"]
    assert (counts.held, counts.decided, counts.passed) == (1, 1, 2)
    assert seen.rules["hidden.guests"].covered


def test_a_tool_that_is_not_shown_as_expected(tmp_path: Path) -> None:
    shutil.copytree(SHOP, tmp_path / "shop")
    tests = tmp_path / "shop" / "tests.yaml"
    tests.write_text(tests.read_text().replace("[refund, reserved]", "[refund, visible]"))
    (failure,) = run_tests(load(tmp_path / "shop")).failures
    assert [(m.key, m.expected, m.actual) for m in failure.mismatches] == [
        ("shown", "visible", "reserved")
    ]
