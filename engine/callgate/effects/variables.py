"""The variables of a shell text, as far as their values are surely known.

A value counts where the text surely gave it and nothing may have changed it since. What a function
or a trap sets may change at any time, so such a variable is known only where nobody else sets it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from callgate.effects.shell.slots import Value, fill, value_of
from callgate.effects.shell.tree import Variable, Word, unresolved
from callgate.effects.shell.words import WORKING
from callgate.effects.sink import Sink
from callgate.effects.state import Changes, State

__all__ = ["Variables"]

_SEPARATORS: Final = "IFS"
_BLANKS: Final[Value] = (" \t\n", "qqq")
_NOTHING: Final = Changes()
_MAX_VARIABLES: Final = 256
_MAX_COPIED: Final = 200_000
_OWN: Final = frozenset(
    [
        *("BASHOPTS", "BASHPID", "BASH_ARGC", "BASH_ARGV", "BASH_COMMAND", "BASH_LINENO"),
        *("BASH_REMATCH", "BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSION", "COLUMNS", "DIRSTACK"),
        *("EPOCHREALTIME", "EPOCHSECONDS", "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "LINENO"),
        *("LINES", "MAPFILE", "OLDPWD", "OPTARG", "OPTIND", "PIPESTATUS", "PPID", "PWD", "RANDOM"),
        *("REPLY", "SECONDS", "SHELLOPTS", "SHLVL", "SRANDOM", "UID", "_"),
    ]
)
"""The variables that a shell sets by itself."""


class Variables:
    """What a walk knows of variables. `changes` is what it finds, `known` what an earlier walk
    found; `downloads`: the words whose substitutions connect to somewhere, by identity; `touched`:
    the names whose values were used; `outputs`: what commands in substitutions print, by their
    identity; `pipes`: what is read from process substitutions, by the identity of their words;
    `lost`: text that nobody knows ran in this shell."""

    _left = _MAX_COPIED

    def __init__(self, sink: Sink, known: Changes | None = None) -> None:
        self.sink = sink
        self.known = known or _NOTHING
        self.changes = Changes()
        self.downloads: dict[int, Word] = {}
        self.touched: set[str] = set()
        self.lost = False
        self.outputs: dict[int, Value] = {}
        self.pipes: dict[int, tuple[Word, Word]] = {}

    def doubt(self) -> None:
        """Note that the text is not understood: no variable is known any more."""
        self.known = replace(self.known, wild=True)

    def lose(self, state: State) -> None:
        """Note that text that nobody knows runs in this shell."""
        self.lost = True
        self.changes.unseen(state.scope)
        state.values = {}

    def assign(self, name: str | None, value: Value | None, state: State) -> None:
        """Note that a variable is set, to something known or not; None for one nobody knows."""
        self.changes.assigned(name, state.scope)
        if name is None:
            state.values = {}
        elif value is None or len(state.values) >= _MAX_VARIABLES:
            if name in state.values:
                state.values = {n: v for n, v in state.values.items() if n != name}
        else:
            state.values = {**state.values, name: value}

    def forget(self, mark: int, state: State) -> None:
        """Forget the values of what may have been set since the log was `mark` long."""
        log = self.changes.log
        if len(log) > mark:
            self.drop(set(log[mark:]), state)

    def drop(self, names: set[str | None], state: State) -> None:
        """Forget the values of some variables; None stands for all."""
        if None in names:
            state.values = {}
        elif not names.isdisjoint(state.values):
            state.values = {n: v for n, v in state.values.items() if n not in names}

    def value(self, name: str, state: State) -> Value | None:
        """A variable's value, where it is surely known."""
        known = self.known
        if name == WORKING:
            found = self._folder(state)
        elif name == _SEPARATORS:
            found = None if known.separators or known.wild else _BLANKS
        else:
            found = state.values.get(name)
            if found is not None and (name in _OWN or not known.tells(name, state.scope)):
                found = None
        if found is not None:
            self._left -= len(found[0])
            if self._left < 0:
                return None
            self.touched.add(name)
        return found

    def _folder(self, state: State) -> Value | None:
        """What `$PWD` is: the folder in which commands run, where nobody sets it."""
        cwd, known = state.cwd, self.known
        if not isinstance(cwd, str) or not cwd.startswith("/") or known.wild or self.lost:
            return None
        if WORKING in known.writers or WORKING in self.changes.writers:
            return None
        return cwd, "q" * len(cwd)

    def _value(self, variable: Variable, state: State) -> Value | None:
        if variable.command is None:
            return self.value(variable.name, state)
        return self.outputs.get(id(variable.command))

    def resolve(self, words: tuple[Word, ...], state: State) -> tuple[Word, ...]:
        """Words with the values of variables put in."""
        made: list[Word] = []
        changed = False
        for word in words:
            found = self._fill(word, state) if word.slots is not None else None
            if found is None:
                made.append(word)
            else:
                changed = True
                made += found
        return tuple(made) if changed else words

    def resolve_one(self, word: Word, state: State, *, divides: bool = True) -> Word:
        """A word where there is only one. `divides`: several are none that is known."""
        if word.slots is None:
            return word
        if not divides:
            marks = word.slots.marks.replace("u", "v")
            word = replace(word, slots=replace(word.slots, marks=marks))
        found = self._fill(word, state)
        if found is None:
            return word
        return found[0] if len(found) == 1 else unresolved(word.span, splits=True)

    def _fill(self, word: Word, state: State) -> list[Word] | None:
        assert word.slots is not None
        if "u" in word.slots.marks and (self.known.separators or self.known.wild):
            # Nobody knows where a value is divided.
            return None
        found = fill(word, lambda variable: self._value(variable, state))
        if found is not None and id(word) in self.downloads:
            self.downloads.update((id(item), item) for item in found)
        return found

    def values_of(self, words: tuple[Word, ...], state: State) -> list[Value] | None:
        """The values that a `for` loop gives its variable, in order; None when not all are
        known."""
        values = []
        for word in self.resolve(words, state):
            value = value_of(word, names_files=True)
            if value is None:
                return None
            values.append(value)
        return values
