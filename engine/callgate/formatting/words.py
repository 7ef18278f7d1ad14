"""The canonical text of conditions and reasons."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from callgate.formatting.shapes import Role
from callgate.lang import (
    ConditionError,
    ParsedCondition,
    Positions,
    parse_condition,
    parse_each,
    parse_pattern,
    parse_template,
    print_syntax,
)
from callgate.model.syntax import Binary, BoolOp, NotTest, Otherwise, PatternLiteral, Syntax, Word

__all__ = ["canonical", "meaning"]

_SIGNS: Final = (" ?? ", "`", "not", "or")
_SPACES: Final = (
    (re.compile(r" ?\| ?"), "|"),
    (re.compile(r"([(\[`]) "), r"\1"),
    (re.compile(r" ([)\]`])"), r"\1"),
    (re.compile(r"\(([^()|\[\] ]+)\)"), r"\1"),
)


@lru_cache(maxsize=8192)
def canonical(text: str, role: Role) -> str:
    """The text as the language's printer writes it, but for three things. `(a ?? b) == c` and
    `not (a in b)` have parentheses: few know which of the two binds more tightly. Those around an
    `and` in an `or` stay where they were written. A command pattern keeps the order of its words:
    `python3 -m=venv DIR` is read as it is typed. A text of no language is as it was.

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
    if any(sign in text for sign in _SIGNS):
        return print_syntax(_as_written(parsed.tree, parsed.positions, text))
    return print_syntax(parsed.tree)


def _as_written(node: Any, places: Positions, text: str) -> Any:
    """The tree with words in place of patterns and of what has parentheses that the printer would
    leave out."""
    if isinstance(node, tuple):
        return tuple(_as_written(item, places, text) for item in node)
    if not isinstance(node, Syntax):
        return node
    if isinstance(node, PatternLiteral):
        return _pattern(node, text[slice(*places[node.at])])
    names = [name for name in node.__dataclass_fields__ if name != "at"]
    parts = {name: _as_written(getattr(node, name), places, text) for name in names}
    if isinstance(node, Binary):
        for name, part in parts.items():
            if isinstance(part, Otherwise):
                parts[name] = Word(f"({print_syntax(part)})")
    if isinstance(node, BoolOp) and node.op == "or":
        parts["items"] = tuple(
            Word(f"({print_syntax(part)})") if _in_parentheses(item, places, text) else part
            for item, part in zip(node.items, parts["items"], strict=True)
        )
    if isinstance(node, NotTest) and isinstance(parts["item"], Binary):
        parts["item"] = Word(f"({print_syntax(parts['item'])})")
    return replace(node, **parts)


def _in_parentheses(node: Syntax, places: Positions, text: str) -> bool:
    """Whether an item of an `or` is an `and` that was written in parentheses."""
    if not isinstance(node, BoolOp):
        return False
    start, end = places[node.at]
    return text[:start].rstrip()[-1:] == "(" and text[end:].lstrip()[:1] == ")"


def _pattern(node: PatternLiteral, written: str) -> Syntax:
    """A pattern with its words in their order, or as it is where that is not certain: after a
    backslash a space is a part of a word."""
    if "\\" in written:
        return node
    tidy = " ".join(written.split())
    for spaces, sign in _SPACES:
        tidy = spaces.sub(sign, tidy)
    try:
        same = parse_pattern(tidy[1:-1]) == node.pattern
    except ConditionError:
        same = False
    return Word(tidy if same else " ".join(written.split()))
