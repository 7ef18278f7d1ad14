"""docs/settings.md shows what is found in its settings files, and its tables are complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_docs import console, module

module("language_tables")  # which it imports
settings_page = module("settings_page")
TEXT = settings_page.PAGE.read_text("utf-8")
EXAMPLES = list(settings_page.examples(TEXT))


def test_the_tables_are_up_to_date() -> None:
    assert settings_page.filled(TEXT) == TEXT, "run `python docs/settings_page.py`"


@pytest.mark.parametrize(("text", "shown"), EXAMPLES)
def test_every_example_shows_its_findings(text: str, shown: str) -> None:
    assert settings_page.findings(text) == shown
    assert shown.startswith("config.yaml:")
    for found in shown.split("\nconfig.yaml:"):
        assert "\n  help: " in found


def test_every_example_is_shown() -> None:
    assert len(EXAMPLES) == TEXT.count("```settings\n") > 15


def test_every_code_has_an_example() -> None:
    for code in ("E001", "E002", "E003", "E004", "E005", "E006", "E007"):
        assert any(f"[{code}]" in shown for _, shown in EXAMPLES), code


def test_every_check_is_listed() -> None:
    for check in settings_page._policy().settings_checks:
        assert f"| `{check.id}` |" in TEXT


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    ran = list(console.run_page(settings_page.PAGE, tmp_path))
    assert ran
    for one in ran:
        assert one.agrees, f"{one.line}: $ {one.command}\n{one.actual}"
