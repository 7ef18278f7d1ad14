"""One call, put together from `--tool`, `--arg` and `--context`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from callgate.cli.strict_json import JsonError, parse
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.types import BOOL, INT, STRING, ListOf, Optional, Type

__all__ = ["call_of", "is_text", "json_hint"]

_NO_TEXT: Final = re.compile(r"`args\.(.+?)` of `.*` is .+")


def call_of(tool: str, args: Sequence[str], context: Sequence[str]) -> dict[str, Any]:
    """The call as its JSON object; raises click.UsageError for what can't be read."""
    if not is_text(tool):
        raise click.UsageError("--tool takes text in UTF-8")
    call: dict[str, Any] = {"tool": tool}
    if args:
        call["args"] = _pairs("--arg", args, lambda name, text: text)
    if context:
        call["context"] = _pairs("--context", context, _context_value)
    return call


def _pairs(option: str, items: Sequence[str], read: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in items:
        if not is_text(item):
            raise click.UsageError(f"{option} takes text in UTF-8")
        name, equals, text = item.partition("=")
        json = name.endswith(":")
        name = name.removesuffix(":")
        if not equals or not name:
            raise click.UsageError(f"{option} takes K=V, not `{item}`")
        if name in found:
            raise click.UsageError(f"{option} {name} is given twice")
        found[name] = _json(f"{option} {name}", text) if json else read(name, text)
    return found


def json_hint(message: str, call: Mapping[str, Any]) -> str:
    """What to write where a call is refused because an argument is no text; empty elsewhere."""
    found = _NO_TEXT.match(message)
    value = call.get("args", {}).get(found[1]) if found else None
    if found is None or type(value) is not str:
        return ""
    try:
        parse(value, "")
    except JsonError:
        value = "…"
    return f"what stands after `=` is text, after `:=` JSON: `--arg {found[1]}:={value}`"


def is_text(item: str) -> bool:
    """Whether an argument was UTF-8: bytes that were not reach a program as characters that can't
    be encoded again."""
    try:
        item.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json(what: str, text: str) -> Any:
    try:
        return parse(text, what)
    except JsonError as error:
        raise click.UsageError(f"{what}: {error.diagnostic.message}") from None


def _context_value(name: str, text: str) -> Any:
    """The text as the field's type; that of an unknown field stays text, for the call's check."""
    field = CONTEXT_FIELDS.get(name)
    return text if field is None else _typed(f"--context {name}", field.type, text)


def _typed(what: str, type_: Type, text: str) -> Any:
    if isinstance(type_, Optional):
        return None if text == "null" else _typed(what, type_.item, text)
    if type_ == STRING:
        return text
    if type_ == BOOL:
        if text not in ("true", "false"):
            raise click.UsageError(f"{what} is true or false, not `{text}`")
        return text == "true"
    if type_ == INT:
        try:
            return int(text)
        except ValueError:
            raise click.UsageError(f"{what} is an integer, not `{text}`") from None
    if isinstance(type_, ListOf) and not text.startswith("["):
        return [item for item in text.split(",") if item]
    return _json(what, text)
