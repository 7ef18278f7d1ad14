"""`callgate log export`: lines for other programs."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from callgate.record.json_lines import JsonLines
from tests.cli.conftest import Run
from tests.cli.test_log_query import HOSTILE
from tests.record.chains import segment, tampered
from tests.record.decisions import filled, id_of, made, time_of

ID = {
    "opa": lambda event: event["decision_id"],
    "ocsf": lambda event: event["metadata"]["uid"],
    "cloudevents": lambda event: event["id"],
}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Ten decisions, one of which has texts that a terminal would obey."""
    call = {"tool": "x", "args": {HOSTILE: HOSTILE, "n": 2**70, "s": "\ud800"}, "context": {}}
    odd = made(4, call=call, tool=HOSTILE)
    records = (odd if number == 4 else made(number) for number in range(10))
    return filled(tmp_path / "records", records)


@pytest.mark.parametrize("format_", ID)
def test_decisions_are_written_the_oldest_first(
    run: Run, records: Path, tmp_path: Path, format_: str
) -> None:
    args = ["log", "export", "--format", format_, "--records", records]
    result = run(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [ID[format_](event) for event in events] == [id_of(number) for number in range(10)]
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    file = tmp_path / "out"
    assert run(*args, "-o", file).stdout == ""
    assert file.read_text() == result.stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    some = run(*args, "--since", time_of(7), "--sender", "user_1").stdout.splitlines()
    assert [ID[format_](json.loads(line)) for line in some] == [id_of(7)]


def test_a_file_that_is_there_is_written_anew(run: Run, records: Path, tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("x" * 1_000_000)
    args = ["log", "export", "--format", "opa", "--records", records, "-o"]
    assert run(*args, file, "--tool", "none").exit_code == 0
    assert file.read_text() == ""
    result = run(*args, tmp_path / "no" / "out")
    assert result.exit_code == 1
    assert "no such file or directory" in result.stderr


def test_what_is_damaged_is_told(run: Run, records: Path) -> None:
    (chain,) = JsonLines(records).chains()
    tampered(segment(records, chain), lambda x: [*x[:2], x[2][:-9], *x[3:]])
    result = run("log", "export", "--format", "opa", "--records", records)
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 9
    assert result.stderr.startswith(f"callgate: error[foreign]: chain {chain} seq ?: ")


def test_wrong_use(run: Run, records: Path) -> None:
    result = run("log", "export", "--records", records)
    assert result.exit_code == 1
    assert "Missing option '--format'" in result.stderr
    result = run("log", "export", "--format", "xml", "--records", records)
    assert result.exit_code == 1
