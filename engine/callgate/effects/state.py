"""The state in which a command of a shell text runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from callgate.effects.shell.tree import Span, Word
from callgate.effects.sink import At
from callgate.model.values import Unknown

__all__ = ["Changes", "State", "Stdin"]


@dataclass(slots=True)
class Stdin:
    """Where standard input comes from. `since`: how many connections there were before the
    pipeline that it comes out of. `word`: the text, or the file."""

    kind: Literal["pipe", "text", "file"]
    since: int = 0
    word: Word | None = None


@dataclass(slots=True)
class State(At):
    """As At, with standard input, and `level`: how many shells and wrappers are around it."""

    stdin: Stdin | None = None
    level: int = 0

    def copy(self) -> State:
        """A state of its own, for what can't change this one."""
        return State(self.cwd, self.through, self.certain, self.stdin, self.level)

    def inside(self, wrapper: str, cwd: str | Unknown) -> State:
        """The state of what a wrapper or interpreter runs."""
        return State(cwd, (*self.through, wrapper), self.certain, self.stdin, self.level + 1)


@dataclass(slots=True)
class Changes:
    """What a text does that makes its words mean different things at different times.

    It sets HOME or (`search`) the folders in which `cd` looks; it changes the folder, also in
    `loops`; it has `functions`, which run later, and of which one may change the folder
    (`wanders`).
    """

    home: bool = False
    search: bool = False
    moves: bool = False
    wanders: bool = False
    functions: set[str] = field(default_factory=set)
    loops: set[Span] = field(default_factory=set)

    def assigned(self, name: str | None) -> None:
        """Note that a variable is set; None for one that nobody knows."""
        self.home |= name in (None, "HOME")
        self.search |= name in (None, "CDPATH")
        # What `$PWD` says afterwards is not where commands run.
        self.moves |= name == "PWD"
