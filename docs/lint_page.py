"""Fill docs/lint.md: the table of rules, and what its commands print.

`python docs/lint_page.py` (or `make docs`) does so; tests/docs/test_lint_page.py checks that it is
up to date.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from console import refreshed
from language_tables import filled

from callgate.lint.catalogue import all_rules

__all__ = ["PAGE", "TABLES", "main", "rule_table"]

PAGE: Final = Path(__file__).parent / "lint.md"


def rule_table() -> str:
    """All rules: a Markdown table that ends in a line break."""
    lines = ["| code | name | level | what |", "|---|---|---|---|"]
    for rule in all_rules():
        level = rule.severity.value if rule.severity else "off"
        lines.append(
            f"| [{rule.code}](rules/{rule.code}.md) | `{rule.name}` | {level} | {rule.title} |"
        )
    return "\n".join(lines) + "\n"


TABLES: Final = {"rules": rule_table}


def main() -> None:
    """Write the page."""
    PAGE.write_text(refreshed(PAGE), encoding="utf-8")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), TABLES), encoding="utf-8")


if __name__ == "__main__":
    main()
