"""The JSON Schemas of `grammar/`: one for every kind of rule file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from callgate.load.verdict import Check, compile_check, compile_parts
from callgate.resources import grammar_bytes, grammar_names

__all__ = ["documents", "kinds", "part_checks", "resolve", "schema_of", "surely_valid"]

_ENDING: Final = ".schema.json"
_NO_KINDS: Final = frozenset({"common", "config"})
"""What several schemas share; the configuration of the authors' tools."""


@cache
def documents() -> Mapping[str, Mapping[str, Any]]:
    """All schemas by the name of their file."""
    names = [name for name in grammar_names() if name.endswith(_ENDING)]
    return {name: json.loads(grammar_bytes(name)) for name in names}


@cache
def kinds() -> tuple[str, ...]:
    """The kinds of rule file, sorted: what may stand behind `kind:`."""
    names = (name.removesuffix(_ENDING) for name in documents())
    return tuple(sorted(name for name in names if name not in _NO_KINDS))


def schema_of(kind: str) -> Mapping[str, Any]:
    """The schema of a kind. Raises KeyError for an unknown kind."""
    return documents()[kind + _ENDING]


def resolve(schema: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """What a schema means that is a `$ref`, in the schema of `kind`; any other is itself."""
    while "$ref" in schema:
        name, _, pointer = schema["$ref"].partition("#")
        target: Any = documents()[name or kind + _ENDING]
        for step in pointer.split("/")[1:]:
            target = target[step]
        schema = target
    return schema


@cache
def surely_valid(kind: str) -> Check:
    """The fast check of a kind: True when a file's data surely satisfies its schema."""
    return compile_check(documents(), kind + _ENDING)


@cache
def part_checks() -> Mapping[int, Check]:
    """The fast checks of all schemas that stand for the items of a list or the values of a
    mapping, by `id()` of the schema."""
    return compile_parts(documents(), ("items", "additionalProperties"))
