"""What is wrong with a call's parameters, in words for whoever wrote the call.

Values never stand in these words: they may be secrets, and whoever wrote them knows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from callgate.runtime.masking import escape

__all__ = ["place_of", "words_of"]

_TYPES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_LIMITS: Final = {
    "minimum": "is less than {}",
    "maximum": "is more than {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "is no multiple of {}",
    "minLength": "has fewer than {} characters",
    "maxLength": "has more than {} characters",
    "minItems": "has fewer than {} items",
    "maxItems": "has more than {} items",
    "minProperties": "has fewer than {} keys",
    "maxProperties": "has more than {} keys",
    "pattern": "does not match the pattern {}",
    "format": "is not in the format {}",
    "const": "must be {}",
}
_LONGEST: Final = 80


def words_of(error: Any) -> str:
    """One line for a jsonschema ValidationError: the place, and what is wrong there."""
    path: list[Any] = list(error.absolute_path)
    keyword, wanted, found = error.validator, error.validator_value, error.instance
    if keyword == "required":
        missing = [name for name in wanted if name not in found]
        return ", ".join(f"`{place_of([*path, name])}` is missing" for name in missing)
    if keyword in ("additionalProperties", "unevaluatedProperties") and isinstance(found, dict):
        return _unknown(path, found, error.schema)
    where = f"`{place_of(path)}`" if path else "the parameters as a whole"
    return f"{where} {_problem(keyword, wanted, found)}"


def place_of(path: Iterable[Any]) -> str:
    """A path of keys and indexes as a reader writes it: `items[0].name`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{_cut(part)}" if text else _cut(part)
    return text


def _problem(keyword: str, wanted: Any, found: Any) -> str:
    if keyword == "type":
        names = [wanted] if isinstance(wanted, str) else wanted
        kinds = " or ".join(_TYPES.get(name, str(name)) for name in names)
        return f"must be {kinds}, not {_kind_of(found)}"
    if keyword == "enum":
        return "must be one of " + ", ".join(_cut(_shown(item)) for item in wanted[:20])
    if keyword in _LIMITS:
        return _LIMITS[keyword].format(_cut(_shown(wanted)))
    if keyword == "uniqueItems":
        return "holds an item twice"
    if keyword in ("anyOf", "oneOf"):
        return "fits none of the forms that it may have, or more than one"
    return f"does not fit `{_cut(keyword)}` of the tool's schema"


def _unknown(path: list[Any], found: dict[str, Any], schema: Any) -> str:
    known = list(schema.get("properties", {})) if isinstance(schema, dict) else []
    told = []
    for name in [name for name in found if name not in known][:3]:
        close = get_close_matches(name, known, n=1, cutoff=0.6)
        hint = f"; did you mean `{_cut(close[0])}`?" if close else ""
        told.append(f"`{place_of([*path, name])}` is no parameter of this tool{hint}")
    return ", ".join(told)


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    for type_, name in ((dict, "object"), (list, "array"), (str, "string"), (int, "integer")):
        if isinstance(value, type_):
            return _TYPES[name]
    return _TYPES["null" if value is None else "number"]


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"`{value}`"
    return {True: "true", False: "false", None: "null"}[value] if _word(value) else str(value)


def _word(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _cut(text: Any) -> str:
    shown = escape(str(text))
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
