"""Every page in docs/rules: what is under `Bad` gives the findings shown, `Good` gives none.

The blocks of a page are those of docs/errors (see tests/test_error_pages.py). Findings are those of
the page's own rule, on the first of December 2026.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from callgate.lint.catalogue import all_rules
from callgate.lint.rule import Finding, Rule
from callgate.lint.run import apply, lint
from callgate.lint.subject import Subject
from callgate.load.bundle import bundle_lines
from callgate.load.report import format_diagnostic
from callgate.model.codes import CODES
from callgate.policytest.loaded import load
from tests.test_error_pages import Block, read_page, write_bundle

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "rules"
NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
RULES = {rule.code: rule for rule in all_rules()}
CODES_WITH_PAGE = sorted(path.stem for path in PAGES.glob("L*.md"))


def linted(
    rule: Rule, blocks: list[Block], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[Finding, str]]:
    """What a rule finds in the bundle of some blocks, each with its printed form."""
    root = write_bundle(blocks, folder, with_defaults=True)
    monkeypatch.chdir(folder)
    loaded = load(root)
    lines = bundle_lines([file for layer in loaded.files for file in layer])
    found = apply(Subject(loaded, NOW), [rule])[0]
    if rule.code == "L503":  # known only when all others were applied
        found = [f for f in lint(loaded, NOW).findings if f.diagnostic.code == rule.code]
    return [
        (item, format_diagnostic(item.diagnostic, lines).replace("policies/acme/", ""))
        for item in found
    ]


def test_rules_codes_and_pages_are_the_same() -> None:
    codes = {code for code in CODES if code.startswith("L")}
    assert RULES.keys() == codes
    assert set(CODES_WITH_PAGE) == codes
    names = [rule.name for rule in RULES.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)


@pytest.mark.parametrize("code", CODES_WITH_PAGE)
def test_head_is_that_of_the_rule(code: str) -> None:
    text = (PAGES / f"{code}.md").read_text("utf-8")
    page = read_page(PAGES / f"{code}.md")
    assert (page.code, page.title) == (code, CODES[code])
    rule = RULES[code]
    level = rule.severity.value if rule.severity else "off"
    assert f"\nName: `{rule.name}`. Default: {level}." in text
    assert "\n## To silence\n" in text


@pytest.mark.parametrize("code", CODES_WITH_PAGE)
def test_bad_is_found(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    *blocks, expected = read_page(PAGES / f"{code}.md").blocks["Bad"]
    assert expected.language == "text"
    shown = linted(RULES[code], blocks, tmp_path, monkeypatch)
    assert "\n".join(text for _, text in shown) + "\n" == expected.text
    assert all(item.diagnostic.code == code and item.diagnostic.help for item, _ in shown)
    fixes = any(item.fix for item, _ in shown)
    told = "`--fix` mends it." in (PAGES / f"{code}.md").read_text("utf-8")
    assert told or not fixes, "the page does not say that `--fix` mends it"


@pytest.mark.parametrize("code", CODES_WITH_PAGE)
def test_good_is_not_found(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = read_page(PAGES / f"{code}.md").blocks["Good"]
    assert blocks
    assert [text for _, text in linted(RULES[code], blocks, tmp_path, monkeypatch)] == []
