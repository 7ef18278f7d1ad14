"""Other processes that use the gate's files, and wait to be told to go on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HEAD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from callgate.gate.database import Database, StateError
from callgate.gate.events import Events
from callgate.gate.grants import Grants
from callgate.gate.subject import Subject
db = Database(Path(sys.argv[1]))

def wait(word):
    print(word, flush=True)
    sys.stdin.readline()
"""


class Other:
    """A process that runs some code after `HEAD`; `wait(word)` in it stops until `go`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def read(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def go(self) -> None:
        """Let it go on."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """Wait for its end; gives the rest of what it printed. It must not have failed."""
        rest, _ = self.process.communicate()
        assert self.process.returncode == 0, rest
        return rest.rstrip("\n")


@contextmanager
def other(path: Path, code: str, *args: str) -> Iterator[Other]:
    """Start a process on a database file."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD + code, str(path), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Other(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
