"""`callgate lint` tells of exceptions that have ended; nothing else looks at the clock."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from callgate.engine import Engine
from tests.acme import BUNDLE
from tests.cli.conftest import Run

_EXCEPTION = """\
    exceptions:
      - id: files.private.moving
        when: call.sender_id == "ben"
        until: {until}
        owner: platform team
        reason: ben moves the files
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of the bundle in which a guard has an exception without its end."""
    copy = Path(shutil.copytree(BUNDLE, tmp_path / "acme"))
    guards = copy / "guards.yaml"
    reason = '    reason: "{w.path} is private"\n'
    text = guards.read_text()
    assert text.count(reason) == 1
    guards.write_text(text.replace(reason, reason + _EXCEPTION))
    return copy


def _ending(bundle: Path, until: str) -> Path:
    guards = bundle / "guards.yaml"
    guards.write_text(guards.read_text().replace("{until}", until))
    return bundle


@pytest.mark.parametrize(("until", "codes"), [("2001-01-01", ["L001"]), ("9999-01-01", [])])
def test_exceptions_that_have_ended_are_found(
    run: Run, bundle: Path, until: str, codes: list[str]
) -> None:
    result = run("lint", _ending(bundle, until), "--format", "json")
    assert result.exit_code == 0
    found = [item for item in json.loads(result.stdout) if item["code"] in ("L001", "L002")]
    assert [item["code"] for item in found] == codes
    for item in found:
        assert (item["severity"], Path(item["file"]).name) == ("warning", "guards.yaml")
        assert "`files.private.moving`" in item["message"]


def test_loading_looks_at_no_clock(bundle: Path) -> None:
    engine = Engine.load(_ending(bundle, "2001-01-01"))
    assert not [item for item in engine.diagnostics if item.code.startswith("L")]


def test_decisions_know_the_time_from_the_call_alone(bundle: Path) -> None:
    engine = Engine.load(_ending(bundle, "2001-01-01"))
    call = {"tool": "save", "args": {"path": "/etc/hosts"}, "context": {"sender_id": "ben"}}
    assert engine.decide(call).rule == "files.private"
    before = {**call, "observed": {"time": "2000-12-31T23:59:59Z"}}
    assert engine.decide(before).rule != "files.private"
    after = {**call, "observed": {"time": "2001-01-01T00:00:00Z"}}
    assert engine.decide(after).rule == "files.private"
