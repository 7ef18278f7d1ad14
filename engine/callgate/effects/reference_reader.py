"""Reads the values in an entry of `kind: programs`: which words of a command they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from callgate.effects.program_spec import Reference, ReferenceKind, Texts
from callgate.model.suggest import closest

__all__ = ["ProgramError", "read_condition", "read_reference", "suggestion"]

_UPPER: Final = re.compile(r"[A-Z][A-Z0-9_-]*")
_JOINED: Final = re.compile(r"(\S+) (in|below) (.+)")
_OPTION_BELOW: Final = re.compile(r"(option \S+) below (.+)")
_KEPT: Final = re.compile(r"(.+) kept in (.+)")
_WITHOUT: Final = re.compile(r"(.+) without (\S+)")
_DIVIDED: Final = re.compile(r"(.+) divided at (\S+)")
_NAMED: Final = re.compile(r"(.+) as a name")
_BEFORE: Final = re.compile(r"(.+) before (\S+)")
_AFTER: Final = re.compile(r"(.+) after (\S+)")
_LED: Final = re.compile(r"(.+) led by (\S+)")
_LINES: Final = "lines of "
_INPUT: Final = "input"
_THEN: Final = " then "
_SPLIT: Final = "words of "
_IS: Final = re.compile(r"(.+?) is( not)? (\S+)")
_AND: Final = " and "


class ProgramError(ValueError):
    """An entry that can't be used: the `path` of keys to the place, a message, help. `others`: what
    else is wrong with it."""

    def __init__(self, path: tuple[str, ...], message: str, help: str = "") -> None:
        super().__init__(f"{'.'.join(path)}: {message}")
        self.path = path
        self.message = message
        self.help = help
        self.others: tuple[ProgramError, ...] = ()

    def below(self, *path: str) -> ProgramError:
        """The same mistake, of an entry that stands at a path in another."""
        return ProgramError((*path, *self.path), self.message, self.help)


def read_reference(
    text: str, path: tuple[str, ...], meanings: Collection[str], operands: Collection[str]
) -> Reference:
    """One alternative of a value. `path`: its place in the entry; `meanings` and `operands`: the
    names of the entry's options and operands. Raises ProgramError."""

    def read(part: str) -> Reference:
        return read_reference(part, path, meanings, operands)

    text = text.strip()
    if _THEN in text:
        return Reference("then", "", parts=tuple(map(read, text.split(_THEN))))
    if found := _DIVIDED.fullmatch(text):
        return Reference("divided", found.group(2), read(found.group(1)))
    if found := _NAMED.fullmatch(text):
        return Reference("named", "", read(found.group(1)))
    if text.startswith(_SPLIT):
        return Reference("split", "", read(text[len(_SPLIT) :]))
    if found := _WITHOUT.fullmatch(text):
        return Reference("without", found.group(2), read(found.group(1)))
    if found := _KEPT.fullmatch(text):
        return Reference("kept", "", read(found.group(2)), (read(found.group(1)),))
    if found := _OPTION_BELOW.fullmatch(text):
        return Reference("below", "", read(found.group(2)), (read(found.group(1)),))
    if found := _JOINED.fullmatch(text):
        kind: ReferenceKind = "inside" if found.group(2) == "in" else "below"
        return Reference(kind, read(found.group(1)).name, read(found.group(3)))
    if found := _BEFORE.fullmatch(text):
        return Reference("before", found.group(2), read(found.group(1)))
    if found := _AFTER.fullmatch(text):
        if found.group(2).count("*") > 1:
            raise ProgramError(path, "there is more than one `*` in what stands before a value")
        return Reference("after", found.group(2), read(found.group(1)))
    if found := _LED.fullmatch(text):
        return Reference("led", found.group(2), read(found.group(1)))
    if text.startswith(_LINES):
        return Reference("divided", "\n", read(text[len(_LINES) :]))
    if text == _INPUT:
        return Reference("input", "")
    if text.startswith("option "):
        meaning = text[7:]
        if meaning not in meanings:
            message = f"there is no option `{meaning}`"
            raise ProgramError(path, message, suggestion(meaning, meanings))
        return Reference("option", meaning)
    if text == "command" or text == "program":
        return Reference(text, "")  # type: ignore[arg-type]
    if _UPPER.fullmatch(text):
        known = {*operands, "FOUND"}
        if text not in known:
            message = f"there is no operand `{text}`"
            raise ProgramError(path, message, suggestion(text, known))
        return Reference("operand", text)
    if len(text) > 1 and text[0] == text[-1] == "'":
        text = text[1:-1]
    return Reference("constant", text)


def read_condition(
    text: str, path: tuple[str, ...], meanings: Collection[str], operands: Collection[str]
) -> Reference:
    """A condition; the arguments are those of `read_reference`. Raises ProgramError."""

    def read(part: str) -> Reference:
        return read_condition(part, path, meanings, operands)

    if _AND in text:
        return Reference("all", text, parts=tuple(map(read, text.split(_AND))))
    if found := _IS.fullmatch(text):
        other = read(found.group(1))
        kind: ReferenceKind = "is not" if found.group(2) else "is"
        return Reference(kind, text, other, texts=_read_texts(found.group(3), path))
    reference = read_reference(text, path, meanings, operands)
    if reference.kind not in ("option", "operand"):
        help = "write `option NAME`, an operand's name, or `NAME is a|b`"
        raise ProgramError(path, f"`{text}` is no condition", help)
    return reference


def _read_texts(written: str, path: tuple[str, ...]) -> Texts:
    """What stands after `is`: texts between `|`, in which `*` stands for any text."""
    exact, ends, parts = [], [], []
    for text in written.split("|"):
        head, star, tail = text.partition("*")
        inner = tail.removesuffix("*")
        if not star:
            exact.append(text)
        elif "*" not in tail:
            ends.append((head, tail))
        elif not head and inner != tail and "*" not in inner:
            parts.append(inner)
        else:
            message = f"`{text}` has a `*` too many"
            raise ProgramError(path, message, "write one `*`, or one at each end")
    return Texts(frozenset(exact), tuple(ends), tuple(parts))


def suggestion(word: str, candidates: Iterable[str]) -> str:
    """Help for a name that is not known."""
    nearest = closest(word, candidates)
    return f"did you mean `{nearest}`?" if nearest else ""
