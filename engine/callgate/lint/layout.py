"""Where in rule files conditions, reasons and rules stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from callgate.load.document import Document

__all__ = ["CONDITIONS", "REASONS", "RULES", "Path", "standing"]

Path = tuple[str | int, ...]
"""Keys and list indexes from a document's root."""

CONDITIONS: Final = {
    "guards": ("define.*", "rules.*.when", "rules.*.exceptions.*.when"),
    "flow": (
        "define.*",
        "steps.*.when",
        "steps.*.asks_become.deny",
        "steps.*.show",
        "steps.*.rules.*.when",
        "steps.*.rules.*.exceptions.*.when",
    ),
    "invariants": ("rules.*.when",),
    "vocabulary": ("facts.*.is",),
    "risk-map": ("declared.*.when", "raise.*.when"),
    "tools": ("dynamic.*.when", "dynamic.*.effects.*.when", "tools.*.effects.*.when"),
    "settings-checks": ("rules.*.when", "rules.*.each", "rules.*.select"),
    "gate": (
        "wait_seconds",
        "approvers",
        "signed_answers",
        "grants.lasting",
        "grants.days",
        "reviewer.*",
    ),
}
"""Kind of file → where its conditions and expressions stand; `*` is every key or element."""

REASONS: Final = {
    "guards": ("rules.*.reason",),
    "flow": (
        "otherwise.reason",
        "steps.*.otherwise.reason",
        "steps.*.answers.*.reason",
        "steps.*.rules.*.reason",
        "steps.*.rules.*.answers.*.reason",
    ),
    "settings-checks": ("rules.*.message", "rules.*.help"),
}
"""Kind of file → where its texts with slots stand."""

RULES: Final = {
    "guards": ("rules.*",),
    "flow": ("steps.*.rules.*",),
    "invariants": ("rules.*",),
    "settings-checks": ("rules.*",),
}
"""Kind of file → where its rules stand."""


@cache
def _steps(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split("."))


def _found(data: Any, steps: tuple[str, ...], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """What stands at a path with `*`, with the path to each."""
    if not steps:
        yield path, data
        return
    step, rest = steps[0], steps[1:]
    if step != "*":
        if isinstance(data, dict) and step in data:
            yield from _found(data[step], rest, (*path, step))
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _found(value, rest, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _found(value, rest, (*path, index))


def standing(
    documents: Iterable[Document], table: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[Document, Path, Any]]:
    """What stands at the places of a table: the file, the path, the value."""
    for document in documents:
        for pattern in table.get(document.kind, ()):
            for path, value in _found(document.data, _steps(pattern)):
                yield document, path, value
