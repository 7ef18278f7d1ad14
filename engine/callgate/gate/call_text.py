"""A call as a person reads it: every argument, whole, with nothing in it that does not show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.gate.brief_text import languages_of, safe_line
from callgate.model.values import UNKNOWN
from callgate.runtime.masking import MASK

if TYPE_CHECKING:
    from callgate.runtime.render import View

__all__ = ["MAX_TEXT", "TooLongError", "call_text"]

MAX_TEXT: Final = 8_000
"""How many characters of a call a person can be shown, escapes included."""

_MORE_THAN_A_SECRET: Final = re.compile(r"[\s`;|&<>()]|^-")


class TooLongError(Exception):
    """A call that can't be shown whole, so that nobody can approve it; the message says why."""


def call_text(view: View) -> str:
    """The arguments, each by its name, in lines; a text of several lines is indented below its
    name. A line end is written as `\\n`, and followed by one, so that nobody takes a part of the
    call for anything else. Raises TooLongError."""
    frame = view.frame
    args: Mapping[str, Any] = frame.args if frame is not None else {}
    lines = list(_told_args(view, args))
    if MASK in "".join(lines):
        lines.append(f"({MASK}: hidden, because it is or looks like a secret)")
    text = "\n".join(lines)
    if len(text) > MAX_TEXT:
        raise TooLongError(
            f"the call is too long to be shown whole: {len(text):,} characters, where"
            f" {MAX_TEXT:,} can be read"
        )
    return text


def _told_args(view: View, args: Mapping[str, Any]) -> Iterator[str]:
    code = languages_of(view.program, view.frame) if view.frame is not None else {}
    for name in sorted(args):
        value = args[name]
        if name in code and isinstance(value, str):
            _check_hidden(view, name, value)
        if view.masker.is_secret(name):
            value = MASK
        elif not isinstance(value, str):
            value = _json(_masked(view, value))
        text = view.masker.mask(value, view.secrets)
        if len(text) > MAX_TEXT:
            raise TooLongError(
                f"the call is too long to be shown whole: one argument has {len(text):,} characters"
            )
        label = safe_line(view.masker.mask(name, view.secrets))
        parts = text.split("\n")
        shown = [safe_line(part) + "\\n" for part in parts[:-1]] + [safe_line(parts[-1])]
        if len(shown) == 1:
            yield f"{label}: {shown[0]}"
        else:
            yield f"{label}:"
            # What stands behind the last line end is nothing.
            yield from (f"  {line}" for line in (shown if parts[-1] else shown[:-1]))


def _check_hidden(view: View, name: str, text: str) -> None:
    """Raises TooLongError where the mask would hide a part of code that is more than a secret: an
    agent can make anything look like one, by giving it again under a secret's name."""
    ranges = view.masker.hidden(text, view.secrets) if len(text) <= MAX_TEXT else ()
    if view.masker.is_secret(name) or any(
        _MORE_THAN_A_SECRET.search(text[start:end]) for start, end in ranges
    ):
        raise TooLongError("a part of the call that is more than a secret would be hidden")


def _masked(view: View, value: Any) -> Any:
    """A JSON value without what stands under secret keys."""
    if isinstance(value, Mapping):
        return {
            name: MASK if view.masker.is_secret(str(name)) else _masked(view, part)
            for name, part in value.items()
        }
    return [_masked(view, part) for part in value] if isinstance(value, list | tuple) else value


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return "unknown" if value is UNKNOWN else repr(value)
