"""JSON as calls use it: duplicate keys and numbers that JSON lacks are errors, with their place."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from callgate.model.diagnostic import Diagnostic
from callgate.model.span import Span

__all__ = ["JsonError", "goes_on", "parse", "parse_items"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+')
_SURROGATE: Final = re.compile(r"\\u[dD]")
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class JsonError(ValueError):
    """Text that isn't JSON, with a diagnostic that says where and why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class _DuplicateError(ValueError):
    """A key that stands twice in one object."""


def parse(text: str, file: str, line: int = 1) -> Any:
    """The value of a whole JSON text that starts on `line` of `file`; raises JsonError."""
    try:
        return _whole(_DECODER.decode(text), text)
    except (ValueError, RecursionError) as error:
        raise _explained(error, text, 0, file, line) from None


def goes_on(line: bytes) -> bool:
    """Whether a line begins a JSON object or list that ends on a later line."""
    text = line.decode(errors="replace").strip()
    try:
        _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        return text[:1] in ("{", "[") and error.pos >= len(text)
    except (ValueError, RecursionError):
        return False
    return False


def parse_items(text: str, file: str) -> list[tuple[int, Any]]:
    """The elements of a JSON list, or the one value of any other text, each with its line.

    Raises JsonError.
    """
    at = _skip(text, 0)
    if text[at : at + 1] != "[":
        return [(_line(text, at), parse(text, file))]
    items: list[tuple[int, Any]] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return items
    while True:
        start = at
        try:
            value, at = _DECODER.raw_decode(text, at)
            items.append((_line(text, start), _whole(value, text[start:at])))
            at = _skip(text, at)
            if text[at : at + 1] not in (",", "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        except (ValueError, RecursionError) as error:
            raise _explained(error, text, start, file, 1) from None
        if text[at] == "]":
            rest = _skip(text, at + 1)
            if rest < len(text):
                extra = json.JSONDecodeError("Extra data", text, rest)
                raise _explained(extra, text, start, file, 1)
            return items
        at = _skip(text, at + 1)


def _whole(value: Any, text: str) -> Any:
    """The value, unless an escape made half a character of it."""
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair, which is no character") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateError(key)
            seen.add(key)
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"`{name}` is not a JSON number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _explained(error: Exception, text: str, start: int, file: str, line: int) -> JsonError:
    at, help = start, ""
    if isinstance(error, json.JSONDecodeError):
        at = error.pos
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    elif isinstance(error, _DuplicateError):
        key = error.args[0]
        at = _second_place(text, start, key)
        message = f"duplicate key `{_shown(key)}`"
        help = "write each key once; which of two values counts would be a guess"
    elif isinstance(error, RecursionError):
        message = "nested too deep"
    elif "digits" in str(error):
        message = "a number with too many digits"
    else:
        message = str(error)
    row = line + text.count("\n", 0, at)
    column = at - text.rfind("\n", 0, at)
    return JsonError(Diagnostic("R001", message, Span(file, row, column, row, column + 1), help))


def _shown(key: str) -> str:
    return json.dumps(key[:60])[1:-1]


def _second_place(text: str, start: int, key: str) -> int:
    """Where the first object that has `key` twice has it for the second time."""
    stack: list[set[str] | None] = []
    expect_key = False
    for token in _TOKEN.finditer(text, start):
        word = token.group()
        if word == "{":
            stack.append(set())
            expect_key = True
        elif word == "[":
            stack.append(None)
            expect_key = False
        elif word in "}]":
            stack.pop()
            expect_key = False
        elif word == ",":
            expect_key = bool(stack) and stack[-1] is not None
        elif expect_key and word[0] == '"':
            expect_key = False
            keys = stack[-1]
            name = json.loads(word, strict=False)
            if name == key and keys is not None and key in keys:
                return token.start()
            if keys is not None:
                keys.add(name)
    return start
