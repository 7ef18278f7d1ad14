"""`callgate eval --record`: what was decided is in the store before it is told."""

from __future__ import annotations

import json
from pathlib import Path

from callgate.engine import Engine
from tests.acme import BUNDLE, CALLS, acme
from tests.cli.conftest import Run
from tests.record.stores import records_in


def test_every_line_is_recorded(run: Run, tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    lines = [json.dumps({"id": name, **call}) for name, call in CALLS.items()]
    calls.write_text("\n".join([*lines, "[]"]) + "\n")
    place = tmp_path / "records"
    told = run("eval", "--bundle", BUNDLE, "--record", place, "--format", "jsonl", calls)
    plain = run("eval", "--bundle", BUNDLE, "--format", "jsonl", calls)
    assert (told.stdout, told.stderr, told.exit_code) == (
        plain.stdout,
        plain.stderr,
        plain.exit_code,
    )
    found = records_in(place)
    shown = [json.loads(line) for line in told.stdout.splitlines()]
    assert [record["id"] for record in found] == [each["id"] for each in shown]
    assert [record["decision"] for record in found] == [each["decision"] for each in shown]
    assert {record["source"] for record in found} == {"eval"}


def test_one_call_and_its_own_settings(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "records.db"
    settings = {"permissions": {"approval": {"mode": "off"}}}
    for call in ({"tool": "exec"}, {"tool": "exec", "settings": settings}):
        run("eval", "--record", place, json.dumps(call))
    first, second = records_in(place)
    echo = Engine.load("echo")
    assert first["settings_digest"] == echo.settings_digest
    assert second["settings_digest"] == echo.with_settings(settings).settings_digest


def test_where_nothing_can_be_recorded_nothing_is_told(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "file" / "records"
    place.parent.write_text("")
    result = run("eval", "--bundle", BUNDLE, "--record", place, json.dumps(CALLS["look"]))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"Error: the records' folder `{place}` can't be used: not a directory\n"
    )


def test_it_is_not_for_comparing(run: Run, tmp_path: Path) -> None:
    call = json.dumps(CALLS["look"])
    result = run("eval", "--record", tmp_path / "r", "--compare", BUNDLE, call)
    assert result.exit_code == 2 or result.exit_code == 1
    assert "--record goes without --compare" in result.stderr
    assert not (tmp_path / "r").exists()
    assert acme()
