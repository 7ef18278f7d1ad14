"""What the command line says of bundles that extend others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from callgate.cli.lint import command as lint
from callgate.cli.test import command as test_command
from callgate.engine import Engine
from tests.acme import BUNDLE


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle that replaces a rule and a test."""
    monkeypatch.chdir(tmp_path)
    root = Path("own")
    root.mkdir()
    (root / "masking.yaml").write_text("kind: masking\nnames: [pin]\n")
    (root / "bundle.yaml").write_text(
        f"kind: bundle\nname: own\nversion: '1'\ntitle: T\nextends: {BUNDLE}\n"
        "files: [masking.yaml]\nreplaces:\n"
        "  - {rule: files.temporary, reason: nothing is temporary here}\n"
        "  - {test: 'saving by place, row 3', reason: the rule is gone}\n"
    )
    return root


def test_lint_lists_replacements_with_their_reasons() -> None:
    result = CliRunner().invoke(lint, ["own", "--format", "json"], standalone_mode=False)
    # That a guard is gone is a warning besides.
    told = [item for item in json.loads(result.output) if item["code"] != "L221"]
    assert [(item["code"], item["severity"], item["line"]) for item in told
            ] == [("C024", "info", 8), ("C024", "info", 9)]  # fmt: skip
    assert [item["message"] for item in told] == [
        "the rule `files.temporary` of `acme` is removed: nothing is temporary here",
        "the test `saving by place, row 3` of `acme` is removed: the rule is gone",
    ]
    shown = CliRunner().invoke(lint, ["own"], standalone_mode=False)
    lines = [line.split(" the ")[0] for line in shown.output.splitlines()]
    assert [line for line in lines if "[C024]" in line or "checked" in line] == [
        "own/bundle.yaml:8:12: info[C024]:",
        "own/bundle.yaml:9:12: info[C024]:",
        "1 bundle checked: 1 warning, 2 infos",
    ]
    assert shown.return_value == 0


def test_lint_shows_lines_of_the_base(own: Path) -> None:
    (own / "masking.yaml").write_text("kind: masking\npatterns: {a: b}\n")
    manifest = own / "bundle.yaml"
    manifest.write_text(
        manifest.read_text() + "  - {list: paths.private, reason: nothing is private}\n"
    )
    result = CliRunner().invoke(lint, ["own"], standalone_mode=False)
    assert f"{BUNDLE}/guards.yaml:" in result.output
    assert " |     when: w.path under paths.private\n" in result.output
    assert result.return_value == 3


def test_tests_that_cannot_run_tell_of_no_replacement(own: Path) -> None:
    (own / "masking.yaml").write_text("kind: masking\nname: [pin]\n")
    result = CliRunner().invoke(test_command, ["own"], standalone_mode=False)
    assert "S001" in result.output
    assert "C024" not in result.output


def test_inherited_tests_are_run() -> None:
    result = CliRunner().invoke(test_command, ["own"], standalone_mode=False)
    assert result.return_value == 0, result.output
    assert "own: 6 passed" in result.output


def test_a_cached_policy_notices_a_change_of_its_base(tmp_path: Path) -> None:
    base, own = tmp_path / "base", tmp_path / "own"
    base.mkdir()
    for file in BUNDLE.glob("*.yaml"):
        (base / file.name).write_text(file.read_text())
    manifest = (own / "bundle.yaml").read_text().replace(str(BUNDLE), "../base")
    (own / "bundle.yaml").write_text(manifest)
    code = (
        "import sys, json; from callgate.engine import Engine\n"
        "engine = Engine.load('own', cache=True)\n"
        "decision = engine.decide({'tool': 'look', 'args': {'path': '/srv/a'}})\n"
        "print(decision.to_dict()['decision'], 'lark' in sys.modules)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment
        )
        assert not done.stderr
        return done.stdout.split()

    assert run() == ["allow", "True"]
    assert run() == ["allow", "False"]
    flow = base / "flow.yaml"
    flow.write_text(flow.read_text().replace("when: risk == low", "when: risk > high"))
    assert run()[0] != "allow"


def test_a_policy_says_what_it_extends() -> None:
    policy = Engine.load("own").policy
    assert [(base.name, base.version) for base in policy.extends] == [("acme", "2.1.0")]
    assert [(r.kind, r.name, r.redefined) for r in policy.replacements] == [
        ("rule", "files.temporary", False)
    ]
