"""Proposing cases: on standard output, into a file, and as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path

import click
import pytest
import yaml

from callgate.cli.paint import Painter
from callgate.cli.propose import run
from callgate.policytest.loaded import Loaded, load
from callgate.policytest.run import run_tests
from tests.policytest.coverage.bundle import write

CASES = """\
  # What everybody may do.
  - name: looking
    call: {tool: look, args: {path: /x}}
    expect: {decision: allow, shown: visible}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, CASES)


def proposed(
    bundle: Loaded, format_: str = "pretty", output: Path | None = None, limit: int | None = 3
) -> str:
    stream = io.StringIO()
    painter = Painter(stream)
    code = run(loaded=bundle, painter=painter, format_=format_, output=output, limit=limit)
    assert code == 0
    return stream.getvalue()


def test_a_test_file_on_standard_output(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = proposed(load(root))
    cases = yaml.safe_load(text)["cases"]
    assert len(cases) == 3
    assert all(case["confirmed"] is False for case in cases)
    said = capsys.readouterr().err
    assert "3 cases proposed for " in said
    assert "delete its line `confirmed: false`" in said
    assert "not reached:" in said


def test_cases_are_added_to_a_file_and_pass(root: Path) -> None:
    file = root / "tests.yaml"
    before = file.read_text("utf-8")
    assert proposed(load(root), output=file) == ""
    assert file.read_text("utf-8").startswith(before)
    report = run_tests(load(root))
    assert (len(report.cases), report.failures) == (4, ())
    # What stands there is reached now: others are proposed.
    proposed(load(root), output=file)
    assert len(load(root).cases) == 7
    assert len({case.name for case in load(root).cases}) == 7


def test_a_new_file(root: Path, tmp_path: Path) -> None:
    proposed(load(root), output=tmp_path / "new.yaml")
    assert (tmp_path / "new.yaml").read_text("utf-8").startswith("kind: tests\n")


def test_json(root: Path) -> None:
    told = json.loads(proposed(load(root), "json"))
    assert len(told["proposals"]) == 3
    assert all(one["covers"] and one["case"]["call"] for one in told["proposals"])
    assert told["unreached"]
    assert set(told["unreached"][0]) == {"kind", "id", "file", "line", "condition", "never"}


def test_nothing_is_missing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = root / "tests.yaml"
    proposed(load(root), output=file, limit=None)
    before = file.read_bytes()
    capsys.readouterr()
    proposed(load(root), output=file)
    assert file.read_bytes() == before
    assert "nothing is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [("kind: guards\nrules: []\n", "no test file"), ("a: [", "can't be read")],
)
def test_files_that_are_no_test_files(root: Path, tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "other.yaml"
    file.write_text(text)
    with pytest.raises(click.ClickException, match=why):
        proposed(load(root), output=file)
    assert file.read_text() == text


def test_a_file_that_cannot_be_written(root: Path, tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="can't write"):
        proposed(load(root), output=tmp_path / "no" / "such.yaml")
