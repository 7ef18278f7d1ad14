"""Conditions that YAML cut off without an error, because ` #` or a comma ended the text (P002)."""

from __future__ import annotations

import re
from typing import Final

from callgate.load.nodes import Mapping, Node, Scalar
from callgate.load.source import Source
from callgate.load.yaml_errors import CONDITION_KEYS, in_quotes
from callgate.model.diagnostic import Diagnostics

__all__ = ["drop_cut_conditions"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[()\[\]"`]')
_COMMENT: Final = re.compile(r"[ \t]+#")
_PLAIN_KEY: Final = re.compile(r"[\w-]+")


def drop_cut_conditions(root: Node, source: Source, diagnostics: Diagnostics) -> bool:
    """Report and remove the conditions that end in the middle of a text or bracket because YAML
    took what follows for a comment or for the next key. True when there were any."""
    return _walk(root, source, diagnostics, inside_define=False)


def _walk(node: Node, source: Source, diagnostics: Diagnostics, inside_define: bool) -> bool:
    if isinstance(node, Scalar):
        return False
    dropped = False
    if isinstance(node, Mapping):
        for name, (_, value) in list(node.entries.items()):
            if not isinstance(value, Scalar):
                dropped |= _walk(value, source, diagnostics, name == "define")
            elif not value.style and (inside_define or name in CONDITION_KEYS):
                if _cut(value, source, diagnostics):
                    _drop(node, name)
                    dropped = True
        return dropped
    for item in node.items:
        dropped |= _walk(item, source, diagnostics, inside_define=False)
    return dropped


def _cut(scalar: Scalar, source: Source, diagnostics: Diagnostics) -> bool:
    text, end = source.text, scalar.end
    after = text[end : end + 1]
    comment = _COMMENT.match(text, end) if after in (" ", "\t") else None
    if not (comment or after == ",") or not _unfinished(scalar.text):
        return False
    at = comment.end() - 1 if comment else end
    sign = " #" if comment else ","
    _, line_end = source.line_range(scalar.start)
    help = "put the whole text in quotes"
    if comment and end <= line_end:
        help = in_quotes(text[scalar.start : line_end].rstrip())
    diagnostics.error(
        "P002", f"YAML ends a text without quotes at `{sign}`", source.span(at, at + 1), help
    )
    return True


def _unfinished(condition: str) -> bool:
    """Whether a condition ends inside a text, a command pattern or a bracket."""
    depth = 0
    for token in _TOKEN.findall(condition):
        if token in ('"', "`"):
            return True
        depth += (token in ("(", "[")) - (token in (")", "]"))
    return depth > 0


def _drop(node: Mapping, name: str) -> None:
    """Remove a condition, and the keys that its remainder turned into."""
    node.lost = True
    del node.entries[name]
    for key, (_, value) in list(node.entries.items()):
        if isinstance(value, Scalar) and not value.text and not _PLAIN_KEY.fullmatch(key):
            del node.entries[key]
