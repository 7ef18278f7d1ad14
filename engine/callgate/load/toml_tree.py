"""A table of a TOML file as a tree, with places as well as they can be found.

`tomllib` keeps no positions. So each key is looked for in the text, behind the one around it; where
it is not found, its place is that of what it stands in.
"""

from __future__ import annotations

import re
from typing import Any

from callgate.load.nodes import Mapping, Node, Scalar, Sequence

__all__ = ["toml_tree"]


def toml_tree(text: str, data: dict[str, Any], table: str) -> Mapping:
    """The tree of `data`, which is what stands under `[table]` and `[table.…]` in `text`."""
    parts = r"\s*\.\s*".join(map(re.escape, table.split(".")))
    header = re.search(rf"^[ \t]*\[\[?\s*{parts}\b[^\n]*", text, re.MULTILINE)
    start, end = header.span() if header else (0, 0)
    return _mapping(text, data, (start, end))


def _mapping(text: str, data: dict[str, Any], near: tuple[int, int]) -> Mapping:
    result = Mapping(*near)
    for key, value in data.items():
        place = _find(text, rf"(?<![\w-])([\"']?){re.escape(key)}\1(?=\s*(?:=|\.|\]))", near)
        name = Scalar(key, '"', *place)
        result.entries[key] = (name, _node(text, value, place))
    return result


def _node(text: str, value: Any, near: tuple[int, int]) -> Node:
    if isinstance(value, dict):
        return _mapping(text, value, near)
    if isinstance(value, list):
        items: list[Node] = []
        place = near
        for item in value:
            node = _node(text, item, place)
            items.append(node)
            last = _last(node)
            place = (last, last) if last > place[1] else place
        return Sequence(*near, items)
    if isinstance(value, str):
        place = _find(text, rf"[\"']{re.escape(value)}[\"']", near)
        return Scalar(value, '"', *place)
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    return Scalar(plain, "", *_find(text, rf"(?<![\w.-]){re.escape(plain)}(?![\w.-])", near))


def _last(node: Node) -> int:
    """Where the last thing in a node that was found ends."""
    if isinstance(node, Mapping):
        return max([node.end, *(_last(value) for _, value in node.entries.values())])
    if isinstance(node, Sequence):
        return max([node.end, *map(_last, node.items)])
    return node.end


def _find(text: str, pattern: str, near: tuple[int, int]) -> tuple[int, int]:
    found = re.compile(pattern).search(text, near[0])
    return found.span() if found else near
