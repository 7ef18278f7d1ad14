"""A parsed command: what a `run` effect carries for command patterns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from callgate.effects.alone import Line
from callgate.effects.argument_reader import UNDESCRIBED, read_arguments
from callgate.effects.arguments import Arguments
from callgate.effects.program_spec import Program
from callgate.effects.shell.tree import Span, Word
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["ParsedCommand", "RunFields"]


@dataclass(slots=True, eq=False)
class ParsedCommand:
    """The words of a command, the program first, with what is known of the program.

    `trusted`: folders whose programs an allowing rule may trust. `altered`: assignments or
    redirections to files stand with it. `cwd`: the folder it runs in. `line`: the
    text that it stands in.
    """

    words: tuple[Word, ...]
    span: Span
    program: Program | None
    trusted: frozenset[str]
    altered: bool = False
    cwd: str | Unknown = UNKNOWN
    line: Line | None = None
    _readings: tuple[Arguments, ...] = field(default=())

    def readings(self) -> tuple[Arguments, ...]:
        """The ways to read the words: one, or two where an unlisted option may take a value."""
        if not self._readings:
            self._readings = self.read_as(self.program or UNDESCRIBED)
        return self._readings

    @property
    def leading(self) -> str:
        """The first word that is no option, a sub-command for the most part; empty where it is not
        sure which that is, or where there is none."""
        readings = self.readings()
        first = readings[0]
        if len(readings) > 1 or not first.positional or first.program.prefixes:
            return ""
        for found in first.occurrences:
            if found.perhaps is not None:
                return ""
        word = first.positional[0]
        return word.text if type(word.text) is str and not word.glob else ""

    def read_as(self, program: Program) -> tuple[Arguments, ...]:
        """As `readings`, by another entry of the program."""
        first = read_arguments(program, self.words[1:], False, self.span)
        if not first.ambiguous:
            return (first,)
        return first, read_arguments(program, self.words[1:], True, self.span)


class RunFields(dict[str, Any]):
    """The fields of a `run` effect. Sub-command, options, operands and `idle` are read from the
    command's words when somebody asks for one of them."""

    __slots__ = ("command",)

    command: ParsedCommand

    def __missing__(self, name: str) -> Any:
        if name not in ("subcommand", "options", "operands", "idle"):
            raise KeyError(name)
        self.update(_read(self.command))
        return self[name]


def _read(command: ParsedCommand) -> dict[str, Any]:
    arguments = command.readings()[0]
    program = command.program or UNDESCRIBED
    operands = arguments.positional[len(arguments.path) :]
    subcommand: str | Unknown | None = " ".join(arguments.path) or None
    if program.commands and subcommand is None and operands:
        # One that nobody described.
        subcommand = operands[0].text
        operands = operands[1:]
    options: list[str | Unknown] = [item.name for item in arguments.occurrences]
    if arguments.unsure:
        options.append(UNKNOWN)
    return {
        "subcommand": subcommand,
        "options": tuple(options),
        "operands": tuple([word.text for word in operands]),
        "idle": all(reading.idle for reading in command.readings()),
    }
