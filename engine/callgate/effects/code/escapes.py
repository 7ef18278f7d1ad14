"""Texts in code: their escapes, and the holes in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from callgate.effects.shell.tree import Span, Word
from callgate.model.values import UNKNOWN

__all__ = ["VARIABLE", "Hole", "text_word", "unescaped"]

_ESCAPE: Final = re.compile(
    r"\\(?:x\{?([0-9A-Fa-f]{1,6})\}?|u\{?([0-9A-Fa-f]{1,6})\}?|([0-7]{1,3})|(\r?\n)|(.))", re.DOTALL
)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
VARIABLE: Final = re.compile(
    r"\{[$@][A-Za-z_][^{}\n]{0,80}\}|[$@]\{?(?:[A-Za-z_]\w*)\}?(?:(?:->)?[\[{][^\]}\n]{0,80}[\]}]){0,8}"
)
"""A variable in a text."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a text at which something is put in; `name`: as it is written."""

    name: str


def unescaped(text: str) -> str:
    """A text with what its escapes mean."""
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def _meant(found: re.Match[str]) -> str:
    number = found.group(1) or found.group(2)
    if number:
        code = int(number, 16)
        return chr(code) if code < 0x110000 else ""
    if found.group(3):
        return chr(int(found.group(3), 8))
    if found.group(4):
        return ""
    return _LETTERS.get(found.group(5), found.group(5))


def text_word(pieces: list[object], span: Span) -> tuple[Word, tuple[str, ...]]:
    """A text of known parts and holes as a word, and what stands in the holes."""
    kept = [piece for piece in pieces if piece != ""]
    if all(isinstance(piece, str) for piece in kept):
        return Word("".join(map(str, kept)), span), ()
    texts = tuple([piece if isinstance(piece, str) else UNKNOWN for piece in kept])
    holes = tuple([piece.name for piece in kept if isinstance(piece, Hole)])
    return Word(UNKNOWN, span, pieces=texts), holes
