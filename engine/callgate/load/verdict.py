"""JSON Schema → a function that says "surely valid", fast.

Ten thousand rules take jsonschema most of a second, and importing it a tenth; nearly always the
answer is "valid". So a schema is compiled to closures that only give that answer. Anything else
goes to jsonschema, which has the last word (`callgate.load.schemas`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["Check", "compile_check", "compile_parts"]

Check = Callable[[Any], bool]
"""True when a value surely satisfies the schema."""

_ANNOTATIONS: Final = frozenset(
    {"$schema", "$id", "$comment", "title", "description", "examples", "default", "definitions"}
)
_OBJECT: Final = frozenset(
    {"properties", "required", "additionalProperties", "propertyNames", "minProperties"}
)
_ARRAY: Final = frozenset({"items", "minItems", "uniqueItems"})
_CLASSES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def compile_check(
    documents: Mapping[str, Mapping[str, Any]], name: str, pointer: str = ""
) -> Check:
    """The check of a schema: `documents[name]`, or its part at a JSON pointer such as
    `/definitions/rule`. Raises ValueError for a keyword that is not known here."""
    return _Compiler(documents).at(name, pointer)


def compile_parts(
    documents: Mapping[str, Mapping[str, Any]], keywords: tuple[str, ...]
) -> Mapping[int, Check]:
    """The checks of all schemas that stand under one of these keywords, by `id()` of the schema."""
    compiler = _Compiler(documents)
    found: dict[int, Check] = {}

    def walk(part: Any, name: str) -> None:
        if isinstance(part, Mapping):
            for key, inner in part.items():
                if key in keywords and isinstance(inner, Mapping):
                    found[id(inner)] = compiler.schema(inner, name)
                if key != "examples" or isinstance(inner, Mapping):  # not the annotation
                    walk(inner, name)
        elif isinstance(part, list):
            for inner in part:
                walk(inner, name)

    for name, document in documents.items():
        walk(document, name)
    return found


class _Compiler:
    def __init__(self, documents: Mapping[str, Mapping[str, Any]]) -> None:
        self.documents = documents
        self.done: dict[tuple[str, str], Check] = {}

    def at(self, name: str, pointer: str) -> Check:
        """The check of a part of a document; a schema that uses itself is no problem."""
        place = (name, pointer)
        if place not in self.done:
            self.done[place] = lambda value: self.done[place](value)
            schema: Any = self.documents[name]
            for step in pointer.split("/")[1:]:
                schema = schema[step]
            self.done[place] = self.schema(schema, name)
        return self.done[place]

    def schema(self, schema: Mapping[str, Any], name: str) -> Check:
        if "$ref" in schema:
            document, _, pointer = schema["$ref"].partition("#")
            return self.at(document or name, pointer)
        checks: list[Check] = []
        keywords = dict(schema)
        kinds = keywords.pop("type", None)
        classes = frozenset(
            c
            for kind in ([kinds] if isinstance(kinds, str) else kinds or _CLASSES)
            for c in _CLASSES[kind]
        )
        if kinds is not None:
            checks.append(lambda value: value.__class__ in classes)
        if dict in classes and _OBJECT & keywords.keys():
            checks.append(self.mapping(keywords, name))
        if list in classes and _ARRAY & keywords.keys():
            checks.append(self.sequence(keywords, name))
        for keyword in keywords.keys() - _OBJECT - _ARRAY - _ANNOTATIONS:
            checks.append(self.keyword(keyword, keywords[keyword], name))
        return _both(checks)

    def keyword(self, keyword: str, argument: Any, name: str) -> Check:
        if keyword in ("enum", "const"):
            return _one_of(argument if keyword == "enum" else [argument])
        if keyword == "minLength":
            return lambda value: value.__class__ is not str or len(value) >= argument
        if keyword == "pattern":
            search = re.compile(argument).search
            return lambda value: value.__class__ is not str or search(value) is not None
        if keyword in ("anyOf", "oneOf"):
            parts = [self.schema(part, name) for part in argument]
            if keyword == "anyOf":
                return lambda value: any(part(value) for part in parts)
            if all(part.keys() == {"required"} for part in argument):
                return _exactly_one([part["required"] for part in argument])
        if keyword == "dependencies":
            return self.dependencies(argument, name)
        raise ValueError(f"no check for the keyword {keyword}")

    def dependencies(self, argument: Mapping[str, Any], name: str) -> Check:
        """Of the `not` in them, only `required` is understood: keys that exclude each other."""
        rules: list[tuple[str, frozenset[str], frozenset[str]]] = []
        for key, needs in argument.items():
            if isinstance(needs, list):
                needs = {"required": needs}
            if needs.keys() - {"required", "not"}:
                raise ValueError("dependencies may only hold required and not")
            excluded = needs.get("not", {}).get("required", [])
            rules.append((key, frozenset(needs.get("required", [])), frozenset(excluded)))

        def check(value: Any) -> bool:
            if value.__class__ is not dict:
                return True
            return not any(
                key in value
                and (not needed <= value.keys() or (excluded and excluded <= value.keys()))
                for key, needed, excluded in rules
            )

        return check

    def mapping(self, keywords: Mapping[str, Any], name: str) -> Check:
        properties = {
            key: self.schema(part, name) for key, part in keywords.get("properties", {}).items()
        }
        known = properties.get
        more = keywords.get("additionalProperties", True)
        extra = _always if more is True else None if more is False else self.schema(more, name)
        names = (
            self.schema(keywords["propertyNames"], name) if "propertyNames" in keywords else None
        )
        required = frozenset(keywords.get("required", ()))
        least = keywords.get("minProperties", 0)

        def check(value: Any) -> bool:
            if value.__class__ is not dict:
                return True
            for key, item in value.items():
                part = known(key, extra)
                if part is None or not part(item):
                    return False
            if names is not None and not all(map(names, value)):
                return False
            return required <= value.keys() and len(value) >= least

        return check

    def sequence(self, keywords: Mapping[str, Any], name: str) -> Check:
        item = self.schema(keywords["items"], name) if "items" in keywords else _always
        least = keywords.get("minItems", 0)
        unique = keywords.get("uniqueItems", False)

        def check(value: Any) -> bool:
            if value.__class__ is not list:
                return True
            if len(value) < least or not all(map(item, value)):
                return False
            if not unique:
                return True
            return all(map(_is_text, value)) and len(set(value)) == len(value)

        return check


def _always(value: Any) -> bool:
    return True


def _is_text(value: Any) -> bool:
    return value.__class__ is str


def _both(checks: list[Check]) -> Check:
    if not checks:
        return _always
    if len(checks) == 1:
        return checks[0]
    if len(checks) == 2:
        first, second = checks
        return lambda value: first(value) and second(value)
    return lambda value: all(check(value) for check in checks)


def _one_of(options: list[Any]) -> Check:
    allowed = frozenset(options)
    return lambda value: (value is None or value.__class__ is str) and value in allowed


def _exactly_one(alternatives: list[list[str]]) -> Check:
    sets = [frozenset(alternative) for alternative in alternatives]
    return lambda value: (
        value.__class__ is dict and sum(needed <= value.keys() for needed in sets) == 1
    )
