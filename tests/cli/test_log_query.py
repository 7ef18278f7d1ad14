"""`callgate log query`: what is found, and how it is shown."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.record.chains import segment, tampered
from tests.record.decisions import filled, id_of, made, match, time_of

HOSTILE = "\x1b[2J\u202eevil\nline"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Sixty decisions: every second is a deny, every tenth matched a rule besides."""
    folder = tmp_path / "records"
    return filled(
        folder,
        (
            made(
                number,
                decision="deny" if number % 2 else "allow",
                tool=f"tool_{number % 5}",
                matched=[match("shell.recursive-delete")] if number % 10 == 0 else [],
            )
            for number in range(60)
        ),
    )


def ids(run: Run, records: Path, *args: object) -> list[str]:
    """The ids of the decisions that are found."""
    result = run("log", "query", "--records", records, "--format", "jsonl", *args)
    assert result.exit_code == 0, result.output
    return [json.loads(line)["decision_id"] for line in result.stdout.splitlines()]


def test_the_table(run: Run, records: Path) -> None:
    result = run("log", "query", "--records", records, "--limit", "2")
    assert result.exit_code == 0
    assert result.stdout == (
        "TIME                 DECISION  TOOL    RULE         SENDER  ID                REASON\n"
        "2099-11-01 09:59:00  ✕ deny    tool_4  tiers.write  user_2  0000003b55555555  reason 59\n"
        "2099-11-01 09:58:00  ✓ allow   tool_3  tiers.write  user_1  0000003a55555555  reason 58\n"
    )
    assert result.stderr == "callgate: these are the newest 2; `--limit` and `--all` show more\n"


def test_how_many(run: Run, records: Path) -> None:
    assert ids(run, records) == [id_of(number) for number in range(59, 9, -1)]
    assert ids(run, records, "--all") == [id_of(number) for number in range(59, -1, -1)]
    assert ids(run, records, "--limit", "60") == ids(run, records, "--all")
    assert run("log", "query", "--records", records, "--limit", "60").stderr == ""
    assert ids(run, records, "--oldest-first", "--limit", "2") == [id_of(0), id_of(1)]
    result = run("log", "query", "--records", records, "--oldest-first", "--limit", "2")
    assert result.stderr.startswith("callgate: these are the oldest 2; ")


@pytest.mark.parametrize(
    ("args", "numbers"),
    [
        (["--tool", "tool_4", "--decision", "deny", "--limit", "2"], [59, 49]),
        (["--rule", "shell.recursive-delete", "--sender", "user_0"], [30, 0]),
        (["--since", time_of(58)], [59, 58]),
        (["--since", "2099-11-01T09:58:30"], [59]),
        (["--until", "2099-11-01T10:01+01:00"], [1, 0]),
        (["--session", "s:1", "--source", "gate", "--since", time_of(59)], [59]),
        (["--since", "1d", "--limit", "1"], [59]),
        (["--until", "1d"], []),
    ],
)
def test_what_is_asked_for(run: Run, records: Path, args: list[str], numbers: list[int]) -> None:
    assert ids(run, records, *args) == [id_of(number) for number in numbers]


def test_as_json(run: Run, records: Path) -> None:
    result = run("log", "query", "--records", records, "--tool", "tool_4", "--format", "json")
    told = json.loads(result.stdout)
    assert len(told) == 12
    (folder,) = (path for path in records.iterdir() if path.name.isalnum() and path.is_dir())
    about = {key: told[0].pop(key) for key in ("chain", "seq", "hash")}
    assert about == {"chain": folder.name, "seq": 60, "hash": about["hash"]}
    assert told[0] == made(59, decision="deny", tool="tool_4")
    lines = run("log", "query", "--records", records, "--tool", "tool_4", "--format", "jsonl")
    assert [json.loads(line)["decision_id"] for line in lines.stdout.splitlines()] == [
        item["decision_id"] for item in told
    ]
    for args, said in ((["--format", "json"], "[]\n"), (["--format", "jsonl"], ""), ([], "")):
        assert run("log", "query", "--records", records, "--rule", "no", *args).stdout == said


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--tool", "tol_1"], "no new record has the tool `tol_1`; did you mean `tool_1`?"),
        (["--tool", "bash"], "the tool `bash`; its calls are recorded as `tool_0`"),
        (["--tool", "zzz"], "no new record has the tool `zzz`"),
        (["--rule", "shell.recursive-delet"], "did you mean `shell.recursive-delete`?"),
        (["--sender", "user_9"], "no new record has the sender `user_9`; did you mean `user_0`?"),
        (["--tool", "tool_1", "--since", "2100-01-01"], "nothing found"),
        (["--rule", "x\x1b[2J"], "the rule `x\\e[2J`"),
    ],
)  # fmt: skip
def test_nothing_found(run: Run, records: Path, args: list[str], said: str) -> None:
    result = run("log", "query", "--records", records, *args)
    assert (result.exit_code, result.stdout) == (0, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_nothing_recorded(run: Run, tmp_path: Path) -> None:
    result = run("log", "query", "--records", filled(tmp_path / "records", []))
    assert (result.exit_code, result.stderr) == (0, "callgate: nothing is recorded yet\n")
    result = run("log", "query", "--records", tmp_path / "none")
    assert result.exit_code == 1
    assert "there are no records" in result.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--decision", "maybe"], "'maybe' is not one of"),
        (["--since", "yester\x1bday"], "`yester\\eday` is neither a time"),
        (["--limit", "0"], "0 is not in the range"),
        (["--tool", "\udcff"], "--tool takes text in UTF-8"),
    ],
)
def test_wrong_use(run: Run, records: Path, args: list[str], said: str) -> None:
    result = run("log", "query", "--records", records, *args)
    assert result.exit_code == 1
    assert said in result.stderr


def test_what_is_damaged_is_told(run: Run, records: Path) -> None:
    (chain,) = (path.name for path in records.iterdir() if len(path.name) == 32)
    tampered(
        segment(records, chain),
        lambda x: [line if n % 2 else line.replace(b"1500", b"null") for n, line in enumerate(x)],
    )
    result = run("log", "query", "--records", records, "--all")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 31
    lines = result.stderr.splitlines()
    assert lines[0] == (
        f"callgate: error[incomplete]: chain {chain} seq 60: `duration_us` is missing or not what"
        " it has to be; passed over"
    )
    assert len(lines) == 22
    assert lines[20] == "callgate: … and 10 more such records"
    assert "log verify" in lines[21]


def test_nothing_acts_on_a_terminal(run: Run, tmp_path: Path) -> None:
    call = {"tool": HOSTILE, "args": {HOSTILE: HOSTILE}, "context": {"sender_id": HOSTILE}}
    record = made(1, call=call, tool=HOSTILE, rule=HOSTILE, reason=HOSTILE * 1000)
    folder = filled(tmp_path / "records", [record])
    for format_ in ("table", "json", "jsonl"):
        result = run("log", "query", "--records", folder, "--format", format_)
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
    assert len(run("log", "query", "--records", folder).stdout.splitlines()) == 2


def on_terminal(columns: int, *args: object) -> list[str]:
    """What a terminal of so many columns shows, without colour."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", f"import os, struct, fcntl, termios\n{_START}", *map(str, args)],
        stdout=other,
        env={
            **os.environ,
            "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "",  # it would count more than the terminal's own size
            "COLUMNS_": str(columns),
        },
    )
    os.close(other)
    shown = b""
    while True:
        try:
            data = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
    os.close(main)
    assert process.wait() == 0
    return shown.decode().splitlines()


_START = """
fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(os.environ["COLUMNS_"]), 0, 0))
from callgate.cli import main
main(prog_name="callgate")
"""


def _long(number: int) -> dict[str, Any]:
    call = {"tool": "x", "context": {"sender_id": "someone-with-a-name"}}
    return made(number, tool="a-tool-of-some-length", call=call, reason="why " * 60, rule="r." * 30)


@pytest.mark.parametrize("columns", [80, 200])
def test_it_is_readable_on_a_terminal(tmp_path: Path, columns: int) -> None:
    folder = filled(tmp_path / "records", [_long(0), _long(1), _long(2000)])
    lines = on_terminal(columns, "log", "query", "--records", folder)
    assert max(map(len, lines)) <= columns
    days = [line for line in lines if line.endswith(" UTC")]
    assert days == ["2099-11-02 UTC", "2099-11-01 UTC"]
    assert len(lines) == 1 + 2 + (6 if columns == 80 else 3)
    assert all("  0000" in line for line in lines if "allow" in line)
    assert sum("why why" in line for line in lines) == 3
