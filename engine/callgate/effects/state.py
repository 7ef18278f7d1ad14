"""The state in which a command of a shell text runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from callgate.effects.shell.tree import Word
from callgate.effects.sink import At
from callgate.model.values import Unknown

__all__ = ["State", "Stdin"]


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
