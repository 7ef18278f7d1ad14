"""What a JSON Schema asks for, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from callgate.load.schemas import resolve

__all__ = ["accepts", "choices", "description", "example", "expected"]

_ONE: Final = {
    "string": "a string",
    "boolean": "`true` or `false`",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "null": "nothing",
}
_MANY: Final = {
    "string": "strings",
    "integer": "whole numbers",
    "object": "mappings",
    "array": "lists",
}
_MAX_EXAMPLE: Final = 80


def _types(schema: Mapping[str, Any]) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def expected(schema: Mapping[str, Any], kind: str) -> str:
    """What a value must be: `a list of strings`, `a condition`, `` `none` or a list ``."""
    phrases = list(dict.fromkeys(_phrases(resolve(schema, kind), kind)))
    return " or ".join(filter(None, [", ".join(phrases[:-1]), phrases[-1]]))


def _phrases(schema: Mapping[str, Any], kind: str) -> list[str]:
    if "anyOf" in schema:
        parts = [resolve(part, kind) for part in schema["anyOf"]]
        return [phrase for part in parts for phrase in _phrases(part, kind)]
    if (options := choices(schema)) is not None:
        return [f"`{option}`" for option in options]
    types = _types(schema)
    if len(types) > 1:
        title = schema.get("title", "scalar")
        return [f"{'an' if title[0] in 'aeiou' else 'a'} {title}"]
    if types == ["array"]:
        items = _types(resolve(schema.get("items", {}), kind))
        return [f"a list of {_MANY.get(items[0], 'values')}" if items else "a list"]
    return [_ONE[types[0]] if types else "a value"]


def choices(schema: Mapping[str, Any]) -> list[str] | None:
    """The words that a schema allows; None when it is not about words."""
    if "const" in schema:
        return [str(schema["const"])]
    if "enum" in schema:
        return ["null" if option is None else str(option) for option in schema["enum"]]
    return None


def accepts(schema: Mapping[str, Any], value: Any, kind: str) -> bool:
    """Whether a value is at least of the type that a schema asks for."""
    schema = resolve(schema, kind)
    if "anyOf" in schema:
        return any(accepts(part, value, kind) for part in schema["anyOf"])
    if choices(schema) is not None:
        return isinstance(value, str)
    names = {str: "string", bool: "boolean", dict: "object", list: "array", type(None): "null"}
    name = names.get(type(value), "number")
    types = _types(schema)
    return not types or name in types or (name == "number" and "integer" in types)


def example(schema: Mapping[str, Any]) -> str:
    """A short example of a value as YAML, or an empty text."""
    for value in schema.get("examples", ()):
        text = value if isinstance(value, str) else _flow_style(value)
        if len(text) <= _MAX_EXAMPLE and "`" not in text:
            return text
    return ""


def description(schema: Mapping[str, Any]) -> str:
    """A schema's description as a help: without capital and full stop."""
    text = str(schema.get("description", ""))
    return (text[:1].lower() + text[1:]).rstrip(".")


def _flow_style(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + _joined(f"{key}: {_flow_style(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + _joined(_flow_style(item) for item in value) + "]"
    plain = isinstance(value, str) and value and all(c.isalnum() or c in "_-./ " for c in value)
    return value if plain else json.dumps(value, ensure_ascii=False)


def _joined(items: Iterable[str]) -> str:
    return ", ".join(items)
