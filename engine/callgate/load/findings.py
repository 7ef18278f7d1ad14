"""What jsonschema says about a file's data. Imported only where something is wrong: it is slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, ValidationError, validators
from referencing import Registry
from referencing.jsonschema import DRAFT7

from callgate.load.schemas import documents, part_checks, schema_of

__all__ = ["Finding", "find"]

_extend: Any = validators.extend


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a schema does not allow.

    `keyword` with `argument` is what was violated, in `schema`, by `value` at `path`. `on_key`: the
    value is a key of the mapping at `path`. `inner`: for `anyOf`, what each alternative (its
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
def _validator(kind: str) -> Any:
    resources = [(name, DRAFT7.create_resource(schema)) for name, schema in documents().items()]
    registry: Registry[Any] = Registry().with_resources(resources)
    keywords = {"items": _items, "additionalProperties": _entries}
    return _extend(Draft7Validator, keywords)(schema_of(kind), registry=registry)


# Lists and mappings may have thousands of entries. Those that are surely valid are skipped, so that
# one mistake among ten thousand rules is found in the time that one rule takes.


def _items(validator: Any, part: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        surely = part_checks()[id(part)]
        for index, item in enumerate(instance):
            if not surely(item):
                yield from validator.descend(item, part, path=index)


def _entries(validator: Any, part: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    extra = instance.keys() - schema.get("properties", {}).keys()
    if part is False and extra:
        yield ValidationError("unknown keys")
    if isinstance(part, dict):
        surely = part_checks()[id(part)]
        for key in sorted(extra):
            if not surely(instance[key]):
                yield from validator.descend(instance[key], part, path=key)
