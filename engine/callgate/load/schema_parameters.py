"""The `parameters` of tools: JSON Schemas, in which a slip of the pen would pass unseen.

JSON Schema lets through keywords that it does not know, so that `requird` says nothing and
`type: int` nothing that Callgate could use. What is nearly a keyword is refused here, and so are
types that do not exist and required arguments that are not described.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.prune import drop_paths
from callgate.load.words import any_of, did_you_mean, found, shown
from callgate.model.diagnostic import Diagnostics
from callgate.model.suggest import closest

__all__ = ["check_parameters"]

Path = tuple[str | int, ...]

_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
_OTHER_TYPES: Final = {
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "map": "object",
    "mapping": "object",
    "none": "null",
    "str": "string",
    "text": "string",
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCHEMA: Final = _words(
    "additionalItems additionalProperties contains else if items not propertyNames then "
    "unevaluatedItems unevaluatedProperties"
)
"""Keywords with a schema."""
_SCHEMAS: Final = _words("allOf anyOf items oneOf prefixItems")
"""Keywords with a list of schemas."""
_NAMED: Final = _words("$defs definitions dependentSchemas patternProperties properties")
"""Keywords with schemas by name."""
_OTHERS: Final = _words(
    "$anchor $comment $id $ref $schema const contentEncoding contentMediaType default dependencies "
    "dependentRequired deprecated description enum example examples exclusiveMaximum "
    "exclusiveMinimum format maxContains maxItems maxLength maxProperties maximum minContains "
    "minItems minLength minProperties minimum multipleOf nullable pattern readOnly required title "
    "type uniqueItems writeOnly"
)
_KEYWORDS: Final = sorted(_SCHEMA | _SCHEMAS | _NAMED | _OTHERS)
"""Those of draft 7, and of later drafts and OpenAPI what is often seen."""


def check_parameters(document: Document, diagnostics: Diagnostics) -> Document:
    """Report mistakes in the parameters of a tools file's tools (S001, S003, S004).

    The result is the document without the parameters in which there are any.
    """
    check = _Check(document, diagnostics)
    refused: list[Path] = []
    tools = document.data.get("tools", {})
    for name, tool in tools.items():
        path: Path = ("tools", name, "parameters")
        if "parameters" in tool and not check.schema(tool["parameters"], path):
            refused.append(path)
    if not refused:
        return document
    drop_paths(document.root, refused)
    return Document(document.kind, document.source, document.root, incomplete=True)


class _Check:
    def __init__(self, document: Document, diagnostics: Diagnostics) -> None:
        self.document = document
        self.diagnostics = diagnostics

    def schema(self, schema: Any, path: Path) -> bool:
        """Whether there is nothing to report in a schema."""
        if isinstance(schema, bool):
            return True
        if not isinstance(schema, dict):
            help = f"write `{{type: {_meant(schema)}}}`" if _meant(schema) else ""
            return self.error(
                "S003",
                f"expected a mapping (a JSON Schema), found {found(schema)}",
                path,
                help or "for example `{type: string}`",
            )
        good = [self.keyword(key, path) for key in schema if key not in _KEYWORDS]
        if "type" in schema:
            good.append(self.types(schema["type"], (*path, "type")))
        if "required" in schema:
            good.append(self.required(schema, (*path, "required")))
        good += [self.schema(part, inner) for part, inner in _parts(schema, path)]
        return all(good)

    def keyword(self, key: str, path: Path) -> bool:
        meant = closest(key, _KEYWORDS, 1 if len(key) <= 4 else 2)
        if meant is None:
            return True
        return self.error(
            "S001", f"unknown key {shown(key)}", (*path, key), did_you_mean(meant), key=True
        )

    def types(self, type_: Any, path: Path) -> bool:
        if isinstance(type_, list):
            good = [self.types(item, (*path, at)) for at, item in enumerate(type_)]
            return all(good)
        if type_ in _TYPES:
            return True
        text = self.document.text(*path).value if not isinstance(type_, dict) else ""
        message = f"{shown(text)} is no type of JSON Schema" if text else "this is no type"
        help = did_you_mean(_meant(type_)) or f"write {any_of(_TYPES)}"
        return self.error("S004", message, path, 'write `"null"`' if text == "null" else help)

    def required(self, schema: dict[str, Any], path: Path) -> bool:
        names = schema["required"]
        if not isinstance(names, list):
            help = "list the names of required arguments beside `properties`: `required: [path]`"
            return self.error("S003", f"expected a list of names, found {found(names)}", path, help)
        known = schema.get("properties")
        if not isinstance(known, dict):
            return True
        good = True
        for at, name in enumerate(names):
            if name not in known:
                help = did_you_mean(closest(str(name), known)) or "describe it under `properties`"
                message = f"{shown(str(name))} is required, but not in `properties`"
                good = self.error("S004", message, (*path, at), help)
        return good

    def error(self, code: str, message: str, path: Path, help: str, key: bool = False) -> bool:
        self.diagnostics.error(code, message, self.document.span(*path, key=key), help)
        return False


def _meant(type_: Any) -> str | None:
    """The type that a word was probably meant to be."""
    if not isinstance(type_, str):
        return None
    return _OTHER_TYPES.get(type_.lower()) or closest(type_, _TYPES)


def _parts(schema: dict[str, Any], path: Path) -> Iterator[tuple[Any, Path]]:
    """The schemas in a schema, with their paths."""
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, dict):
            yield from ((part, (*path, key, name)) for name, part in value.items())
        elif key in _SCHEMAS and isinstance(value, list):
            yield from ((part, (*path, key, at)) for at, part in enumerate(value))
        elif key in _SCHEMA and not isinstance(value, list):
            yield value, (*path, key)
