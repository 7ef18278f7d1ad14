"""`callgate log check`: what an auditor sees of decisions that are walked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acme import BUNDLE, CALLS, acme
from tests.cli.conftest import Run
from tests.record.decided import changed, record_all


@pytest.fixture
def records(tmp_path: Path) -> Path:
    record_all(tmp_path / "records", acme(), CALLS.values())
    return tmp_path / "records"


def test_all_came_out_the_same(run: Run, records: Path) -> None:
    result = run("log", "check", "--records", records)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "✓ the same: what was walked again came out as recorded",
        f"  decisions      {len(CALLS)}",
        f"  the same       {len(CALLS)}",
    ]
    told = json.loads(run("log", "check", "--records", records, "--format", "json").stdout)
    assert (told["whole"], told["equal"], told["differing"]) == (True, len(CALLS), [])


def test_a_difference_names_its_record_and_its_place(run: Run, records: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        if record["rule"] == "files.private":
            record.update(decision="allow", rule="\x1b[1mtiers.look")
            record["trace"][-1]["value"] = "none"

    changed(records, change)
    result = run("log", "check", "--records", records)
    assert result.exit_code == 3
    (file,) = records.glob("*/*.jsonl")
    assert result.stdout.startswith("✕ not the same")
    assert f"  {file}:3\n" in result.stdout
    assert "  decision  recorded  allow\n            now       deny\n" in result.stdout
    assert "  rule      recorded  \\e[1mtiers.look\n" in result.stdout
    assert '  trace     recorded  node 1: "none"\n            now       node 1: "deny"' in (
        result.stdout
    )
    told = json.loads(run("log", "check", "--records", records, "--format", "json").stdout)
    (item,) = told["differing"]
    assert (item["seq"], item["file"], item["line"]) == (2, str(file), 3)
    assert item["differences"][0] == {"key": "decision", "recorded": "allow", "now": "deny"}
    assert item["differences"][2]["now"] == [{"node": 1, "value": "deny"}]
    id_ = item["decision_id"]
    assert id_ in run("log", "show", "--records", records, id_).stdout


def test_only_what_is_asked_for(run: Run, records: Path) -> None:
    changed(records, lambda record: record.update(step="other"))
    found = run("log", "check", "--records", records, "--rule", "off.all", "--format", "json")
    assert json.loads(found.stdout)["decisions"] == 1
    nothing = run("log", "check", "--records", records, "--until", "2001-01-01")
    assert nothing.exit_code == 0
    assert "  decisions      0\n" in nothing.stdout


def test_what_is_missing_or_can_not_be_walked(run: Run, records: Path) -> None:
    def change(record: dict[str, Any]) -> None:
        if record["decision"] == "allow":
            record.update(rewalk=False, rewalk_why="it hung on a secret")

    changed(records, change)
    result = run("log", "check", "--records", records)
    assert result.exit_code == 0
    assert "  not walked     4 decisions: it hung on a secret\n" in result.stdout
    for file in (records / "graphs").iterdir():
        file.unlink()
    result = run("log", "check", "--records", records)
    assert result.exit_code == 3
    words = " ".join(result.stdout.split())
    assert f"graph 6 decisions: the graph {acme().graph.digest} is not kept" in words


ODD: list[Any] = [None, True, -1, "\x1b[31m", [], {}, [[]], [{}], {"a": 1}, [1], {"$float": "x"}]
KEYS = ["decision", "rule", "step", "risk", "pending", "error", "matched", "trace", "call", "gate"]
KEYS += ["observed", "answers", "live", "rewalk", "rewalk_why", "policy", "decision_id", "versions"]


@pytest.mark.parametrize("key", KEYS)
def test_whatever_stands_in_a_record(run: Run, tmp_path: Path, key: str) -> None:
    made: list[Any] = [
        *ODD,
        *([{**dict.fromkeys(("node", "value", "rule", "decide"), odd)}] for odd in ODD),
        *({**dict.fromkeys(("walked", "consult", "code", "digest", "args"), odd)} for odd in ODD),
    ]
    record_all(tmp_path / "r", acme(), [CALLS["look"]] * len(made))
    values = iter(made)
    changed(tmp_path / "r", lambda record: record.update({key: next(values)}))
    if key == "rewalk_why":
        changed(tmp_path / "r", lambda record: record.update(rewalk=False))
    for options in ([], ["--format", "json"]):
        result = run("log", "check", "--records", tmp_path / "r", *options)
        assert result.exit_code in (0, 3)
        assert result.stderr == ""
        assert "\x1b" not in result.stdout
    assert json.loads(result.stdout)["decisions"] <= len(made)
    result = run("eval", "--bundle", BUNDLE, "--compare", BUNDLE, tmp_path / "r")
    assert "internal error" not in result.stderr
    assert "\x1b" not in result.output


def test_without_records(run: Run, tmp_path: Path) -> None:
    result = run("log", "check", "--records", tmp_path / "none")
    assert result.exit_code == 1
    assert "there are no records" in result.stderr
