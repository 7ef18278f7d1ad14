"""A parsed command: what a `run` effect carries for command patterns."""

from __future__ import annotations

from dataclasses import dataclass, field

from callgate.effects.argument_reader import UNDESCRIBED, read_arguments
from callgate.effects.arguments import Arguments
from callgate.effects.program_spec import Program
from callgate.effects.shell.tree import Span, Word

__all__ = ["ParsedCommand"]


@dataclass(slots=True, eq=False)
class ParsedCommand:
    """The words of a command, the program first, with what is known of the program.

    `trusted`: folders whose programs an allowing rule may trust. `altered`: assignments or
    redirections to files stand with it.
    """

    words: tuple[Word, ...]
    span: Span
    program: Program | None
    trusted: frozenset[str]
    altered: bool = False
    _readings: tuple[Arguments, ...] = field(default=())

    def readings(self) -> tuple[Arguments, ...]:
        """The ways to read the words: one, or two where an unlisted option may take a value."""
        if not self._readings:
            program = self.program or UNDESCRIBED
            first = read_arguments(program, self.words[1:], False, self.span)
            if first.ambiguous:
                second = read_arguments(program, self.words[1:], True, self.span)
                self._readings = (first, second)
            else:
                self._readings = (first,)
        return self._readings
