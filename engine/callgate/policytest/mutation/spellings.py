"""Spellings: which names of a command pattern's options are one option to the programs it names."""

from __future__ import annotations

from collections.abc import Sequence

from callgate.effects.program_spec import Option, Program
from callgate.effects.programs import Programs
from callgate.model.pattern import CommandPattern, WordPattern

__all__ = ["Spellings"]


class Spellings:
    """What a bundle's `programs` say of how options are written."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def stands_for(self, pattern: CommandPattern, name: str, others: Sequence[str]) -> bool:
        """Whether, to every program of a pattern, an option of this `name` is also one of the
        `others`: without it the pattern matches the same commands, save for such as the program
        refuses (an option before the sub-command that it belongs to)."""
        entries: list[Program] = []
        for word in pattern.program:
            program = self._programs.get(word.pieces[0]) if len(word.pieces) == 1 else None
            found = [] if program is None else _entries(program, pattern.words)
            if not found:
                return False
            entries += found
        return all(_same(entry, name, others) for entry in entries)


def _entries(program: Program, words: Sequence[tuple[WordPattern, ...]]) -> list[Program]:
    """The sub-commands that a pattern's first words name; none where it may be about several, or
    about options of the program itself as well."""
    entries = [program]
    for alternatives in words:
        if not any(entry.commands for entry in entries):
            return entries
        found: list[Program] = []
        for entry in entries:
            for word in alternatives:
                command = entry.commands.get(word.pieces[0]) if len(word.pieces) == 1 else None
                if command is None:
                    return []
                found.append(command)
        entries = found
    return [] if any(entry.commands for entry in entries) else entries


def _same(entry: Program, name: str, others: Sequence[str]) -> bool:
    option = _option(entry, name)
    return option is not None and any(other in option.names for other in others)


def _option(entry: Program, name: str) -> Option | None:
    if name in entry.words:
        return entry.words[name]
    letter = len(name) == 2 and name.startswith("-")
    return entry.letters.get(name[1]) if letter else None
