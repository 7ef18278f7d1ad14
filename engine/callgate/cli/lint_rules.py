"""`callgate lint --rules`: the catalogue, with the levels that count here."""

from __future__ import annotations

from typing import Any

from callgate.cli import exits
from callgate.cli.paint import Line, Painter, pad
from callgate.cli.project import the_project
from callgate.lint.catalogue import all_rules
from callgate.lint.config import lint_config
from callgate.lint.rule import Rule
from callgate.model.diagnostic import Diagnostics

__all__ = ["list_rules"]

_HEADS = ("CODE", "NAME", "LEVEL", "TITLE")


def list_rules(format_: str) -> int:
    """Write the rules as a table, or with any other format than `pretty` as JSON."""
    config = lint_config(the_project(), Diagnostics())
    rows = [(rule, config.level(rule)) for rule in all_rules()]
    if format_ != "pretty":
        from callgate.cli.writers import write_json

        write_json([_told(rule, level.value if level else "off") for rule, level in rows])
        return exits.OK
    texts = [(r.code, r.name, level.value if level else "off", r.title) for r, level in rows]
    widths = [max(map(len, column)) for column in zip(_HEADS, *texts, strict=True)]
    lines: list[Line] = [[(_row(_HEADS, widths), "dim")]]
    for text in texts:
        code, name, level, title = (pad(t, w) + "  " for t, w in zip(text, widths, strict=True))
        lines.append([(code, "strong"), (name, "name"), (level, text[2]), (title, "")])
    Painter().write(lines)
    return exits.OK


def _row(texts: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(pad(text, width) for text, width in zip(texts, widths, strict=True))


def _told(rule: Rule, level: str) -> dict[str, Any]:
    return {"code": rule.code, "name": rule.name, "level": level, "title": rule.title}
