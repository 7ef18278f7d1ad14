"""What a command pattern itself says of a program's options."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from callgate.effects.program_spec import Option, Program, Takes
from callgate.model.pattern import CommandPattern

__all__ = ["ToldOption", "told"]

_MAX_CACHED: Final = 1024


@dataclass(slots=True, eq=False)
class ToldOption(Option):
    """An option that only a pattern speaks of: it is known as the pattern writes it, no more."""


@lru_cache(maxsize=_MAX_CACHED)
def told(pattern: CommandPattern, program: Program) -> Program:
    """The program with the options that its entry does not list and the pattern names: those that
    the pattern gives a value (`--output=*`) have one, the others have none."""
    words = {
        name: ToldOption("", (name,), Takes.NOTHING if option.value is None else Takes.VALUE)
        for option in (*pattern.options, *pattern.optional)
        for name in option.names
        if not _listed(name, program)
    }
    commands: dict[str, Program] = {}
    if program.commands and pattern.words:
        for word in pattern.words[0]:
            command = program.commands.get(word.pieces[0])
            if command is not None and len(word.pieces) == 1:
                inner = CommandPattern(
                    (), pattern.words[1:], pattern.options, pattern.optional, pattern.closed
                )
                commands[word.pieces[0]] = told(inner, command)
    if not words and all(program.commands[name] is command for name, command in commands.items()):
        return program
    return replace(
        program,
        words={**program.words, **words},
        # Nothing is ever written to it.
        commands=ChainMap(commands, program.commands) if commands else program.commands,  # type: ignore[arg-type]
        abbreviations={},
    )


def _listed(name: str, program: Program) -> bool:
    if name in program.words or name in program.prefixes:
        return True
    if name.startswith("--"):
        return any(full.startswith(name) for full in program.words)
    return len(name) > 1 and all(letter in program.letters for letter in name[1:])
