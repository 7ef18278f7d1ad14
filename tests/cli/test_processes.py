"""`callgate` as a process: pipes of any length, readers that leave, keys that are pressed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

Start = Callable[..., Any]
"""Starts the process; gives a `Popen` whose three streams are pipes."""

LOOK = '{"tool": "look", "context": {"channel": "cli"}}\n'
FLOW = """\
kind: flow
steps:
  - id: s
    title: S
    rules: [{id: s.a, title: Ä, when: call.channel == "ops", decide: deny, reason: nö}]
otherwise: {decide: allow, reason: fine}
"""


def _interruptible() -> None:
    """What runs in the background of a shell is started without."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smallest bundle."""
    folder = tmp_path_factory.mktemp("tiny")
    manifest = "kind: bundle\nname: tiny\nversion: 1.0.0\ntitle: Tiny\nfiles: [flow.yaml]\n"
    (folder / "bundle.yaml").write_text(manifest)
    (folder / "flow.yaml").write_text(FLOW)
    return folder


@pytest.fixture
def start(tiny: Path, cache: Path) -> Iterator[Start]:
    """Starts `callgate eval` on the tiny bundle with pipes."""
    started: list[Any] = []

    def run(*args: str, **env: str) -> Any:
        process = subprocess.Popen(
            [sys.executable, "-m", "callgate", "eval", "--bundle", str(tiny), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONUNBUFFERED": "", **env},
            preexec_fn=_interruptible,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def peak(process: subprocess.Popen[bytes]) -> int:
    """The most memory that a running process has used, in KiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def feed(stream: IO[bytes], lines: int) -> None:
    for number in range(lines):
        stream.write(
            b'{"id": "%d", "tool": "look", "args": {"path": "%s"}}\n' % (number, b"x" * 200)
        )
    stream.flush()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_a_stream_of_any_length_takes_constant_memory(start: Start) -> None:
    process = start("--format", "jsonl", "-")
    first, lines = 2_000, 50_000
    feeder = threading.Thread(target=feed, args=(process.stdin, lines))
    feeder.start()
    for _ in range(first):
        process.stdout.readline()
    before = peak(process)
    last = b""
    for _ in range(lines - first):
        last = process.stdout.readline()
    after = peak(process)
    feeder.join()
    process.stdin.close()
    assert json.loads(last)["id"] == str(lines - 1)
    assert after - before < 8 * 1024
    assert process.stdout.read() == b""
    assert process.wait() == 0


@pytest.mark.parametrize("form", ["jsonl", "pretty"])
def test_lines_are_answered_as_they_come(start: Start, form: str) -> None:
    process = start("--format", form, "-")
    if form == "pretty":
        process.stdin.write(LOOK.encode())
        process.stdin.flush()
        process.stdout.readline()
        assert b"allow" in process.stdout.readline()
    for _ in range(3):
        process.stdin.write(LOOK.encode())
        process.stdin.flush()
        assert b"allow" in process.stdout.readline()
    process.stdin.close()
    assert process.wait() == 0


def test_a_reader_that_leaves(start: Start) -> None:
    process = start("--format", "jsonl", "-")
    process.stdin.write(LOOK.encode())
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(LOOK.encode() * 2000)
        process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1


def test_nobody_reads_at_all(start: Start) -> None:
    process = start(LOOK)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1


def test_control_c(start: Start) -> None:
    process = start("--format", "jsonl", "-")
    process.stdin.write(LOOK.encode())
    process.stdin.flush()
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    # Were it just about to wait for input, it would see the signal only when that comes.
    process.stdin.close()
    assert process.stderr.read() == b"\ncallgate: interrupted\n"
    assert process.wait() == 130


@pytest.mark.parametrize("form", ["jsonl", "pretty"])
def test_a_terminal_without_unicode(start: Start, form: str) -> None:
    line = LOOK.replace("cli", "ops")
    process = start("--format", form, "-", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    out, err = process.communicate(line.encode())
    assert process.returncode == 0
    assert err == b""
    assert b"n\\xf6" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(tiny: Path, cache: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "callgate", "eval", "--bundle", str(tiny), LOOK],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(cache)},
            check=False,
        )
    assert process.stderr == b"callgate: no space left on device\n"
    assert process.returncode == 1
