"""The canonical text of conditions and reasons."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from callgate.formatting.shapes import Role
from callgate.lang import (
    ParsedCondition,
    Positions,
    parse_condition,
    parse_each,
    parse_template,
    print_syntax,
)
from callgate.model.syntax import Binary, NotTest, Otherwise, PatternLiteral, Syntax, Word

__all__ = ["canonical", "meaning"]


@lru_cache(maxsize=8192)
def canonical(text: str, role: Role) -> str:
    """The text as the language's printer writes it, but for two things. `(a ?? b) == c` and
    `not (a in b)` have parentheses: few know which of the two binds more tightly. A command pattern
    keeps the order of its words: `python3 -m=venv DIR` is read as it is typed. A text of no
    language is as it was.

    Raises ConditionError, offsets in `text`.
    """
    if role is Role.CONDITION:
        return _printed(parse_condition(text), text)
    if role is Role.EACH:
        binder, kind, _ = parse_each(text)
        return f"{binder} in effects.{kind}"
    if role is Role.REASON and ("{" in text or "}" in text):
        return "".join(_part(part, text) for part in parse_template(text))
    return text


def meaning(text: str, role: Role) -> object:
    """What two texts must share to mean the same. Raises ConditionError."""
    if role is Role.CONDITION:
        return parse_condition(text).tree
    if role is Role.EACH:
        return parse_each(text)[:2]
    if role is Role.REASON:
        parts = parse_template(text)
        return [part.tree if isinstance(part, ParsedCondition) else part for part in parts]
    return text


def _part(part: str | ParsedCondition, text: str) -> str:
    if isinstance(part, ParsedCondition):
        return f"{{{_printed(part, text)}}}"
    return part.replace("{", "{{").replace("}", "}}")


def _printed(parsed: ParsedCondition, text: str) -> str:
    if " ?? " in text or "`" in text or "not" in text:
        return print_syntax(_as_written(parsed.tree, parsed.positions, text))
    return print_syntax(parsed.tree)


def _as_written(node: Any, places: Positions, text: str) -> Any:
    """The tree with patterns, each `a ?? b` that is compared and each comparison behind `not` as
    words of their own."""
    if isinstance(node, tuple):
        return tuple(_as_written(item, places, text) for item in node)
    if not isinstance(node, Syntax):
        return node
    if isinstance(node, PatternLiteral):
        start, end = places[node.at]
        written = text[start:end]
        # After a backslash a space is a part of a word.
        return node if "\\" in written else Word(" ".join(written.split()))
    names = [name for name in node.__dataclass_fields__ if name != "at"]
    parts = {name: _as_written(getattr(node, name), places, text) for name in names}
    if isinstance(node, Binary):
        for name, part in parts.items():
            if isinstance(part, Otherwise):
                parts[name] = Word(f"({print_syntax(part)})")
    if isinstance(node, NotTest) and isinstance(parts["item"], Binary):
        parts["item"] = Word(f"({print_syntax(parts['item'])})")
    return replace(node, **parts)
