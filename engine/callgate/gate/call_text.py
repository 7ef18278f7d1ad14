"""A call as a person reads it: every argument, whole, with nothing in it that does not show."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.brief_text import languages_of, prose_line, safe_line
from callgate.gate.card_text import FEW_BLANKS, SOME_BLANKS, card_line, with_told_blanks
from callgate.gate.hiding import masked_json
from callgate.model.effect import Effect
from callgate.runtime.masking import MASK

if TYPE_CHECKING:
    from callgate.runtime.render import View

__all__ = ["MAX_TEXT", "TooLongError", "call_text"]

MAX_TEXT: Final = 8_000
"""How many characters of a call a person can be shown, escapes included."""


class TooLongError(Exception):
    """A call that can't be shown whole, so that nobody can approve it; the message says why."""


def call_text(view: View, effects: Iterable[Effect] = ()) -> str:
    """The arguments, each by its name, in lines; a text of several lines is indented below its
    name. A line end is written as `\\n`, and followed by one, so that nobody takes a part of the
    call for anything else. `effects`: what the call does. Raises TooLongError."""
    frame = view.frame
    args: Mapping[str, Any] = frame.args if frame is not None else {}
    code = languages_of(view.program, frame) if frame is not None else {}
    # What is a path or a command has to be read sign by sign.
    exact = {*code, *(effect.argument for effect in effects)}
    lines = list(_told_args(view, args, exact))
    if MASK in "".join(lines):
        lines.append(f"({MASK}: hidden, because it is or looks like a secret)")
    text = "\n".join(lines)
    if len(text) > MAX_TEXT:
        raise TooLongError(
            f"the call is too long to be shown whole: {len(text):,} characters, where"
            f" {MAX_TEXT:,} can be read"
        )
    return text


def _told_args(view: View, args: Mapping[str, Any], exact: Container[str | None]) -> Iterator[str]:
    for name in sorted(args):
        value = args[name]
        if view.masker.is_secret(name):
            value = MASK
        elif not isinstance(value, str):
            value = masked_json(view.masker, value)
        text = view.masker.mask(value, view.secrets)
        if len(text) > MAX_TEXT:
            raise TooLongError(
                f"the call is too long to be shown whole: one argument has {len(text):,} characters"
            )
        label = card_line(view.masker.mask(name, view.secrets))
        parts = text.split("\n")
        line = safe_line if name in exact else prose_line
        shown = [line(part) + "\\n" for part in parts[:-1]] + [line(parts[-1])]
        if len(shown) == 1:
            told = with_told_blanks(shown[0], FEW_BLANKS if name in exact else SOME_BLANKS)
            yield f"{label}: {told}"
        else:
            yield f"{label}:"
            # What stands behind the last line end is nothing.
            told_lines = shown if parts[-1] else shown[:-1]
            yield from (f"  {with_told_blanks(line, SOME_BLANKS)}" for line in told_lines)
