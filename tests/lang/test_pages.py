"""What docs/language.md and the pages of the P codes show is true."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
import yaml

from callgate.lang import (
    ConditionError,
    parse_condition,
    parse_each,
    parse_pattern,
    parse_template,
    print_pattern,
    print_syntax,
)
from callgate.load.report import format_diagnostic
from callgate.model.codes import CODES
from callgate.model.diagnostic import Diagnostic
from callgate.model.span import Span

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "language.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples(language: str) -> list[str]:
    """The lines of all blocks of the page in one language."""
    return [
        line
        for found in _BLOCK.finditer(PAGE)
        if found[1] == language
        for line in found[2].splitlines()
    ]


@pytest.mark.parametrize("text", examples("condition"))
def test_example_condition(text: str) -> None:
    tree = parse_condition(text).tree
    assert print_syntax(tree) == text
    assert parse_condition(print_syntax(tree)).tree == tree


@pytest.mark.parametrize("text", examples("pattern"))
def test_example_pattern(text: str) -> None:
    pattern = parse_pattern(text)
    assert parse_pattern(print_pattern(pattern)) == pattern


def test_other_examples() -> None:
    assert all(parse_each(text).kind for text in examples("each"))
    assert all(parse_template(text) for text in examples("reason"))
    whens = re.split("^when:", "".join(f"{x}\n" for x in examples("yaml")), flags=re.MULTILINE)[1:]
    assert len(whens) == 2
    for when in whens:
        parse_condition(yaml.safe_load(f"when:{when}")["when"])


def test_there_are_examples() -> None:
    assert len(examples("condition")) > 25
    assert len(examples("pattern")) > 8


def test_tables_are_up_to_date() -> None:
    place = DOCS / "language_tables.py"
    spec = importlib.util.spec_from_file_location("language_tables", place)
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    assert tables.filled(PAGE) == PAGE, "run `python docs/language_tables.py`"
    assert PAGE.count("\n| `path(") == 1


@pytest.mark.parametrize("code", ["P001", "P003", "P004", "P005", "P006"])
def test_condition_of_an_error_page(code: str) -> None:
    page = (DOCS / "errors" / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code}: {CODES[code]}\n")
    failing, message, fixed = (found[2].rstrip("\n") for found in _BLOCK.finditer(page))
    with pytest.raises(ConditionError) as raised:
        parse_condition(failing)
    error = raised.value
    assert error.code == code
    span = Span("condition", 1, error.start + 1, 1, error.end + 1)
    diagnostic = Diagnostic(error.code, error.message, span, error.help)
    assert format_diagnostic(diagnostic, lambda _: failing.splitlines()) == message
    parse_condition(fixed)


def test_reason_of_an_error_page() -> None:
    page = (DOCS / "errors" / "P007.md").read_text(encoding="utf-8")
    failing, message, fixed = (found[2] for found in _BLOCK.finditer(page))
    with pytest.raises(ConditionError) as raised:
        parse_template(yaml.safe_load(failing)["rules"][0]["reason"])
    assert f"error[{raised.value.code}]: {raised.value.message}\n" in message
    assert raised.value.code == "P007"
    parse_template(yaml.safe_load(fixed)["rules"][0]["reason"])
