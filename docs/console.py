"""Run the commands that a page shows, and compare or refresh the output shown.

In a page, a block whose info string ends in `file=PATH` is a file that the reader writes; a
`console` block holds commands (`$ …`) with their output. They are run in order, in one folder.
A line `…` in an output stands for lines that are left out. Digests of policies are not compared:
they change with every release.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from click.testing import CliRunner

from callgate.cli import main

__all__ = ["Block", "Ran", "blocks", "refreshed", "run_page", "shell", "write_files"]

SAMPLES: Final = Path(__file__).parent / "samples"

_FENCE: Final = re.compile(r"^```(\S*) ?(.*)$")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{8,}")
_LEFT_OUT: Final = "…\n"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `line` is that of its opening fence, from 1."""

    language: str
    info: str
    text: str
    line: int

    @property
    def file(self) -> str:
        """The path in `file=PATH`, or ""."""
        return self.info.removeprefix("file=") if self.info.startswith("file=") else ""


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run: what the page shows of its output, and what it printed."""

    line: int
    command: str
    shown: str
    actual: str

    @property
    def agrees(self) -> bool:
        """Whether the page shows what was printed."""
        actual, *_ = _plain(self.actual)
        shown, *parts = _plain(self.shown, *self.shown.split(_LEFT_OUT))
        if len(parts) == 1:
            return actual == shown
        at = 0
        for part in parts:
            found = actual.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return actual.startswith(parts[0]) and actual.endswith(parts[-1])


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = iter(enumerate(page.read_text("utf-8").splitlines(), start=1))
    for number, line in lines:
        fence = _FENCE.match(line)
        if fence:
            text = []
            for _, inner in lines:
                if inner == "```":
                    break
                text.append(inner + "\n")
            yield Block(fence[1], fence[2].strip(), "".join(text), number)


def write_files(page: Path, folder: Path) -> None:
    """Write all files of a page, as they are at its end."""
    for block in blocks(page):
        _write(block, folder)


def run_page(page: Path, folder: Path) -> Iterator[Ran]:
    """Write the files and run the commands of a page in an empty folder, in order."""
    shutil.copytree(SAMPLES, folder / "docs" / "samples")
    for block in blocks(page):
        _write(block, folder)
        if block.language == "console":
            for command, shown in _commands(block):
                actual = shell(command.replace("\\\n> ", ""), folder)
                yield Ran(block.line, command, shown, actual)


def refreshed(page: Path) -> str:
    """The text of a page with the output of its commands as it is now.

    Outputs with lines left out are not touched: whether they still agree is for the tests to say.
    """
    text = page.read_text("utf-8")
    at = 0
    with tempfile.TemporaryDirectory() as folder:
        for ran in run_page(page, Path(folder)):
            at = text.index(f"$ {ran.command}{ran.shown}", at) + len(f"$ {ran.command}")
            if ran.actual != ran.shown and _LEFT_OUT not in ran.shown:
                text = text[:at] + ran.actual + text[at + len(ran.shown) :]
    return text


def shell(command: str, folder: Path) -> str:
    """What a command prints in a folder, standard error included, as a terminal shows it.

    `callgate` is the program of this very checkout. Alone on a line it is run in this process,
    which is much faster; anything else is a shell's business.
    """
    words = _words(command)
    if words[:1] == ["callgate"]:
        runner = CliRunner(env={"XDG_CACHE_HOME": str(folder / ".cache")})
        with contextlib.chdir(folder):
            return runner.invoke(main, words[1:]).output
    tools = folder / ".bin"
    if not tools.exists():
        tools.mkdir()
        program = tools / "callgate"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m callgate "$@"\n')
        program.chmod(0o755)
    found = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONIOENCODING": "utf-8",
            "XDG_CACHE_HOME": str(folder / ".cache"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return found.stdout.decode()


def _words(command: str) -> list[str]:
    """The words of a simple command; none where it needs a shell."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words = list(lexer)
    return [] if any(set(word) <= set(lexer.punctuation_chars) for word in words) else words


def _write(block: Block, folder: Path) -> None:
    if block.file:
        path = folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


def _commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown.

    A line that begins with `> ` goes on with the command; an empty line may stand before the next.
    """
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            if found and f"\n{found[-1][1]}".endswith("\n\n"):
                found[-1] = (found[-1][0], found[-1][1].removesuffix("\n"))
            found.append((line[2:], ""))
        elif line.startswith("> ") and found[-1][0].endswith("\\\n") and not found[-1][1]:
            found[-1] = (found[-1][0] + line, "")
        else:
            command, output = found[-1]
            found[-1] = (command, output + line)
    return found


def _plain(*texts: str) -> list[str]:
    return [_DIGEST.sub("sha256:…", text) for text in texts]
