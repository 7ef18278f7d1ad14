"""`callgate test --from-log`: from a recorded decision to a test that holds the policy to it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from callgate.engine import Engine
from tests.acme import BUNDLE, acme
from tests.cli.conftest import Run
from tests.record.decided import changed, record_all

PRIVATE = {"tool": "save", "args": {"path": "/etc/x", "api_key": "hunter2hunter2"}}
ONCE = {"tool": "save", "args": {"path": "/tmp/a"}, "answers": {"human": "once"}}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLE, tmp_path / "acme"))


def test_a_case_passes_and_fails_when_the_rule_is_another(
    run: Run, tmp_path: Path, bundle: Path
) -> None:
    ids = record_all(tmp_path / "r", Engine.load(bundle), [PRIVATE, ONCE])
    file = bundle / "recorded.yaml"
    given = ("--records", tmp_path / "r", "-o", file, bundle)
    first = run("test", "--from-log", ids[0], *given)
    assert (first.exit_code, first.stdout) == (0, "")
    assert "is new: list it under `files`" in first.stderr
    manifest = bundle / "bundle.yaml"
    manifest.write_text(manifest.read_text().replace("tests.yaml", "tests.yaml, recorded.yaml"))
    second = run("test", "--from-log", ids[1], *given)
    assert (second.exit_code, second.stdout, second.stderr) == (0, "", "")
    assert "hunter2" not in file.read_text()
    assert "api_key: secret-" in file.read_text()
    passed = run("test", bundle)
    assert passed.exit_code == 0
    guards = bundle / "guards.yaml"
    guards.write_text(guards.read_text().replace("decide: deny", "decide: ask"))
    failed = run("test", bundle)
    assert failed.exit_code == 3
    assert f"recorded {ids[0]}: save" in failed.stdout


def test_to_be_pasted(run: Run, tmp_path: Path) -> None:
    (id_,) = record_all(tmp_path / "r", acme(), [ONCE])
    result = run("test", "--from-log", id_[:30], "--records", tmp_path / "r", BUNDLE)
    assert result.stderr == ""
    first, second, *rest = result.stdout.splitlines()
    assert first == f"  - name: 'recorded {id_}: save'"
    assert second.startswith("    description: Recorded 2")
    assert rest == [
        "    call:",
        "      tool: save",
        "      args: {path: /tmp/a}",
        "      answers: {human: once}",
        "    expect:",
        "      decision: allow",
        "      rule: human.once",
        "      risk: high",
        "      approval_source: human",
        "      matched: [files.temporary]",
        "      effects: [write]",
    ]


def test_it_is_said_where_a_case_does_not_pass(run: Run, tmp_path: Path) -> None:
    call = {**ONCE, "answers": {}, "settings": {"approval": {"mode": "off"}}}
    (id_,) = record_all(tmp_path / "r", acme(), [call])
    result = run("test", "--from-log", id_, "--records", tmp_path / "r", BUNDLE)
    assert result.exit_code == 0
    assert "      rule: off.all" in result.stdout
    assert "does not pass in" in result.stderr
    assert "under settings of its own" in result.stderr


def test_what_would_not_come_out_the_same_is_refused(run: Run, tmp_path: Path) -> None:
    records = tmp_path / "r"
    (live,) = record_all(records, acme(), [{"tool": "save", "args": {"path": "/srv/a"}}], live=True)
    (dry,) = record_all(records, acme(), [ONCE])

    def refused(id_: str) -> str:
        result = run("test", "--from-log", id_, "--records", records, "-o", tmp_path / "t.yaml")
        assert (result.exit_code, result.stdout) == (1, "")
        assert not (tmp_path / "t.yaml").exists()
        return result.stderr

    assert "a dry run" in refused(live)
    changed(records, lambda record: record.update(rule="x"))
    assert "it comes out otherwise now (rule)" in refused(dry)
    changed(records, lambda record: record.update(rewalk=False, rewalk_why="a secret"))
    assert "it can't be decided again: a secret" in refused(dry)
    changed(records, lambda record: record.update(rewalk=True, rule="human.once"))
    for file in (records / "graphs").iterdir():
        file.unlink()
    assert "is not kept" in refused(dry)


def test_a_live_decision_on_what_was_observed(run: Run, tmp_path: Path) -> None:
    call = {"tool": "save", "args": {"path": "/etc/x"}, "observed": {"links": {}}}
    (id_,) = record_all(tmp_path / "r", acme(), [call], live=True)
    result = run("test", "--from-log", id_, "--records", tmp_path / "r", BUNDLE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "rule: files.private" in result.stdout


def test_another_file_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    (id_,) = record_all(tmp_path / "r", acme(), [ONCE])
    for name, text in (("notes.md", "# Mine\n"), ("flow.yaml", "kind: flow\nsteps: []\n")):
        file = tmp_path / name
        file.write_text(text)
        result = run("test", "--from-log", id_, "--records", tmp_path / "r", "-o", file)
        assert result.exit_code == 1
        assert file.read_text() == text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--from-log", "0" * 32], "no decision of that id is recorded"),
        (["--from-log", "xyz"], "8 to 32 hex digits"),
        (["--from-log", "0" * 32, "--coverage"], "nothing else"),
        (["--from-log", "0" * 32, "a", "b"], "nothing else"),
        (["-o", "x.yaml"], "with --from-log"),
        ([], "with --from-log"),
    ],
)
def test_what_is_wrong_is_told(run: Run, tmp_path: Path, args: list[str], message: str) -> None:
    record_all(tmp_path / "r", acme(), [ONCE])
    result = run("test", *args, "--records", tmp_path / "r")
    assert result.exit_code == 1
    assert message in result.stderr


def test_ids_that_begin_alike(run: Run, tmp_path: Path) -> None:
    id_, _ = record_all(tmp_path / "r", acme(), [ONCE, ONCE])
    result = run("test", "--from-log", id_[:8], "--records", tmp_path / "r")
    assert result.exit_code == 1
    assert "several decisions" in result.stderr
