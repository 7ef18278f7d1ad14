"""Other processes that write records, say what was acknowledged, and can be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]

HEAD = """
import os, sys
from pathlib import Path
from callgate.record.errors import RecordError
from tests.record.stores import json_lines, record, sqlite

folder = Path(sys.argv[1])
opened = {"json_lines": json_lines, "sqlite": sqlite}[sys.argv[2]]

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def wait():
    os.read(0, 1)

def append(lane, number, *size):
    say(number, *lane.append(record(number, *size)))
"""
"""`say` writes at once: what a killed process said, it had been told before."""


class Writer:
    """A process that runs some code after `HEAD`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def read(self) -> str:
        """The next line that it says, "" when it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().rstrip("\n")

    def until(self, word: str) -> Iterator[str]:
        """What it says before it says a word, which it has to."""
        while (said := self.read()) != word:
            assert said or self.process.poll() is None, f"it ended before it said `{word}`"
            yield said

    def go(self) -> None:
        """Let it go on after `wait`."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def kill(self) -> list[str]:
        """Kill it (SIGKILL); gives what it had said that was not read yet."""
        self.process.kill()
        return self._rest()

    def end(self) -> list[str]:
        """Wait for its end, which must be a good one; gives the rest of what it said."""
        rest = self._rest()
        assert self.process.returncode == 0, rest[-3:]
        return rest

    def _rest(self) -> list[str]:
        out, _ = self.process.communicate()
        # A line that was cut off in the middle was not said.
        return out.decode().split("\n")[:-1]


@contextmanager
def writer(folder: Path, kind: str, code: str) -> Iterator[Writer]:
    """Start a process that writes to the store `kind` in a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD + code, str(folder), kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,  # what was read ahead would be lost to `communicate`
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "engine")])},
    )
    try:
        yield Writer(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
