"""Short texts for pieces of a graph: expressions and reasons in their JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["counted", "expr_text", "template_text"]


def counted(count: int, noun: str) -> str:
    """How many there are: `1 rule`, `2 rules`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def expr_text(form: Any) -> str:
    """An expression as people write it, where it is a plain name or field; else `…`."""
    match form:
        case ["fact" | "var", str(name)]:
            return name
        case ["get", base, str(field)]:
            return f"{expr_text(base)}.{field}"
        case ["const", value]:
            return str(value)
    return "…"


def template_text(template: Sequence[Any] | None) -> str:
    """A reason with its placeholders: `recursive deletion of {d.path}`; "" when there is none. What
    the settings have filled in is text."""
    return "".join(map(_part_text, template or ()))


def _part_text(part: Any) -> str:
    match part:
        case str(text) | ["const", str(text)]:
            return text
        case ["const", int(number)]:
            return str(number)
    return "{" + expr_text(part) + "}"
