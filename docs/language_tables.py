"""Fill the tables of docs/language.md that are made from declarations.

`python docs/language_tables.py` rewrites what stands between `<!-- NAME -->` and `<!-- /NAME -->`;
tests/lang/test_language_page.py checks that it is up to date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from callgate.model.call import CONTEXT_FIELDS
from callgate.model.effect import EFFECT_SOURCES
from callgate.model.types import Field, Optional
from callgate.stdlib.document import function_table, operator_table

__all__ = ["PAGE", "effect_table", "filled", "main"]

PAGE: Final = Path(__file__).parent / "language.md"
_IN_EVERY_KIND: Final = frozenset({"certain", "through"})


def effect_table() -> str:
    """The kinds of effects with their fields: a Markdown table that ends in a line break."""
    lines = ["| kind | field | type | meaning |", "|---|---|---|---|"]
    for kind, record in EFFECT_SOURCES.items():
        shown = f"`{kind}`"
        for name, field in record.fields.items():
            if name in _IN_EVERY_KIND:
                continue
            unknown = "; may be unknown" if field.unknown else ""
            members = getattr(field.type, "members", ())
            type_ = ", ".join(f"`{member}`" for member in members) or f"{field.type}"
            lines.append(f"| {shown} | `{name}` | {type_} | {field.doc}{unknown} |")
            shown = ""
    return "\n".join(lines) + "\n"


def context_table() -> str:
    """The fields of a call's context: a Markdown table that ends in a line break."""
    lines = ["| name | type | default | meaning |", "|---|---|---|---|"]
    for name, field in CONTEXT_FIELDS.items():
        default = _default(field)
        meaning = field.doc.replace("|", "&#124;")
        lines.append(f"| `call.{name}` | {field.type} | {default} | {meaning} |")
    return "\n".join(lines) + "\n"


def _default(field: Field) -> str:
    if field.default is None:
        return "absent" if isinstance(field.type, Optional) else "`{}`"
    return "`[]`" if field.default == () else f"`{json.dumps(field.default)}`"


_TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "context": context_table,
    "effects": effect_table,
    "functions": function_table,
    "operators": operator_table,
}


def filled(text: str, tables: Mapping[str, Callable[[], str]] = _TABLES) -> str:
    """A page with its tables made anew. Raises ValueError when one has no place in it."""
    for name, table in tables.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        content = table()
        text, count = place.subn(lambda m, content=content: f"{m[1]}\n{content}\n{m[2]}", text)
        if count != 1:
            raise ValueError(f"the page has {count} places for the table of {name}")
    return text


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
