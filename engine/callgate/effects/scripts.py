"""Scripts that a text writes and runs by their path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.effects.apply import Application
from callgate.effects.argument_reader import UNDESCRIBED
from callgate.effects.command import ParsedCommand
from callgate.effects.interpreted import SHELL, run_inline, run_known
from callgate.effects.made_files import interpreter
from callgate.effects.state import State

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["run_made"]


def run_made(walker: Commands, command: ParsedCommand, state: State) -> None:
    """Run a script that the text wrote, by its path."""
    head = command.words[0]
    path = walker.sink.paths.lexical(head, state.cwd)
    text = walker.files.texts.get(path) if isinstance(path, str) else None
    if text is not None:
        app = Application(walker, command, state)
        app.entry = UNDESCRIBED
        named = interpreter(str(text.text))
        language = walker.sink.programs.language(named) if named else SHELL
        run_known(app, path, lambda word: run_inline(app, language, [word], app.state, True))
