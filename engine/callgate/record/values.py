"""Values as records hold them, and their one form in bytes.

A record holds *restricted* values: text without half surrogate pairs, booleans, None, integers of
a magnitude below 2^53, lists, and dicts whose keys are ASCII and don't begin with `$`. Their
canonical JSON is that of RFC 8785, whatever program writes it. Any other value of JSON stands in
a record as a dict with one key that begins with `$`:

    a float                                     {"$float": "0.1"}
    a larger integer                            {"$int": "9007199254740993"}
    text with surrogates                        {"$utf8": "eda080"}
    a dict with other keys                      {"$pairs": [["é", 1], …]}
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import orjson

__all__ = ["canonical", "decode", "encode"]

_BEYOND: Final = 2**53
_OPTIONS: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)


def canonical(value: Any) -> bytes:
    """The bytes of a restricted value: JSON without spaces, keys sorted.

    `value`: as `encode` gives it; a float in it would not be noticed. Raises ValueError for other
    values, and for what is nested more than some 250 levels deep.
    """
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except orjson.JSONEncodeError as error:
        raise ValueError(f"no value for a record: {error}") from None


def encode(value: Any) -> Any:
    """A JSON value as a restricted one, from which `decode` makes an equal one again.

    What is restricted already is not copied. Raises ValueError for NaN, infinities, keys that are
    no text, values of other types (a tuple, a subclass), and what is nested too deeply.
    """
    try:
        return _encoded(value)
    except RecursionError:
        raise ValueError("no value for a record: nested too deeply") from None


def decode(value: Any) -> Any:
    """The JSON value that `encode` made a restricted one of. Raises ValueError where a dict with a
    `$` is none of those that `encode` makes."""
    try:
        return _decoded(value)
    except RecursionError:
        raise ValueError("no value of a record: nested too deeply") from None


def _encoded(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _text(value)
    if kind is dict:
        return _dict(value)
    if kind is list:
        return _list(value)
    if kind is int:
        return value if -_BEYOND < value < _BEYOND else {"$int": str(value)}
    if value is None or kind is bool:
        return value
    if kind is float and math.isfinite(value):
        return {"$float": repr(value)}
    raise ValueError(f"no value for a record: {'NaN or infinity' if kind is float else kind}")


def _text(text: str) -> Any:
    try:
        text.encode()
    except UnicodeEncodeError:
        # Not UTF-16, in which two halves side by side would become one character.
        return {"$utf8": text.encode("utf-8", "surrogatepass").hex()}
    return text


def _list(values: list[Any]) -> list[Any]:
    for index, item in enumerate(values):
        if type(item) is str and item.isascii():
            continue
        restricted = _encoded(item)
        if restricted is not item:
            return [*values[:index], restricted, *map(_encoded, values[index + 1 :])]
    return values


def _dict(values: dict[Any, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for key, item in values.items():
        if type(key) is not str:
            raise ValueError(f"no value for a record: a key that is {type(key)}")
        if key[:1] == "$" or not key.isascii():
            return _pairs(values)
        if type(item) is str and item.isascii():
            continue  # by far the most, for which a call would cost more than the work
        restricted = _encoded(item)
        if restricted is not item:
            changed[key] = restricted
    return {**values, **changed} if changed else values


def _pairs(values: dict[Any, Any]) -> dict[str, Any]:
    if any(type(key) is not str for key in values):
        raise ValueError("no value for a record: a key that is no text")
    return {"$pairs": [[_encoded(key), _encoded(values[key])] for key in sorted(values)]}


def _decoded(value: Any) -> Any:
    if type(value) is list:
        return [_decoded(item) for item in value]
    if type(value) is not dict:
        return value
    if len(value) == 1:
        ((key, item),) = value.items()
        if key[:1] == "$":
            return _special(key, item)
    if any(key[:1] == "$" for key in value):
        raise ValueError("a dict with `$` that no record holds")
    return {key: _decoded(item) for key, item in value.items()}


def _special(key: str, item: Any) -> Any:
    """What a dict with one key `$…` stands for. Only what `encode` writes is taken: one value has
    one form."""
    try:
        value = _READERS[key](item)
        if _encoded(value) == {key: item}:
            return value
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    raise ValueError("a dict with `$` that no record holds")


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "$float": float,
    "$int": int,
    "$utf8": lambda item: bytes.fromhex(item).decode("utf-8", "surrogatepass"),
    "$pairs": lambda item: {_decoded(key): _decoded(value) for key, value in item},
}
