"""Operators on tables: the risk map, profiles, security profiles, lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from callgate.load.nodes import Mapping, Node, Scalar, Sequence
from callgate.policytest.mutation.literals import parent_of
from callgate.policytest.mutation.outcomes import Made
from callgate.policytest.mutation.page import Edit, Page, spread

__all__ = ["lists", "profiles", "risks", "security_profiles"]


def risks(page: Page, root: Mapping, levels: tuple[str, ...]) -> Iterator[tuple[str, Made]]:
    """A tool one level of risk lower; a rule that gives another level."""
    below = dict(zip(levels[1:], levels, strict=False))
    tools = _at(root, "tools")
    if isinstance(tools, Mapping):
        for level, (_, items) in tools.entries.items():
            lower = below.get(level, "")
            for index, item in enumerate(items.items if isinstance(items, Sequence) else ()):
                tool = page.source(item)
                if lower and isinstance(items, Sequence):
                    edits = (page.without_item(items, index), _into(page, tools, lower, tool))
                    yield "", ("risk", f"`{tool}` is {lower}, not {level}", edits)
    for key, target in (("declared", "level"), ("raise", "to")):
        rules = _at(root, key)
        for rule in rules.items if isinstance(rules, Sequence) else ():
            value = _at(rule, target)
            level = value.text if isinstance(value, Scalar) else ""
            for other in (below.get(level), _above(levels, level)):
                if other and value is not None:
                    said = f"`{target}: {level}` is `{other}`"
                    yield _text(_at(rule, "id")), ("risk", said, (page.word(value, other),))
    default = _at(root, "default")
    if isinstance(default, Scalar) and (lower := below.get(default.text, "")):
        said = f"`default: {default.text}` is `{lower}`"
        yield "", ("risk", said, (page.word(default, lower),))


def _into(page: Page, tools: Mapping, level: str, tool: str) -> Edit:
    found = tools.entries.get(level)
    if found is not None and isinstance(found[1], Sequence) and found[1].items:
        return page.with_item(found[1], tool)
    return page.with_key(tools, next(iter(reversed(tools.entries))), f"{level}: [{tool}]")


def _above(levels: tuple[str, ...], level: str) -> str:
    """The level above; "" for none."""
    index = levels.index(level) + 1 if level in levels else len(levels)
    return levels[index] if index < len(levels) else ""


def profiles(
    page: Page, root: Mapping, known: dict[str, tuple[str, ...]], tools: tuple[str, ...]
) -> Iterator[tuple[str, Made]]:
    """A profile with a tool more, and without each of its own."""
    for name, items in _lists_of(root, ("tools",)):
        have = known.get(name, ())
        if "*" not in have:
            for tool in [tool for tool in tools if tool not in have][:1]:
                yield name, ("profile", f"`{tool}` added", (page.with_item(items, tool),))
        for index, item in enumerate(items.items):
            edits = (page.without_item(items, index),)
            yield name, ("profile", f"`{page.source(item)}` left out", edits)


def security_profiles(page: Page, root: Mapping) -> Iterator[tuple[str, Made]]:
    """A security profile without one of what it denies or keeps."""
    for name, items in _lists_of(root, ("deny_tools", "deny_capabilities", "keep")):
        for index, item in enumerate(items.items):
            edits = (page.without_item(items, index),)
            yield name, ("profile", f"`{page.source(item)}` left out", edits)


def _lists_of(root: Mapping, keys: tuple[str, ...]) -> Iterator[tuple[str, Sequence]]:
    found = _at(root, "profiles")
    for name, (_, profile) in found.entries.items() if isinstance(found, Mapping) else ():
        for key in keys:
            items = _at(profile, key)
            if isinstance(items, Sequence) and items.items:
                yield name, items


def lists(page: Page, root: Mapping) -> Iterator[tuple[str, Made]]:
    """A list of the vocabulary without one of its members, or with the folder that one is in."""
    found = _at(root, "lists")
    for name, (_, entry) in found.entries.items() if isinstance(found, Mapping) else ():
        for key in ("items", "add"):
            items = _at(entry, key)
            if not isinstance(items, Sequence):
                continue
            words: list[Any] = [_text(item) for item in items.items]
            for index in spread(len(items.items)):
                item, edits = items.items[index], (page.without_item(items, index),)
                yield name, ("list", f"`{words[index]}` left out of `{name}`", edits)
                above = parent_of(words[index])
                if _text(_at(entry, "type")) == "path" and above and above not in words:
                    said = f"`{words[index]}` of `{name}` is `{above}`"
                    yield name, ("path-widened", said, (page.word(item, above),))


def _at(node: Node | None, key: str) -> Node | None:
    found = node.entries.get(key) if isinstance(node, Mapping) else None
    return None if found is None else found[1]


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""
