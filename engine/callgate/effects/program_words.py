"""Reads how a program's options and operands are written, in an entry of `kind: programs`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from callgate.effects.program_spec import Operand, Option, Program, Takes
from callgate.effects.reference_reader import ProgramError

__all__ = ["add_option", "read_operands"]

_SPELLING: Final = re.compile(
    r"(?P<name>[^\s\[\]|=]+?=?)"
    r"(?:(?P<attached>\[=?[A-Z]+\])|(?P<words> [A-Z]+\.\.\. ;)"
    r"|(?P<before>(?: [a-z]+)*)(?:(?<==)|[ =])(?P<value>(?P<lead>(?:[A-Z]+|[a-z]+)[:%=,])?[A-Z]+)"
    r"(?P<after>(?: [a-z]+)*))?"
)
_WILDCARD: Final = re.compile(r"-[A-Z]{2,}")
_OPERAND: Final = re.compile(
    r"(?P<open>\[)?(?P<name>[A-Z][A-Z0-9_-]*)(?P<pairs>=VALUE)?(?P<many>\.\.\.)?(?P<close>\])?"
)


def add_option(
    program: Program,
    meaning: str,
    written: str | Iterable[str],
    path: tuple[str, ...],
    known: dict[str, str],
) -> None:
    """Add an option to a program. `written`: the ways to write it; `path`: its place in the entry;
    `known`: the entry's ways of writing so far, with their meanings. Raises ProgramError."""
    texts = [written] if isinstance(written, str) else list(written)
    # Ways of writing that take different things are different options of one meaning.
    options: dict[tuple[Takes, int, int, str | None], Option] = {}
    names: list[str] = []
    for text in texts:
        takes, before, after, spellings = Takes.NOTHING, 0, 0, []
        secret: str | None = None
        for part in text.split("|"):
            if part[:1] == "-" and part.replace("-", "").isalnum() and not part[1:].isupper():
                # Most are as simple as this.
                spellings.append(part)
                continue
            if _WILDCARD.fullmatch(part):
                program.wildcard = options.setdefault(
                    (Takes.VALUE, 0, 0, None), Option(meaning, (), Takes.VALUE)
                )
                continue
            found = _SPELLING.fullmatch(part)
            if found is None:
                raise ProgramError(
                    path, f"`{part}` is no option", "write `-o FILE`, `--output=FILE`, `-v`"
                )
            spellings.append(found["name"].rstrip("=") if part[0] == "-" else found["name"])
            if found["attached"]:
                takes = Takes.ATTACHED
                secret = "" if found["attached"].strip("[=]") in program.passwords else None
            elif found["words"]:
                takes = Takes.WORDS
            elif found["value"]:
                takes = Takes.VALUE
                before, after = (found[side].count(" ") for side in ("before", "after"))
                lead = found["lead"] or ""
                if found["value"][len(lead) :] in program.passwords:
                    secret = lead[-1:] if lead.isupper() else lead
        program.secretive |= secret is not None
        key = (takes, before, after, secret)
        option = options.setdefault(key, Option(meaning, (), *key))
        names += spellings
        for name in spellings:
            if known.setdefault(name, meaning) != meaning:
                help = "it can mean one thing: remove it where it does not belong"
                raise ProgramError(path, f"`{name}` is written in two options", help)
            _register(program, name, option)
    for option in options.values():
        option.names = tuple(names)


def _register(program: Program, name: str, option: Option) -> None:
    if name.endswith("=") and not name.startswith("-"):
        program.prefixes[name] = option
    elif len(name) == 2 and name[0] == "-" and name[1] != "-" and program.style != "single-dash":
        program.letters[name[1]] = option
    else:
        program.words[name] = option


def read_operands(written: str, passwords: frozenset[str]) -> tuple[Operand, ...]:
    """The places for operands; those with one of the names `passwords` are secrets. Raises
    ProgramError."""
    operands = []
    for text in written.split():
        found = _OPERAND.fullmatch(text)
        if found is None or bool(found["open"]) != bool(found["close"]):
            raise ProgramError(
                ("operands",), f"`{text}` is no operand", "write `FILE`, `[FILE]`, `FILE...`"
            )
        name, secret = found["name"], found["name"] in passwords
        operands.append(
            Operand(name, bool(found["many"]), bool(found["open"]), bool(found["pairs"]), secret)
        )
    if sum(operand.many and not operand.pairs for operand in operands) > 1:
        raise ProgramError(("operands",), "two operands can't both take any number of words")
    return tuple(operands)
