"""Commands that a program which nobody described may run: `parallel rm -rf ::: /etc`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.effects.apply import Application
from callgate.effects.command import ParsedCommand
from callgate.effects.program_spec import Program
from callgate.effects.shell.tree import Word
from callgate.effects.state import State

if TYPE_CHECKING:
    from callgate.effects.walk import Walker

__all__ = ["walk_tail"]

_KINDS: Final = frozenset({"delete", "device", "permission"})
"""What counts. Not `power`: `halt` and `reboot` are also what tools call it for other machines."""


def walk_tail(walker: Walker, name: str, words: tuple[Word, ...], state: State) -> None:
    """Add what the words from the first destructive program on would do, as doubtful effects.
    `name`: the program in front, which nobody described."""
    sink = walker.sink
    for index in range(1, len(words) - 1):
        text = words[index].text
        if not isinstance(text, str) or (text[:1] != "/" and "/" in text):
            continue
        program = sink.programs.get(text.rpartition("/")[2])
        if program is None or not _destroys(program):
            continue
        tail = words[index:]
        span = (tail[0].span[0], max(tail[0].span[1], tail[-1].span[1]))
        command = ParsedCommand(tail, span, program, sink.programs.trusted)
        inner = state.inside(name, state.cwd)
        inner.certain = False
        kept, sink.only = sink.only, _KINDS
        try:
            Application(walker, command, inner).run()
        finally:
            sink.only = kept
        return


def _destroys(program: Program) -> bool:
    return any(effect.kind in _KINDS for effect in program.effects) or any(
        _destroys(command) for command in program.commands.values()
    )
