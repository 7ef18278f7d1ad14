"""Names that stand for something else in what follows (`alias x=rm`, `hash -p /bin/rm x`)."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from callgate.effects.interpreted import HOLE
from callgate.effects.shell.tree import Word
from callgate.effects.shell.words import Place
from callgate.effects.state import State
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["Aliases"]

_MAX_ALIASES: Final = 256
_MAX_RUNS: Final = 64


class Aliases:
    """What names stand for. `anywhere`: they may also stand for a word that is no command."""

    __slots__ = ("_runs", "anywhere", "texts")

    def __init__(self) -> None:
        self.texts: dict[str, Word] = {}
        self.anywhere = False
        self._runs = _MAX_RUNS

    def add(self, walker: Commands, name: str, word: Word, state: State) -> None:
        """Note that a name stands for a text."""
        text = word.text
        # After a blank at its end, the next word may be one, too.
        self.anywhere |= not isinstance(text, str) or text[-1:].isspace()
        if len(self.texts) < _MAX_ALIASES:
            self.texts[name] = word
        else:
            reason = "more names stand for something than are followed"
            walker.sink.opaque(reason, word.span, state.through, bound=True)

    def run(self, walker: Commands, words: tuple[Word, ...], state: State) -> None:
        """Run a command as it is where names stand for something; that is in doubt, as it depends
        on the shell and its settings."""
        among = words if self.anywhere else words[:1]
        used = {w.text: self.texts[w.text] for w in among if w.text in self.texts}
        if not used:
            return
        span = (words[0].span[0], max(words[0].span[1], words[-1].span[1]))
        self._runs -= 1
        if self._runs < 0:
            walker.sink.opaque("too many aliases", span, state.through, bound=True)
            return
        parts = []
        for index, word in enumerate(words):
            if word.text in used and (self.anywhere or not index):
                text = used[word.text].text
                parts.append(text if isinstance(text, str) else HOLE)
            else:
                parts.append(shlex.quote(word.text) if isinstance(word.text, str) else HOLE)
        inner = state.inside(str(words[0].text), state.cwd, same_shell=True)
        inner.certain = False
        mark = len(walker.changes.log)
        # A name stands for itself in its own text.
        kept = self.texts
        self.texts = {name: word for name, word in kept.items() if name not in used}
        walker.text(" ".join(parts), inner, Place(0, span))
        self.texts = {**kept, **self.texts}
        walker.printed = None
        walker.forget(mark, state)
        if inner.cwd != state.cwd:
            state.cwd = UNKNOWN
