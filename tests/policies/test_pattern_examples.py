"""docs/settings.md says which commands a pattern of allow_patterns lets through, and which not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from callgate.engine import Engine

PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
SECTION = PAGE.partition("\n## Command patterns\n")[2].partition("\n## ")[0]
ROWS = [
    tuple(re.findall(r"`((?:[^`|]|\\\|)+)`", cell) for cell in re.split(r"(?<!\\)\|", line)[1:4])
    for line in SECTION.splitlines()
    if line.startswith("| `") and "$" in line
]
CASES = [
    (pattern[0].replace("\\|", "|"), command.replace("\\|", "|"), allowed)
    for pattern, *columns in ROWS
    for allowed, commands in zip((True, False), columns, strict=True)
    for command in commands
]


@pytest.mark.parametrize(("pattern", "command", "allowed"), CASES)
def test_the_page_is_right(pattern: str, command: str, allowed: bool) -> None:
    engine = Engine.load("echo", {"tools": {"exec": {"allow_patterns": [pattern]}}})
    context = {"channel": "telegram", "workspace": "/srv/app", "cwd": "/srv/app"}
    decision = engine.decide({"tool": "exec", "args": {"command": command}, "context": context})
    assert (decision.rule == "command-patterns.allowed") is allowed


def test_the_examples_are_found() -> None:
    assert len(ROWS) == 4
    assert len(CASES) >= 20
