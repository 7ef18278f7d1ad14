"""Fill in what docs/settings.md shows and does not say by itself.

`python docs/settings_page.py` rewrites the tables between `<!-- NAME -->` and `<!-- /NAME -->`, and
behind each `settings` block the `text` block with what `callgate lint --settings` finds in it;
tests/docs/test_settings_page.py checks that both are up to date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from language_tables import filled as with_tables

from callgate.compiler.settings_checks import SettingsFindings, settings_of
from callgate.engine import Engine
from callgate.load.report import PrivateLines, format_diagnostic
from callgate.load.settings_file import parse_settings
from callgate.model.diagnostic import Diagnostics
from callgate.model.policy import Policy
from callgate.model.types import REQUIRED

__all__ = ["PAGE", "examples", "filled", "findings", "main"]

PAGE: Final = Path(__file__).parent / "settings.md"
FILE: Final = "config.yaml"

_EXAMPLE: Final = re.compile(r"(```settings\n(.*?)```\n\n```text\n)(.*?)(```\n)", re.DOTALL)


@cache
def _policy() -> Policy:
    return Engine.load("echo", {}).policy


def findings(text: str) -> str:
    """What is found in a settings file, as `callgate lint` shows it; without blank lines."""
    diagnostics = Diagnostics()
    document = parse_settings(FILE, text.encode(), diagnostics)
    if document is not None:
        settings = settings_of(_policy(), document.data, diagnostics, document)
        found = SettingsFindings(_policy()).of(settings, document.data, document)
        diagnostics.items.extend(found)
    lines = PrivateLines(text.split("\n"))
    shown = [format_diagnostic(item, lambda _: lines) for item in diagnostics.sorted()]
    return "".join(f"{item}\n" for item in shown) or "no findings\n"


def examples(text: str) -> Iterator[tuple[str, str]]:
    """The settings files of the page, each with the findings shown."""
    for match in _EXAMPLE.finditer(text):
        yield match[2], match[3]


def settings_table() -> str:
    """Every setting: a Markdown table that ends in a line break."""
    lines = ["| setting | type | default | meaning |", "|---|---|---|---|"]
    for setting in _policy().vocabulary.settings.values():
        field = setting.field
        default = "" if field.default is REQUIRED or field.secret else _yaml(field.default)
        secret = "; secret" if field.secret else ""
        lines.append(f"| `{setting.name}` | {field.type}{secret} | {default} | {field.doc} |")
    return "\n".join(lines) + "\n"


def checks_table() -> str:
    """Every settings check: a Markdown table that ends in a line break."""
    lines = ["| code | severity | points to | finds |", "|---|---|---|---|"]
    for check in _policy().settings_checks:
        lines.append(f"| `{check.id}` | {check.severity} | `{check.at}` | {check.title} |")
    return "\n".join(lines) + "\n"


def _yaml(value: object) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, list | tuple):
        return f"`[{', '.join(map(str, value))}]`"
    if isinstance(value, Mapping):
        return "`{}`"
    return f"`{value}`" if value != "" else '`""`'


_TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "settings": settings_table,
    "checks": checks_table,
}


def filled(text: str) -> str:
    """The page made anew. Raises ValueError when a table has no place in it."""
    text = with_tables(text, _TABLES)
    return _EXAMPLE.sub(lambda m: f"{m[1]}{findings(m[2])}{m[4]}", text)


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
