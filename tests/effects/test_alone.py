"""What may stand beside commands that a pattern allows, and what may not."""

from __future__ import annotations

import pytest

from callgate.effects import match
from callgate.lang import parse_pattern
from tests.effects.reading import effects

LS = parse_pattern("ls $")


@pytest.mark.parametrize(
    "text",
    [
        "ls",
        "ls; ls && ls || ls",
        "ls | ls",
        "ls 2>&1",
        "ls 2>/dev/null",
        "(ls)",
        "{ ls; }",
        "if ls; then ls; else ls; fi",
        "while ls; do ls; done",
        "! ls",
        "ls # > x",
        "{ ls; } 2>&1",
    ],
)
def test_commands_alone(text: str) -> None:
    runs = effects(text).by_kind["run"]
    assert all(match(run, LS, True) is True for run in runs)
    assert set(effects(text).by_kind) == {"run"}


@pytest.mark.parametrize(
    "text",
    [
        "ls > x",
        "ls < x",
        "> x",
        "{ ls; } > x",
        "(ls) > x",
        "(( 1 )) > x",
        "if ls; then ls; fi > x",
        "ls; > x",
        "ls <<< x; > y",
        "A=1 ls",
        "A=1; ls",
        "ls; PATH=/tmp",
        "ls $(A=1)",
        "ls; { A=1; }",
        "for PATH in /tmp; do ls; done",
        "ls &",
        "ls & ls",
        "(ls &)",
        "ls() { ls; }; ls",
        "function ls { ls; }; ls",
    ],
)
def test_commands_that_are_not_alone(text: str) -> None:
    runs = effects(text).by_kind["run"]
    assert any(match(run, LS, True) is not True for run in runs)
    # Where a match only makes things stricter, it is one all the same.
    listing = [run for run in runs if run.fields["program"] == "ls"]
    assert all(match(run, parse_pattern("ls"), False) is True for run in listing)


@pytest.mark.parametrize("text", ["", "# nothing", ":", "A=1", "A=1 B=2"])
def test_no_command_is_made_up(text: str) -> None:
    assert all(run.fields["program"] == ":" for run in effects(text).by_kind.get("run", ()))
