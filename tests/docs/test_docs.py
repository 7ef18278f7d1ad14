"""The pages are up to date, their links lead somewhere, and their commands do what they show."""

from __future__ import annotations

import doctest
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from callgate.engine import Engine
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.codes import CODES
from callgate.model.effect import EFFECT_KINDS
from tests.docs.markdown import anchors, links, tables

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def module(name: str) -> ModuleType:
    """A module of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


console = module("console")
generate = module("generate")
blocks = console.blocks


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# -- pages


def test_rule_files_page_is_up_to_date() -> None:
    assert generate.PAGE.read_text("utf-8") == generate.rule_files(), "run `make docs`"


def test_picture_is_up_to_date() -> None:
    assert generate.PICTURE.read_text("utf-8") == generate.picture(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_resolve(page: Path) -> None:
    for link in links(page):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{name_of(page)} links to {link}"


def test_every_code_has_a_page() -> None:
    """Those of lint rules are in docs/rules: see tests/test_rule_pages.py."""
    codes = {code for code in CODES if not code.startswith("L")}
    assert {page.stem for page in (DOCS / "errors").glob("*.md")} == codes


def test_glossary_is_in_order() -> None:
    text = (DOCS / "glossary.md").read_text("utf-8")
    terms = [line.split("**")[1] for line in text.splitlines() if line.startswith("**")]
    assert terms == sorted(terms, key=str.lower)


def test_design_names_every_package() -> None:
    named = {row[0].strip("`/") for row in tables(DOCS / "design.md", "Layout")}
    folders = (ROOT / "engine" / "callgate").iterdir()
    packages = {folder.name for folder in folders if (folder / "__init__.py").exists()}
    assert packages <= named


# -- commands


@pytest.mark.parametrize(
    "name", ["README.md", "docs/tutorial.md", "docs/extending.md", "docs/effects.md"]
)
def test_commands_print_what_is_shown(name: str, tmp_path: Path) -> None:
    count = 0
    for ran in console.run_page(ROOT / name, tmp_path):
        place = f"{name}:{ran.line}: $ {ran.command}"
        assert ran.agrees, f"{place}\nshown:\n{ran.shown}\nactual:\n{ran.actual}"
        count += 1
    assert count


def test_python_prints_what_is_shown() -> None:
    parser = doctest.DocTestParser()
    text = "".join(block.text for block in blocks(ROOT / "README.md") if block.language == "pycon")
    test = parser.get_doctest(text, {}, "README.md", "README.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize(
    ("actual", "shown", "agrees"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", True),
        ("a\nb\nc\n", "a\nb\n", False),
        ("a\nb\nc\n", "a\n…\nc\n", True),
        ("a\nb\nc\n", "…\nb\n…\n", True),
        ("a\nb\nc\n", "b\n…\n", False),
        ("a\nb\nc\n", "a\n…\nb\n", False),
        ("sha256:0123456789abcdef\n", "sha256:ffffffffffff\n", True),
    ],
)
def test_what_an_output_with_gaps_agrees_with(actual: str, shown: str, agrees: bool) -> None:
    assert console.Ran(1, "", shown, actual).agrees is agrees


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_data_blocks_can_be_read(page: Path) -> None:
    if page.parent.name in {"errors", "rules"}:
        return
    for block in blocks(page):
        if block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.language == "json":
            json.loads(block.text)


# -- formats


FORMATS = DOCS / "formats.md"


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def first_block(heading: str) -> Any:
    """The first block after a heading of docs/formats.md."""
    text = FORMATS.read_text("utf-8").splitlines()
    line = text.index(heading)
    return next(block for block in blocks(FORMATS) if block.line > line)


def test_the_call_shown_is_a_call_with_every_key(echo: Engine) -> None:
    call = json.loads(first_block("## A call").text)
    assert echo.decide(call).to_dict()["error"] is None
    assert call["context"].keys() == CONTEXT_FIELDS.keys()
    assert call["observed"].keys() == {"dns", "links", "time", "missing"}


def test_the_context_table_is_complete() -> None:
    rows = {row[0].strip("`"): row for row in tables(FORMATS, "context")}
    assert list(rows) == list(CONTEXT_FIELDS)
    for name, field in CONTEXT_FIELDS.items():
        default = {(): [], None: {} if name == "extra" else None}.get(field.default, field.default)
        assert json.loads(rows[name][2].strip("`")) == default, name


def test_the_decision_table_is_complete(echo: Engine) -> None:
    told = echo.decide({"tool": "exec", "args": {"command": "rm -r build"}}).to_dict()
    assert list(told) == list(json.loads(first_block("## A decision").text))
    assert [row[0].strip("`") for row in tables(FORMATS, "A decision")] == list(told)
    only_some = ["enforce", "exception"]  # of what decides nothing
    keys = [row[0].strip("`") for row in tables(FORMATS, "matched")]
    assert keys == [*told["matched"][0], *only_some]
    keys = [key.strip("` ") for row in tables(FORMATS, "trace") for key in row[0].split(",")]
    assert keys == list(told["trace"][0])


def test_the_effects_table_is_complete() -> None:
    shown: dict[str, list[str]] = {}
    for kinds, fields in (row for row in tables(FORMATS, "effects") if len(row) == 2):
        for kind in kinds.split(","):
            shown[kind.strip("` ")] = [field.strip("` ") for field in fields.split(",")]
    known = {
        kind: [name for name in record.fields if name not in ("certain", "through")]
        for kind, record in EFFECT_KINDS.items()
    }
    assert shown == known


def test_an_unresolved_field_is_null_and_named(echo: Engine) -> None:
    shown = json.loads(first_block("### effects").text)
    told = echo.decide({"tool": "exec", "args": {"command": 'rm -r "$DIR"'}}).to_dict()
    assert shown in told["effects"]
