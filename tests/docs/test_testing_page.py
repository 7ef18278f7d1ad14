"""docs/testing.md: its commands print what it shows, and its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

from callgate.cli.test import command
from callgate.policytest.case import EXPECTED
from tests.docs.test_docs import console

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"


def test_the_commands_print_what_is_shown(tmp_path: Path) -> None:
    for ran in console.run_page(PAGE, tmp_path):
        place = f"docs/testing.md:{ran.line}: $ {ran.command}"
        assert ran.agrees, f"{place} prints this:\n{ran.actual}"


def section(title: str) -> str:
    return PAGE.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_everything_that_can_be_expected_is_listed() -> None:
    rows = re.findall(r"^\| (`.*?) \|", section("What can be expected"), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(EXPECTED)


def test_options_that_are_named_are_there() -> None:
    known = {name for option in command.params for name in option.opts}
    named = set(re.findall(r"`(-{1,2}[a-z][a-z-]*)", PAGE.read_text("utf-8")))
    assert named <= known, named - known
    of_running = {"-k", "-x", "--maxfail", "-j", "--durations", "-q", "--watch", "--no-cache"}
    assert of_running <= set(re.findall(r"`(-{1,2}[a-z][a-z-]*)", section("Running")))
