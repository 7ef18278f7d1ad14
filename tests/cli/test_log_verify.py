"""`callgate log verify` and `callgate log checkpoint`: what an auditor at the command line sees."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from callgate.record.checkpoints import Checkpoints
from callgate.record.json_lines import JsonLines
from tests.cli.conftest import Run
from tests.record.chains import grow, lines_of, segment, tampered
from tests.record.decisions import filled, made


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "records"
    grow(folder, 20)
    return folder


@pytest.fixture
def chain(records: Path) -> str:
    (name,) = JsonLines(records).chains()
    return name


def test_all_is_well(run: Run, records: Path) -> None:
    result = run("log", "verify", "--records", records)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "✓ whole: all is as it was written"
    assert re.fullmatch(r"  records      \d+ in 1 chain, \d segments", lines[1])
    assert lines[2].startswith("  time         20")
    newest = Checkpoints(JsonLines(records)).newest()
    assert re.fullmatch(rf"  checkpoints  \d+, the newest {newest}", lines[3])
    assert lines[5].startswith("  not proven   that nothing was cut off")
    assert result.stderr == ""


def test_findings(run: Run, records: Path, chain: str) -> None:
    file = segment(records, chain, 2)
    tampered(file, lambda x: [*x[:2], x[2].replace(b"no ", b"No "), *x[3:5], *x[6:]])
    result = run("log", "verify", "--records", records)
    assert result.exit_code == 3
    first = int(lines_of(file)[0].rpartition(b":")[2][:-1])
    assert result.stdout.splitlines()[0].startswith("✕ 2 findings: ")
    assert (
        f"  changed  {chain}  seq {first + 2}\n"
        f"           {file}:3\n"
        "           its hash is not the one that the record after it carries\n"
        f"  removed  {chain}  seq {first + 5}\n"
        f"           {file}:6\n"
        "           missing before this line\n"
    ) in result.stdout
    result = run("log", "verify", "--records", records, "--format", "json")
    assert result.exit_code == 3
    told = json.loads(result.stdout)
    assert told["whole"] is False
    assert told["findings"][0] == {
        "code": "changed",
        "chain": chain,
        "seq": first + 2,
        "last": first + 2,
        "file": str(file),
        "line": 3,
        "message": "its hash is not the one that the record after it carries",
    }
    assert len(told["findings"]) == 2
    assert (told["chains"], told["more"], told["notices"]) == (1, 0, [])


def test_a_head_kept_elsewhere(run: Run, records: Path, chain: str) -> None:
    result = run("log", "checkpoint", "--records", records)
    assert result.exit_code == 0
    head = result.stdout.splitlines()[0]
    assert "not signed" in result.stdout
    assert run("log", "verify", "--records", records, "--expect-head", head).exit_code == 0
    tampered(records / "checkpoints.jsonl", lambda x: x[:-1])
    result = run("log", "verify", "--records", records, "--expect-head", f" {head.upper()} ")
    assert result.exit_code == 3
    assert "  cut" in result.stdout
    assert "the expected head is not there" in result.stdout


def test_a_signature(run: Run, records: Path, tmp_path: Path) -> None:
    pem = tmp_path / "a.pem"
    public = run("approvals", "keygen", "ann", "-o", pem).stdout.split()[1]
    (tmp_path / "a.pub").write_text(public)
    result = run("log", "checkpoint", "--records", records, "--key", pem, "--format", "json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told == {
        "head": Checkpoints(JsonLines(records)).newest(),
        "seq": len(lines_of(records / "checkpoints.jsonl")) - 1,
        "at": told["at"],
        "chains": 1,
        "signed_by": public,
    }
    for key in (public, tmp_path / "a.pub"):
        result = run("log", "verify", "--records", records, "--public-key", key)
        assert result.exit_code == 0
        assert f"  signed       1 by a key you trust: {public}\n" in result.stdout
        assert "not proven" not in result.stdout
    result = run("log", "verify", "--records", records)
    assert "by an unknown key" in result.stdout
    other = run("approvals", "keygen", "bob", "-o", tmp_path / "b.pem").stdout.split()[1]
    result = run("log", "verify", "--records", records, "--public-key", other)
    assert result.exit_code == 3
    assert "  signature  checkpoints" in result.stdout


@pytest.mark.parametrize(
    ("command", "code"), [("verify", 3), ("query", 1), ("tail", 1), ("stats", 1), ("check", 1),
                          ("checkpoint", 1), ("export", 1)],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["file", "pipe", "link", "segment"])
def test_what_can_not_be_read_is_told(
    run: Run, tmp_path: Path, kind: str, command: str, code: int
) -> None:
    """And the rest is read."""
    folder = filled(tmp_path / "records", [made(number) for number in range(5)])
    odd = folder / ("0" * 32)
    if kind == "file":
        odd.write_bytes(b"x")
    elif kind == "pipe":
        os.mkfifo(odd)
    elif kind == "link":
        odd.symlink_to(tmp_path)
    else:
        odd.mkdir()
        os.mkfifo(segment(folder, odd.name))
    args = ["--format", "opa"] if command == "export" else []
    result = run("log", command, "--records", folder, *args)
    assert result.exit_code == code
    said = result.stdout if command == "verify" else result.stderr
    assert str(odd) in "".join(said.split())
    assert len(result.stdout.splitlines()) >= 3


def test_a_torn_line_is_noted(run: Run, records: Path, chain: str) -> None:
    newest = sorted((records / chain).glob("*.jsonl"))[-1]
    with newest.open("ab") as file:
        file.write(b"{")
    result = run("log", "verify", "--records", records)
    assert result.exit_code == 0
    assert "  note         a torn line at the end of" in result.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["verify", "--expect-head", "abc"], "64 hex digits"),
        (["verify", "--public-key", "abc"], "neither 32 bytes in base64 nor a file"),
        (["checkpoint", "--key", "/nowhere.pem"], "there is no key"),
        (["verfy"], "did you mean `verify`?"),
    ],
)
def test_wrong_use(run: Run, records: Path, args: list[str], said: str) -> None:
    result = run("log", *args[:1], "--records", records, *args[1:])
    assert result.exit_code == 1
    assert said in result.stderr


@pytest.mark.parametrize("name", ["verify", "checkpoint"])
def test_nothing_there(run: Run, tmp_path: Path, name: str) -> None:
    result = run("log", name, "--records", tmp_path / "none")
    assert result.exit_code == 1
    assert "there are no records" in result.stderr
    assert not (tmp_path / "none").exists()


def test_nothing_recorded(run: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    """The state folder is easily named in the place of the records in it."""
    for command in ("verify", "checkpoint", "check", "query", "stats"):
        result = run("log", command, "--records", tmp_path)
        assert result.exit_code == 1
        assert result.stderr == f"Error: `{tmp_path}` holds no records\n"
    (tmp_path / "records").mkdir()
    hint = f"did you mean `{tmp_path / 'records'}`?"
    result = run("log", "verify", "--records", tmp_path)
    assert result.stderr == f"Error: `{tmp_path}` holds no records; {hint}\n"


def test_the_usual_place(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    tmp_path.chmod(0o700)
    grow(tmp_path / "callgate" / "records", 3)
    assert run("log", "verify").exit_code == 0
