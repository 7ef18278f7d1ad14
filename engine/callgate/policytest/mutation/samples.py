"""Calls worth trying on a mutant: made from the texts that were changed and from calls at hand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from callgate.lang.command_pattern import parse_pattern
from callgate.lang.errors import ConditionError
from callgate.model.pattern import CommandPattern, WordPattern
from callgate.policytest.mutation.literals import parent_of
from callgate.policytest.mutation.page import spread

__all__ = ["commands_of", "literals_of", "with_command", "with_words"]

_PATTERN: Final = re.compile(r"`((?:[^`\\]|\\.)*)`")
_TEXT: Final = re.compile(r'r?"((?:[^"\\]|\\.)*)"')
_ANY: Final = "x"


def commands_of(text: str) -> Iterator[str]:
    """Commands that the command patterns in a text match: each of their alternatives once, and one
    with a word more."""
    for found in _PATTERN.finditer(text):
        try:
            pattern = parse_pattern(found[1])
        except ConditionError:
            continue
        yield from _commands(pattern)


def _commands(pattern: CommandPattern) -> Iterator[str]:
    slots: list[list[str]] = [[_word(word) for word in pattern.program]]
    slots += [[_word(word) for word in words] for words in pattern.words]
    for option in pattern.options:
        value = "" if option.value is None else f"={_word(option.value)}"
        slots.append([f"{name}{value}" for name in option.names])
    first = [slot[0] for slot in slots]
    yield " ".join(first)
    yield " ".join([*first, _ANY])
    for index, slot in enumerate(slots):
        for number in spread(len(slot)):
            yield " ".join([*first[:index], slot[number], *first[index + 1 :]])
        if index:  # without it: what a looser pattern would match
            yield " ".join([*first[:index], *first[index + 1 :]])
            yield " ".join([*first[:index], *first[index + 1 :], _ANY])


def _word(word: WordPattern) -> str:
    return shlex.quote(_ANY.join(word.pieces))


def literals_of(text: str) -> Iterator[str]:
    """The texts in a condition, or a word alone; of paths also what is below and above them."""
    found = [match[1] for match in _TEXT.finditer(text)]
    plain = text.strip().removeprefix("- ").strip().strip("\"'")
    if not found and plain and not re.search(r"\s", plain):
        found = [plain]
    for literal in found:
        value = literal.replace("*", _ANY)
        yield value
        if value.startswith(("/", "~")):
            yield f"{value}/{_ANY}"
            above = parent_of(value)
            if above is not None:
                yield above
                yield f"{above.rstrip('/')}/{_ANY}"


def with_command(call: Mapping[str, Any], tool: str, argument: str, command: str) -> dict[str, Any]:
    """A call as this one that runs a command instead."""
    return {**call, "tool": tool, "args": {argument: command}}


def with_words(call: Mapping[str, Any], words: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Calls as this one with one of the words in the place of an argument, or of a word in it."""
    args = call.get("args")
    if not isinstance(args, Mapping):
        return
    for word in words:
        for key, value in args.items():
            if not isinstance(value, str):
                continue
            parts = value.split(" ")
            for index in range(len(parts)) if len(parts) <= 6 else ():
                changed = " ".join([*parts[:index], word, *parts[index + 1 :]])
                yield {**call, "args": {**args, key: changed}}
