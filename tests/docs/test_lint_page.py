"""docs/lint.md lists the catalogue, its commands print what is shown, its samples can be used."""

from __future__ import annotations

import re
from pathlib import Path

from callgate.lint.catalogue import find_rule
from callgate.lint.config import lint_config
from callgate.load.project import find_project
from callgate.model.diagnostic import Diagnostics
from tests.docs.test_docs import console, module

module("language_tables")  # which it imports
lint_page = module("lint_page")
PAGE = lint_page.PAGE
TEXT = PAGE.read_text("utf-8")


def test_the_rules_are_those_of_the_catalogue() -> None:
    assert lint_page.filled(TEXT, lint_page.TABLES) == TEXT, "run `python docs/lint_page.py`"


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    count = 0
    for ran in console.run_page(PAGE, tmp_path):
        place = f"docs/lint.md:{ran.line}: $ {ran.command}"
        assert ran.agrees, f"{place}\nshown:\n{ran.shown}\nactual:\n{ran.actual}"
        count += 1
    assert count


def test_configurations_can_be_used(tmp_path: Path) -> None:
    samples = [
        (language, text)
        for language, text in re.findall(r"```(yaml|toml)\n(.*?)```", TEXT, re.DOTALL)
        if "bundles" in text
    ]
    assert [language for language, _ in samples] == ["yaml", "toml"]
    for number, (language, text) in enumerate(samples):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / {"yaml": ".callgate.yaml", "toml": "pyproject.toml"}[language]).write_text(text)
        found = Diagnostics()
        project = find_project(found, folder)
        lint_config(project, found)
        assert [item.line for item in found] == []
        assert project.data["bundles"] == ["policies/desk"]


def test_rules_that_are_named_exist() -> None:
    for words in re.findall(r"ignore(?:-file)?\[([^\]]+)\] ", TEXT):
        for word in words.split(","):
            if not word.strip().startswith("C"):
                find_rule(word.strip())
