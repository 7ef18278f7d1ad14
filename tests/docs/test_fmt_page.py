"""docs/fmt.md: its commands print what is shown, and each `after` is what becomes of `before`."""

from __future__ import annotations

import doctest
from pathlib import Path

from callgate.formatting import format_text
from tests.docs.test_docs import blocks, console

PAGE = Path(__file__).parents[2] / "docs" / "fmt.md"


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    for ran in console.run_page(PAGE, tmp_path):
        assert ran.agrees, f"$ {ran.command}\nshown:\n{ran.shown}\nactual:\n{ran.actual}"


def test_examples() -> None:
    before = ""
    count = 0
    for block in blocks(PAGE):
        if block.info == "before":
            before = block.text
        elif block.info == "after":
            assert format_text("page.yaml", before) == block.text, f"line {block.line}"
            assert format_text("page.yaml", block.text) == block.text
            count += 1
    assert count >= 6


def test_python_prints_what_is_shown() -> None:
    text = "".join(block.text for block in blocks(PAGE) if block.language == "pycon")
    test = doctest.DocTestParser().get_doctest(text, {}, "fmt.md", "fmt.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
