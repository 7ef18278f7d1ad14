"""Texts in which something is done without a command: `> notes.txt`."""

from __future__ import annotations

from typing import Final

from callgate.effects.command import ParsedCommand, RunFields
from callgate.effects.shell.tree import constant
from callgate.effects.sink import At, Sink

__all__ = ["add_bare"]

_NULL: Final = ":"
_COMMANDS: Final = frozenset({"run", "opaque"})


def add_bare(sink: Sink, mark: int, at: At) -> None:
    """Where a text has effects, from `mark` on, and runs nothing: add a `run` of the null command,
    which is what a shell takes it for. So no rule that allows what is run overlooks it. A variable
    that is set for nothing needs none."""
    effects = sink.effects
    if mark < len(effects) and effects[mark].kind == "run":
        return
    found = effects[mark:]
    if all(effect.kind == "environment" for effect in found):
        return
    if any(effect.kind in _COMMANDS for effect in found):
        return
    span = found[0].span or (0, 0)
    command = ParsedCommand((constant(_NULL, span),), span, None, sink.programs.trusted, True)
    fields = RunFields(program=_NULL, program_path=_NULL, words=())
    fields.command = command
    sink.run(fields, span, at, command)
