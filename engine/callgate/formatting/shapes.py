"""What the schemas say of a place in a rule file: the order of its keys, and what its texts are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Final

from callgate.load.schemas import resolve, schema_of

__all__ = ["FREE", "Role", "Shape", "shape_of"]


class Role(StrEnum):
    """What a text is: anything, prose for people, prose with slots, or one of the language."""

    PLAIN = ""
    TEXT = "text"
    REASON = "reason"
    CONDITION = "condition"
    EACH = "each"


_ROLES: Final = {
    "condition": Role.CONDITION,
    "expression": Role.CONDITION,
    "reason": Role.REASON,
    "text": Role.TEXT,
}


@dataclass(slots=True, eq=False)
class Shape:
    """A place: the rank of each key where the schema names them all (else None), the shapes of its
    values and items, and what a text there is."""

    ranks: dict[str, int] | None = None
    keys: dict[str, Shape] = field(default_factory=dict)
    rest: Shape | None = None
    items: Shape | None = None
    role: Role = Role.PLAIN

    def of(self, key: str) -> Shape:
        """The shape of the value of a key."""
        return self.keys.get(key) or self.rest or FREE

    @property
    def item(self) -> Shape:
        """The shape of a list's items."""
        return self.items or FREE


FREE: Final = Shape()
"""A place of which no schema says anything."""


@cache
def shape_of(kind: str) -> Shape:
    """The shape of files of a kind. Raises KeyError for an unknown kind."""
    return _Reader(kind).shape(schema_of(kind))


class _Reader:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.known: dict[int, Shape] = {}

    def shape(self, schema: Mapping[str, Any], key: str = "") -> Shape:
        meant = resolve(schema, self.kind)
        role = self.role(schema, key)
        if id(meant) in self.known and not role:
            return self.known[id(meant)]
        shape = Shape(role=role)
        if not role:
            self.known[id(meant)] = shape
        for part in _parts(meant, self.kind):
            self.add(shape, part)
        return shape

    def role(self, schema: Mapping[str, Any], key: str) -> Role:
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        if name in _ROLES:
            return _ROLES[name]
        if key == "each" and schema.get("type") == "string":
            return Role.EACH
        return Role.TEXT if key == "description" and schema.get("type") == "string" else Role.PLAIN

    def add(self, shape: Shape, schema: Mapping[str, Any]) -> None:
        properties = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        for name, value in properties.items():
            shape.keys.setdefault(name, self.shape(value, name))
        if properties and rest is False:
            shape.ranks = shape.ranks or {}
            for name in properties:
                shape.ranks.setdefault(name, len(shape.ranks))
        if rest and isinstance(rest, Mapping):
            shape.rest = shape.rest or self.shape(rest)
        if isinstance(schema.get("items"), Mapping):
            shape.items = shape.items or self.shape(schema["items"])
        if not shape.role:
            shape.role = next((self.role(part, "") for part in schema.get("anyOf", ())), Role.PLAIN)


def _parts(schema: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    """A schema, and those of which a value must satisfy one."""
    yield schema
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            yield from _parts(resolve(part, kind), kind)
