"""`callgate log tail`: the newest decisions, and those that other processes write meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from callgate.record.line import envelope
from callgate.record.values import canonical
from tests.cli.conftest import Run
from tests.record.chains import segment
from tests.record.decisions import filled, id_of, made
from tests.record.writers import ROOT, writer

# The usual code of a writer: a decision for each line that it is sent.
WRITE = """
import json
from callgate.record.values import canonical
store = json_lines(folder) if sys.argv[2] == "json_lines" else sqlite(folder)
for line in sys.stdin:
    say(*store.lane().append(canonical(json.loads(line))))
store.close()
"""


def records_of(folder: Path, kind: str) -> Path:
    """Where `writer` writes."""
    return folder / ("records" if kind == "json_lines" else "records.db")


@contextmanager
def following(records: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    """`callgate log tail -f` in a process of its own."""
    command = [sys.executable, "-m", "callgate", "log", "tail", "-f", "--records", str(records)]
    process = subprocess.Popen(
        [*command, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "engine"), "PYTHONIOENCODING": "utf-8"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def next_id(process: subprocess.Popen[str]) -> str:
    """The id of the next decision that is shown."""
    assert process.stdout is not None
    id_: str = json.loads(process.stdout.readline())["decision_id"]
    return id_


def stopped(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Press Ctrl-C; gives the exit code and what it said on standard error."""
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert out == ""
    return process.returncode, err


def test_the_newest(run: Run, tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", (made(number) for number in range(30)))

    def ids(*args: str) -> list[str]:
        result = run("log", "tail", "--records", folder, "--format", "jsonl", *args)
        assert (result.exit_code, result.stderr) == (0, "")
        return [json.loads(line)["decision_id"] for line in result.stdout.splitlines()]

    assert ids() == [id_of(number) for number in range(10, 30)]
    assert ids("-n", "2") == [id_of(28), id_of(29)]
    assert ids("-n", "0") == []
    assert ids("-n", "2", "--sender", "user_0") == [id_of(24), id_of(27)]
    table = run("log", "tail", "-n", "2", "--records", folder).stdout.splitlines()
    assert table[0].startswith("TIME")
    assert [line[:19] for line in table[1:]] == ["2099-11-01 09:28:00", "2099-11-01 09:29:00"]


def test_nothing_there(run: Run, tmp_path: Path) -> None:
    result = run("log", "tail", "-f", "--records", tmp_path / "none")
    assert result.exit_code == 1
    assert "there are no records" in result.stderr


@pytest.mark.parametrize("kind", ["json_lines", "sqlite"])
def test_those_to_come(tmp_path: Path, kind: str) -> None:
    with writer(tmp_path, kind, WRITE) as one, writer(tmp_path, kind, WRITE) as two:
        number = 0

        def write(process: subprocess.Popen[bytes]) -> None:
            nonlocal number
            assert process.stdin is not None
            process.stdin.write(json.dumps(made(number)).encode() + b"\n")
            process.stdin.flush()
            number += 1

        write(one.process)
        assert one.read()
        with following(records_of(tmp_path, kind), "--format", "jsonl") as tail:
            assert next_id(tail) == id_of(0)
            write(one.process)
            assert next_id(tail) == id_of(1)
            # Another process, so a chain of its own.
            write(two.process)
            assert next_id(tail) == id_of(2)
            write(one.process)
            write(two.process)
            assert {next_id(tail), next_id(tail)} == {id_of(3), id_of(4)}
            assert stopped(tail) == (130, "\ncallgate: interrupted\n")


def test_what_is_not_asked_for_and_what_is_torn(tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", [made(0)])
    (chain,) = (path.name for path in folder.iterdir() if len(path.name) == 32)
    file = segment(folder, chain)
    with following(folder, "--decision", "deny", "-n", "1", "--format", "jsonl") as tail:

        def add(data: bytes) -> None:
            with file.open("ab") as stream:
                stream.write(data)

        def line(number: int, decision: str) -> bytes:
            record = canonical(made(number, decision=decision))
            return envelope(chain, "0" * 64, record, number + 50) + b"\n"

        add(line(1, "deny"))
        assert next_id(tail) == id_of(1)
        add(line(2, "allow") + line(3, "deny")[:200])
        add(line(3, "deny")[200:])
        assert next_id(tail) == id_of(3)
        add(b"rubbish\n" + line(4, "deny"))
        assert next_id(tail) == id_of(4)
        code, said = stopped(tail)
        assert code == 130
        assert said.startswith("callgate: error[foreign]: chain ? seq ?: ")
        assert said.count("foreign") == 1


def test_rows_leave_at_once(tmp_path: Path) -> None:
    folder = filled(tmp_path / "records", [made(0)])
    with following(folder) as tail:
        assert tail.stdout is not None
        assert tail.stdout.readline().startswith("TIME")
        assert "reason 0" in tail.stdout.readline()
        filled(folder, [made(1)])
        assert "reason 1" in tail.stdout.readline()
