"""`callgate test`: how failures are told, to people and to programs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from tests.acme import BUNDLE

Run = Callable[..., Result]


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bundle, in the working directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(BUNDLE, "mine")
    return Path("mine")


def with_cases(bundle: Path, cases: str) -> Path:
    (bundle / "tests.yaml").write_text(f"kind: tests\ncases:\n{cases}")
    return bundle


WRONG = """\
  - name: the operators' jobs
    call: {tool: start, context: {channel: ops, sender_id: ben}}
    expect: {rule: tiers.team, decision: allow}
  - table: t
    columns: [tool, args.path, decision, rule]
    rows:
      - [save, /tmp/a, deny, files.private]
"""


def test_a_failure_tells_what_the_expected_rule_said(run: Run, bundle: Path) -> None:
    shown = run("test", with_cases(bundle, WRONG)).stdout
    first, second = shown.split("FAILED ")[1:]
    assert first.startswith("mine/tests.yaml:3  the operators' jobs\n")
    assert "  expected tiers.team: it does not hold\n" in first
    assert 'call.channel == "ops" and call.sender_id == "anna"' in first
    assert 'call.sender_id = "ben"' in first or "call.sender_id = ben" in first
    assert "  expected files.private: it does not fire\n" in second
    assert "    w.path under paths.private\n    w.path = " in second


def test_a_failure_shows_the_lines_of_the_case(run: Run, bundle: Path) -> None:
    first, second = run("test", with_cases(bundle, WRONG)).stdout.split("FAILED ")[1:]
    assert first.splitlines()[1:5] == [
        "  3 |   - name: the operators' jobs",
        "  4 |     call: {tool: start, context: {channel: ops, sender_id: ben}}",
        "  5 |     expect: {rule: tiers.team, decision: allow}",
        "    |                                          ^^^^^",
    ]
    assert second.splitlines()[1:3] == [
        "  9 |       - [save, /tmp/a, deny, files.private]",
        "    |                        ^^^^",
    ]


def test_a_failure_as_json(run: Run, bundle: Path) -> None:
    told = json.loads(run("test", with_cases(bundle, WRONG), "--format", "json").stdout)
    first, second = told["failures"]
    assert first["expected_rule"]["why_not"] == "it does not hold"
    assert first["expected_rule"]["test"]["rule"] == "tiers.team"
    assert second["wrong"][1] == {
        "key": "rule",
        "expected": "files.private",
        "actual": "human.pending",
    }
    assert second["decision"]["effects"][0]["path"] == "/tmp/a"


def test_proposed_cases_are_told_apart(run: Run, bundle: Path) -> None:
    cases = """\
  - {name: one, confirmed: false, call: {tool: look, args: {path: /a}}, expect: {decision: allow}}
  - {name: two, confirmed: false, call: {tool: look, args: {path: /a}}, expect: {decision: deny}}
  - {name: three, call: {tool: look, args: {path: /a}}, expect: {decision: allow}}
"""
    shown = run("test", with_cases(bundle, cases)).stdout
    assert shown.startswith("mine/tests.yaml pF.\n")
    assert "FAILED mine/tests.yaml:4  two  (proposed)\n" in shown
    assert "acme: 1 failed, 2 passed, 2 of them proposed, 4 guard examples\n" in shown


HOSTILE = """\
  - name: "<&'\\"]]> \\e[2J \\u202e \\0 ü {0}"
    call: {{tool: look, args: {{path: "]]><x>&\\e\\0"}}}}
    expect: {{decision: {1}, reason: "<\\0>&\\"]]>"}}
"""


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_junit_is_well_formed(run: Run, bundle: Path, decision: str) -> None:
    text = HOSTILE.format(1, decision) + HOSTILE.format(2, decision)
    result = run("test", with_cases(bundle, text), "--format", "junit")
    assert "\x1b" not in result.stdout and "\u202e" not in result.stdout
    suites = ElementTree.fromstring(result.stdout)
    suite = suites[0]
    assert (suite.get("name"), suite.get("tests")) == ("mine/tests.yaml", "2")
    assert (suite.get("failures"), len(suite.findall("testcase/failure"))) == ("2", 2)
    names = [case.get("name") or "" for case in suite]
    assert [name[:7] for name in names] == ["<&'\"]]>"] * 2
    assert "expected" in (suite[0][0].text or "")


def test_invariants_are_cases_of_junit(run: Run, bundle: Path) -> None:
    path = bundle / "invariants.yaml"
    for wanted in ("0", "1"):
        suites = ElementTree.fromstring(run("test", bundle, "--format", "junit").stdout)
        suite = suites[-1]
        assert suite.get("name") == "acme: invariants"
        assert [case.get("name") for case in suite] == ["never.private"]
        assert (suite.get("failures"), str(len(suite.findall("testcase/failure")))) == (
            wanted,
            wanted,
        )
        text = path.read_text()
        path.write_text(text.replace("call.tool in settings.approval.blocked", "risk == low"))


def test_junit_of_a_cached_run(run: Run, bundle: Path) -> None:
    first, second = (run("test", bundle, "--format", "junit") for _ in range(2))
    assert first.stdout == second.stdout
    assert ElementTree.fromstring(first.stdout)[0].get("tests") == "7"


ACTING = """\
  - name: "a\\n::error::b\\e[2J\\u202e"
    call: {tool: start, context: {channel: ops, sender_id: "c\\n::error::d"}}
    expect: {decision: allow, reason: "e\\n::error::f\\e[1m"}
"""


@pytest.mark.parametrize("more", [(), ("-q",), ("--durations", "1"), ("--coverage",), ("-j", "2")])
def test_names_and_values_are_text(run: Run, bundle: Path, more: tuple[str, ...]) -> None:
    result = run("test", with_cases(bundle, ACTING), *more)
    assert result.exit_code == 3
    assert "a\\n::error::b\\e[2J\\u202e" in result.stdout
    assert "expected e\\n::error::f\\e[1m" in result.stdout
    for text in ("\n::", "\n ::", "\x1b", "\u202e"):
        assert text not in result.stdout + result.stderr


@pytest.mark.parametrize("value", ["SUPER-SECRET", "'SUPER-SECRET'", "8"])
def test_secret_settings_are_not_shown(run: Run, bundle: Path, value: str) -> None:
    cases = (
        "  - name: x\n    call: {tool: start}\n"
        f"    settings: {{api: {{key: {value}}}}}\n    expect: {{decision: allow, rule: none}}\n"
    )
    result = run("test", with_cases(bundle, cases))
    assert result.exit_code == 3
    assert "SUPER" not in result.stdout + result.stderr
    assert ("key: ***" in result.stdout.replace("'", "")) is (value != "8")
