"""What a policy has to say about settings, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from callgate.model.codes import CODES
from tests.cli.conftest import Run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Settings with a warning, a note, and a secret beside what they are about."""
    path = tmp_path / "config.yaml"
    path.write_text(
        "permissions: {approval: {mode: off, tokn: hunter2, auto_approve: [read_file]}}\n"
        "tools: {web: {search_api_key: hunter2, search_provider: tavily}}\n"
    )
    return path


def test_lint_shows_findings_and_no_more(run: Run, file: Path) -> None:
    pretty = run("lint", "echo", "--settings", file)
    assert pretty.exit_code == 0
    assert f"{file}:1:32: warning[settings.mode-off]: mode off asks nobody" in pretty.stdout
    assert f"{file}:1:67: info[settings.auto-approve-reading]: read_file only" in pretty.stdout
    assert "1 bundle checked: " in pretty.stdout.splitlines()[-1]
    as_json = run("lint", "echo", "--settings", file, "--format", "json")
    items = [item for item in json.loads(as_json.stdout) if item["file"] == str(file)]
    found = {item["code"]: item for item in items}
    assert found.keys() == {"settings.mode-off", "settings.auto-approve-reading", "E005"}
    assert found["settings.mode-off"]["severity"] == "warning"
    assert found["settings.mode-off"]["line"] == 1
    assert found["settings.mode-off"]["help"].startswith("set it to smart or manual")
    for result in (pretty, as_json):
        assert "hunter2" not in result.output


def test_eval_counts_warnings_also_from_the_cache(run: Run, file: Path) -> None:
    told = [run("eval", "--settings", file, "--tool", "exec", "--arg", "command=ls") for _ in "12"]
    assert told[0].stderr == told[1].stderr
    assert told[0].stderr.startswith("callgate: 2 warnings; see `callgate lint echo --settings")
    assert [result.exit_code for result in told] == [0, 0]


@pytest.mark.parametrize("command", [["eval", "--tool", "exec"], ["status"], ["tools"]])
def test_settings_that_can_not_be_used_show_errors_alone(
    run: Run, file: Path, command: list[str]
) -> None:
    file.write_text(
        file.read_text() + "security: {profile: none}\nexecution: {default_executor: 3}\n"
    )
    result = run(command[0], "--settings", file, *command[1:])
    assert result.exit_code == 3
    assert result.stderr.count("error[E00") == 2
    assert "warning[" not in result.stderr
    assert result.stderr.endswith(
        "the settings can't be used: 2 errors, 2 warnings; "
        f"see `callgate lint echo --settings {file}`\n"
    )
    shown = run("lint", "echo", "--settings", file).stdout
    assert shown.count("error[E00") == 2
    assert shown.splitlines()[-1].startswith("1 bundle checked: 2 errors, 2 warnings, ")


def test_a_bundle_that_can_not_be_used_is_the_policy(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bundle.yaml").write_text("kind: bundle\nname: t\n")
    result = run("eval", "--bundle", tmp_path, "--tool", "exec")
    assert "the policy can't be used: " in result.stderr


def test_a_bundle_without_settings_has_none(run: Run) -> None:
    items = json.loads(run("lint", "echo", "--format", "json").stdout)
    assert not [item for item in items if item["code"] not in CODES]
