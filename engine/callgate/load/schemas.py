"""The JSON Schemas of `grammar/`: one for every kind of rule file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from callgate.load.verdict import Check, compile_check
from callgate.resources import grammar_bytes, grammar_names

if TYPE_CHECKING:
    from jsonschema import Draft7Validator, ValidationError

__all__ = ["Finding", "find", "kinds", "resolve", "schema_of", "surely_valid"]

_ENDING: Final = ".schema.json"
_SHARED: Final = "common"


@cache
def _documents() -> Mapping[str, Mapping[str, Any]]:
    names = [name for name in grammar_names() if name.endswith(_ENDING)]
    return {name: json.loads(grammar_bytes(name)) for name in names}


@cache
def kinds() -> tuple[str, ...]:
    """The kinds of rule file, sorted: what may stand behind `kind:`."""
    names = (name.removesuffix(_ENDING) for name in _documents())
    return tuple(sorted(name for name in names if name != _SHARED))


def schema_of(kind: str) -> Mapping[str, Any]:
    """The schema of a kind. Raises KeyError for an unknown kind."""
    return _documents()[kind + _ENDING]


def resolve(schema: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """What a schema means that is a `$ref`, in the schema of `kind`; any other is itself."""
    while "$ref" in schema:
        name, _, pointer = schema["$ref"].partition("#")
        target: Any = _documents()[name or kind + _ENDING]
        for step in pointer.split("/")[1:]:
            target = target[step]
        schema = target
    return schema


@cache
def surely_valid(kind: str) -> Check:
    """The fast check of a kind: True when a file's data surely satisfies its schema."""
    return compile_check(_documents(), kind + _ENDING)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a schema does not allow.

    `keyword` with `argument` is what was violated, in `schema`, by `value` at `path`. `on_key`: the
    value is the last key of a mapping at `path`. `inner`: for `anyOf`, what each alternative (its
    number) finds wrong.
    """

    keyword: str
    argument: Any
    schema: Mapping[str, Any]
    value: Any
    path: tuple[str | int, ...]
    on_key: bool = False
    inner: tuple[tuple[int, Finding], ...] = ()


def find(kind: str, data: Any) -> list[Finding]:
    """Everything in a file's data that the schema of its kind does not allow."""
    return [_finding(error) for error in _validator(kind).iter_errors(data)]


def _finding(error: ValidationError) -> Finding:
    schema = error.schema
    return Finding(
        keyword=str(error.validator),
        argument=error.validator_value,
        schema=schema if isinstance(schema, Mapping) else {},
        value=error.instance,
        path=tuple(error.absolute_path),
        on_key="propertyNames" in list(error.relative_schema_path)[-2:],
        inner=tuple(
            (int(inner.relative_schema_path[0]), _finding(inner)) for inner in error.context or ()
        ),
    )


@cache
def _validator(kind: str) -> Draft7Validator:
    from jsonschema import Draft7Validator
    from referencing import Registry
    from referencing.jsonschema import DRAFT7

    resources = [(name, DRAFT7.create_resource(schema)) for name, schema in _documents().items()]
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft7Validator(schema_of(kind), registry=registry)
