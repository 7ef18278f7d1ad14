"""Text in quotes that a shell evaluates once more.

Subscripts and arithmetic run what stands in `$( )` or backticks in the names and in the values of
the variables that they use (`x='a[$(rm y)]'; ((x))`); prompts do the same (`${x@P}`). Which
variable ends up where is not followed: once a text evaluates anything, all that it holds may run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from callgate.effects.interpreted import HOLE
from callgate.effects.program_spec import Program
from callgate.effects.shell.heredocs import read_body
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import Word
from callgate.effects.shell.words import Place
from callgate.effects.state import State

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["Evaluated", "may_keep", "run_evaluated"]

_MAX_HELD: Final = 64
_MARKS: Final = ("$(", "`")
_IN_BACKTICKS: Final = re.compile(r"\\([\\$`])")
_KEEPS: Final = frozenset({"variable", "output", "environment"})


class Evaluated:
    """The texts of a walk that would run something if they were evaluated. `wanted`: the walk came
    by a place where texts are."""

    __slots__ = ("_held", "_seen", "wanted")

    def __init__(self) -> None:
        self.wanted = False
        self._held: dict[str, tuple[Word, State]] = {}
        self._seen = 0

    def hold(self, words: Iterable[Word], state: State) -> None:
        """Keep those of some words that would run something."""
        for word in words:
            if word.bare:
                continue
            text = _text(word)
            if any(mark in text for mark in _MARKS) and text not in self._held:
                self._held[text] = word, state.copy()

    def run(self, walker: Commands) -> None:
        """Run what is kept, if anything is evaluated at all."""
        while self.wanted and self._seen < len(self._held):
            word, state = list(self._held.values())[self._seen]
            self._seen += 1
            state.certain = False
            if self._seen > _MAX_HELD:
                reason = "more texts that may be evaluated than are looked at"
                walker.sink.opaque(reason, word.span, state.through)
                return
            run_evaluated(walker, word, state)


def may_keep(program: Program | None) -> bool:
    """Whether a program may put its words into variables, or print them; a function may."""
    if program is None or program.prints is not None:
        return True
    return not program.kinds.isdisjoint(_KEEPS)


def run_evaluated(walker: Commands, word: Word, state: State) -> None:
    """Run what stands in `$( )` and backticks in a word, quoted or not."""
    text = _text(word)
    try:
        commands = read_body(text, 0, len(text)).commands
    except ScanError:
        reason = "text that is evaluated, and not understood"
        walker.sink.opaque(reason, word.span, state.through)
        return
    known = isinstance(word.text, str) and word.offset >= 0
    for start, end in commands:
        inner = state.copy()
        inner.level += 1
        inner.enter(word.span)
        part, place = text[start:end], Place(0, word.span)
        if text[start - 1] == "`" and "\\" in part:
            part = _IN_BACKTICKS.sub(r"\1", part)
        elif known:
            place = Place(word.offset + start)
        walker.text(part, inner, place)


def _text(word: Word) -> str:
    if isinstance(word.text, str):
        return word.text
    return "".join(piece if isinstance(piece, str) else HOLE for piece in word.pieces)
