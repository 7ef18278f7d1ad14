"""What is known of values in code."""

from __future__ import annotations

from dataclasses import dataclass, field

from callgate.effects.shell.tree import Span, Word, unresolved
from callgate.model.values import UNKNOWN, Unknown

__all__ = [
    "Call",
    "Choices",
    "Value",
    "as_word",
    "home_word",
    "joined",
    "known",
    "path_joined",
    "words_of",
]

Value = Word | tuple["Value", ...] | bool | int | None
"""A text, a list, true or false, a number; None: nothing is known."""


class Choices(tuple["Value", ...]):
    """Values of which a name has one after the other."""

    __slots__ = ()


@dataclass(slots=True)
class Call:
    """A call: the full name of what is called (None where it is not known), its last part, what
    that is a method of, and the arguments. `more`: there are arguments that nobody sees;
    `endless`: it is made in a loop without end; `later`: what is called on what it gives."""

    name: str | None
    last: str
    span: Span
    receiver: Value = None
    arguments: list[Value] = field(default_factory=list)
    keys: dict[str, Value] = field(default_factory=dict)
    more: bool = False
    endless: bool | Unknown = False
    later: list[tuple[str, list[Value]]] = field(default_factory=list)


def home_word(span: Span) -> Word:
    """The home folder."""
    return Word("~", span, home=0)


def known(value: Value) -> bool:
    """Whether everything is known of a value."""
    if isinstance(value, tuple):
        return all(map(known, value))
    return value is not None and not (isinstance(value, Word) and value.text is UNKNOWN)


def as_word(value: Value, span: Span) -> Word:
    """A value as a word."""
    if isinstance(value, Word):
        return value
    if isinstance(value, bool) or value is None or isinstance(value, tuple):
        return unresolved(span)
    return Word(str(value), span)


def words_of(value: Value, span: Span) -> tuple[Word, ...]:
    """A list as words; what is not known of it may be several."""
    items = value if isinstance(value, tuple) else (value,)
    return tuple(
        unresolved(span, splits=True) if isinstance(item, tuple) else as_word(item, span)
        for item in items
    )


def joined(parts: list[Value], span: Span, between: str = "") -> Word:
    """Texts one after the other."""
    pieces: list[object] = []
    home = -1
    for index, part in enumerate(parts):
        if index and between:
            pieces.append(between)
        word = as_word(part, span)
        if isinstance(word.text, str):
            if word.home == 0 and not pieces:
                home = 0
            pieces.append(word.text)
        else:
            pieces += word.pieces or (UNKNOWN,)
    merged: list[object] = []
    for piece in pieces:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "" and not (piece is UNKNOWN and merged and merged[-1] is UNKNOWN):
            merged.append(piece)
    if all(isinstance(piece, str) for piece in merged):
        glob = any(isinstance(part, Word) and part.glob for part in parts)
        return Word("".join(map(str, merged)), span, home=home, glob=glob)
    return Word(UNKNOWN, span, pieces=tuple(merged))  # type: ignore[arg-type]


def path_joined(parts: list[Value], span: Span) -> Word:
    """Parts of a path, joined as the system does: an absolute one begins anew."""
    start = 0
    for index, part in enumerate(parts):
        text = part.text if isinstance(part, Word) else UNKNOWN
        if isinstance(text, str) and (text.startswith("/") or part.home == 0):  # type: ignore[union-attr]
            start = index
    kept: list[Value] = []
    for part in parts[start:]:
        if isinstance(part, Word) and part.text == "":
            continue
        kept.append(part)
    return joined(kept, span, "/") if kept else Word("", span)
