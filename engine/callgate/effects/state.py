"""The state in which a command of a shell text runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from callgate.effects.shell.slots import Value
from callgate.effects.shell.tree import Span, Word
from callgate.effects.sink import At
from callgate.model.values import Unknown

__all__ = ["Changes", "Scope", "State", "Stdin"]

Scope = tuple[Any, ...]
"""Where variables are set: (), or the scope around it with what makes this one."""

_NOTHING: Final[Mapping[str, Value]] = {}
_FUNCTION: Final = "function"
_FIXED: Final = ("fixed",)


@dataclass(slots=True)
class Stdin:
    """Where standard input comes from. `since`: how many connections there were before the
    pipeline that it comes out of. `word`: the text, or the file; in a pipe, what stands for the
    names that come out of it."""

    kind: Literal["pipe", "text", "file"]
    since: int = 0
    word: Word | None = None


@dataclass(slots=True)
class State(At):
    """As At, with standard input, `level`: how many shells and wrappers are around it, and
    `remote`: whether its input or output is a connection; the `values` of variables that are
    surely known, and the `scope` in which they are set."""

    stdin: Stdin | None = None
    level: int = 0
    remote: bool = False
    values: Mapping[str, Value] = field(default_factory=lambda: _NOTHING)
    scope: Scope = ()

    def copy(self) -> State:
        """A state of its own, for what can't change this one."""
        return State(
            self.cwd,
            self.through,
            self.certain,
            self.stdin,
            self.level,
            self.remote,
            self.values,
            self.scope,
        )

    def inside(self, wrapper: str, cwd: str | Unknown, same_shell: bool = False) -> State:
        """The state of what a wrapper or interpreter runs."""
        inner = self.copy()
        inner.cwd = cwd
        inner.through = (*self.through, wrapper)
        inner.level += 1
        if not same_shell:
            inner.values = _NOTHING
        return inner

    def enter(self, span: Span, function: bool = False) -> None:
        """Enter a scope of its own: a function, or a text that runs elsewhere or later."""
        self.scope = (*self.scope, (_FUNCTION if function else "text", span))
        self.values = _NOTHING


@dataclass(slots=True)
class Changes:
    """What a text does that makes its words mean different things at different times.

    It sets HOME or (`search`) the folders in which `cd` looks; it changes the folder, also in
    `loops`; it has `functions`, which run later, and of which one may change the folder
    (`wanders`). `log`: the variables that it sets, in order; `writers`: how often, by scope;
    `looped`: those that loops set. `separators`: it sets where values are divided; `wild`: nobody
    knows what it sets, or when.
    """

    home: bool = False
    search: bool = False
    moves: bool = False
    wanders: bool = False
    functions: set[str] = field(default_factory=set)
    loops: set[Span] = field(default_factory=set)
    log: list[str | None] = field(default_factory=list)
    writers: dict[str, dict[Scope, int]] = field(default_factory=dict)
    looped: dict[Span, set[str | None]] = field(default_factory=dict)
    separators: bool = False
    wild: bool = False

    def assigned(self, name: str | None, scope: Scope = ()) -> None:
        """Note that a variable is set; None for one that nobody knows."""
        self.home |= name in (None, "HOME")
        self.search |= name in (None, "CDPATH")
        # What `$PWD` says afterwards is not where commands run.
        self.moves |= name == "PWD"
        self.separators |= name in (None, "IFS")
        self.log.append(name)
        if name is None:
            self.wild |= scope != ()
        else:
            scopes = self.writers.setdefault(name, {})
            scopes[scope] = scopes.get(scope, 0) + 1

    def unseen(self, scope: Scope) -> None:
        """Note that text that nobody knows runs in this shell."""
        self.moves = True
        self.log.append(None)
        self.wild |= scope != ()

    def never(self, name: str) -> None:
        """Note that what is written to a variable may not be its value (`declare -i`)."""
        self.writers.setdefault(name, {})["never",] = 1

    def fix(self, name: str) -> None:
        """Note that a variable keeps the value that it got first (`readonly`)."""
        self.writers.setdefault(name, {})[_FIXED] = 1

    def tells(self, name: str, scope: Scope) -> bool:
        """Whether what a scope sets a variable to is its value until the scope sets it again."""
        if self.wild:
            return False
        scopes = self.writers.get(name)
        if not scopes:
            return True
        if _FIXED in scopes:
            return len(scopes) == 2 and scopes.get(scope) == 1
        if len(scopes) > 1 or scope not in scopes:
            return False
        # A function may run while it runs.
        return scopes[scope] == 1 or not any(item[0] == _FUNCTION for item in scope)

    def adds_to(self, known: Changes) -> bool:
        """Whether variables mean less than the walk believed that knew `known`."""
        return (
            (self.wild and not known.wild)
            or (self.separators and not known.separators)
            or any(not names <= known.looped.get(at, set()) for at, names in self.looped.items())
            or any(
                scopes.keys() - known.writers.get(name, {}).keys()
                for name, scopes in self.writers.items()
                if len(scopes) > 1 or any(scopes)
            )
        )
