"""docs/echo.md: every file and rule it names exists, and none of the bundle's rules is missing."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.policies.bundle import ECHO, ROOT, document, outcomes, rule_ids
from tests.policies.manual import DECISIONS, HEADINGS

PAGE = ROOT / "docs" / "echo.md"

_CODE = re.compile(r"`([^`]+)`")
_FILE = re.compile(r"[\w./-]+\.(?:yaml|py)")
_ID = re.compile(r"[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+")


class Row(NamedTuple):
    """A row of a table: its cells by the name of their column, and the heading it stands under."""

    heading: str
    cells: dict[str, str]


def rows() -> list[Row]:
    found: list[Row] = []
    heading = ""
    columns: list[str] = []
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif not line.startswith("|"):
            columns = []
        elif not line.startswith("|---"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if columns:
                found.append(Row(heading, dict(zip(columns, cells, strict=True))))
            else:
                columns = cells
    return found


ROWS = rows()
IDS = rule_ids()
OUTCOMES = outcomes()
FACTS = document("vocabulary.yaml")["facts"]


def spans(row: Row, column: str) -> list[str]:
    return _CODE.findall(row.cells.get(column, ""))


def rules(row: Row) -> list[str]:
    """What a row names as rules: dotted names, and the steps that are their own rule."""
    named = spans(row, "rules")
    return [name for name in named if name in IDS or (_ID.fullmatch(name) and "_" not in name)]


def title(row: Row) -> str:
    return f"{row.heading}: {next(iter(row.cells.values()))}"


def test_headings_are_the_manual_s_in_its_order() -> None:
    text = PAGE.read_text("utf-8")
    found = [line.lstrip("# ") for line in text.splitlines() if line.startswith("##")]
    assert found[: len(HEADINGS)] == HEADINGS


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_a_row(row: Row) -> None:
    files = spans(row, "file")
    for file in files:
        assert (ECHO / file).exists(), file
    for name in rules(row):
        if not name.startswith("observed."):
            known = IDS | OUTCOMES
            assert name in known, name
            assert known[name] in files, f"{name} stands in {known[name]}"
    if row.cells["file"] not in ("", "runtime"):
        assert files


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_facts_that_a_row_names_exist(row: Row) -> None:
    told = row.cells.get("rules", "")
    facts = re.findall(r"`(\w+)`", told.split(";")[0]) if told.startswith("the fact") else []
    assert set(facts) <= FACTS.keys()


def test_every_file_named_anywhere_exists() -> None:
    for name in _CODE.findall(PAGE.read_text("utf-8")):
        if _FILE.fullmatch(name):
            assert (ECHO / name).exists() or (ROOT / name).exists(), name


def test_every_rule_of_the_bundle_is_named() -> None:
    named = {name for row in ROWS for name in rules(row)}
    assert IDS.keys() - named == set()


def test_every_decision_has_its_row() -> None:
    assert [row.cells["decision"] for row in ROWS if row.heading == "Decisions"] == DECISIONS


@pytest.mark.parametrize("row", [row for row in ROWS if row.heading == "Decisions"], ids=title)
def test_a_decision_is_tested_where_its_row_says(row: Row) -> None:
    files, prefix = spans(row, "tests"), f"{row.cells['decision']}: "
    assert files
    policy = [file for file in files if (ECHO / file).exists()]
    for file in policy:
        assert _carries(file, prefix), file
    for file in set(files) - set(policy):
        assert (ROOT / file).exists(), file
    elsewhere = {
        name
        for name in document("bundle.yaml")["files"]
        if name.startswith("tests/") and name not in policy and _carries(name, prefix)
    }
    assert elsewhere == set(), "also tested there"


def _carries(file: str, prefix: str) -> bool:
    return any(
        str(case.get("name", case.get("table"))).startswith(prefix)
        for case in document(file)["cases"]
    )
