"""Operators on rules and steps as a whole: left out, swapped, for other tools."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.load.nodes import Mapping, Scalar, Sequence
from callgate.policytest.mutation.outcomes import Made
from callgate.policytest.mutation.page import Page

__all__ = ["dropped", "exceptions", "narrowed", "step_parts", "swapped"]


def _name(node: object) -> str:
    if not isinstance(node, Mapping) or "id" not in node.entries:
        return ""
    value = node.entries["id"][1]
    return value.text if isinstance(value, Scalar) else ""


def dropped(page: Page, holder: Mapping, key: str, what: str) -> Iterator[tuple[str, Made]]:
    """Each rule or step (`what`) of a list left out, by its id. Where it is the only one of a
    step, the key goes too."""
    items = holder.entries[key][1]
    if not isinstance(items, Sequence):
        return
    for index, item in enumerate(items.items):
        alone = len(items.items) == 1 and what == "rule" and "id" in holder.entries
        edit = page.without_key(holder, key) if alone else page.without_item(items, index)
        yield _name(item), (f"{what}-dropped", f"the {what} left out", (edit,))


def swapped(page: Page, items: Sequence, what: str) -> Iterator[tuple[str, Made]]:
    """Each rule or step (`what`) of a list behind the one that follows it."""
    for first, second in zip(items.items, items.items[1:], strict=False):
        said = f"the {what} stands behind `{_name(second)}`"
        yield _name(first), (f"{what}s-swapped", said, page.swapped(first, second))


def narrowed(page: Page, rule: Mapping) -> Iterator[Made]:
    """A rule for all tools, and for each of its tools not."""
    found = rule.entries.get("tools")
    if found is None or not isinstance(found[1], Sequence):
        return
    yield "tools", "for all tools", (page.without_key(rule, "tools"),)
    items = found[1]
    for index, item in enumerate(items.items if len(items.items) > 1 else ()):
        said = f"not for `{page.source(item)}`"
        yield "tools", said, (page.without_item(items, index),)


def exceptions(page: Page, rule: Mapping) -> Iterator[Made]:
    """A rule without one of its exceptions, or with one that never ends, or that holds for every
    call."""
    found = rule.entries.get("exceptions")
    if found is None or not isinstance(found[1], Sequence):
        return
    for index, item in enumerate(found[1].items):
        name = _name(item)
        alone = len(found[1].items) == 1
        edit = page.without_key(rule, "exceptions") if alone else None
        edit = edit or page.without_item(found[1], index)
        yield "exception", f"the exception `{name}` left out", (edit,)
        if not isinstance(item, Mapping):
            continue
        for key, new, said in (
            ("until", '"9999-12-31"', "never ends"),
            ("when", '"true"', "holds for every call"),
        ):
            if key in item.entries:
                edit = page.word(item.entries[key][1], new)
                yield "exception", f"the exception `{name}` {said}", (edit,)


def step_parts(page: Page, step: Mapping) -> Iterator[Made]:
    """A step that is always taken, without its guards, its last word, or what asks become in it."""
    for key, said in (
        ("when", "the step is always taken"),
        ("guards", "the guards left out"),
        ("asks_become", "`asks_become` left out"),
        ("otherwise", "`otherwise` left out"),
        ("flow", "what is hidden may be called"),
    ):
        if key in step.entries:
            yield "step-part", said, (page.without_key(step, key),)
