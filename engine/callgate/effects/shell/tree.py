"""The command tree: what a shell text runs, with its words decoded.

    Node = Command | Pipeline | Sequence | Block

Spans are (start, end) in code points of the argument's text; the end is exclusive. The tree is
built once and not changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from callgate.model.values import UNKNOWN, Unknown

__all__ = [
    "PIPES",
    "SLOT_BASE",
    "Assignment",
    "Block",
    "Command",
    "Node",
    "Pipeline",
    "Problem",
    "Redirect",
    "Script",
    "Sequence",
    "Slots",
    "Span",
    "Variable",
    "Word",
    "constant",
    "unresolved",
]

Span = tuple[int, int]
Text = str | Unknown


@dataclass(slots=True)
class Word:
    """One word, decoded as the shell does.

    `text` is the literal, or UNKNOWN; then `pieces` are its known parts and UNKNOWNs in turn, and
    `splits` says that it may become several words or none (`$X`, not `"$X"`). `home` is where a `~`
    stands that means a home folder nobody knows, or -1. `glob`: holds an active `*`, `?` or `[`.
    `offset` is where the text stands letter by letter in the argument, or -1. `nested` is what its
    substitutions run; `process`: it holds a process substitution (`<` or `>`). `below` marks a
    folder that stands for everything in it; with `glob`, it is a name somewhere below its folder.
    `bare`: written as it is meant, without quotes or escapes. `slots`: what a word that depends on
    variables is made of, for `callgate.effects.shell.slots`.
    """

    text: Text
    span: Span
    offset: int = -1
    bare: bool = False
    pieces: tuple[Text, ...] = ()
    splits: bool = False
    home: int = -1
    glob: bool = False
    process: str = ""
    nested: tuple[Node, ...] = ()
    below: bool = False
    slots: Slots | None = None

    @property
    def pipe(self) -> bool:
        """Whether it is a process substitution and nothing else: a pipe, not a file."""
        return self.process != "" and self.pieces == (PIPES, UNKNOWN)

    @property
    def fluid(self) -> bool:
        """Whether it may be an option, several words or none: what follows may shift."""
        if self.text is not UNKNOWN:
            return False
        first = self.pieces[0] if self.pieces else UNKNOWN
        return self.splits or not isinstance(first, str) or first.startswith("-")

    def tail(self, start: int) -> Word:
        """The word without its first `start` characters, which must be known."""
        if isinstance(self.text, str):
            offset = self.offset + start if self.offset >= 0 else -1
            home = self.home - start if self.home >= start else -1
            return Word(
                self.text[start:],
                self.span,
                offset,
                home=home,
                glob=self.glob,
                below=self.below,
            )
        first, *rest = self.pieces
        assert isinstance(first, str)
        pieces = (first[start:], *rest) if len(first) > start else tuple(rest)
        return Word(UNKNOWN, self.span, pieces=pieces, splits=self.splits, process=self.process)


@dataclass(slots=True)
class Variable:
    """A variable in a word: its name, and what stands for it where it is empty (`${X:-a}`). One
    without a name is what a `command` prints."""

    name: str
    default: str | None = None
    command: Command | Pipeline | None = None


@dataclass(slots=True)
class Slots:
    """The characters of a word with a mark for each (see `callgate.effects.shell.words`). A
    character that is unknown is `chr(BASE + n)` for the n-th of `variables`, else `?`."""

    chars: str
    marks: str
    variables: tuple[Variable, ...]


PIPES: Final = "/dev/fd/"
"""The folder of the pipes that process substitutions are."""

SLOT_BASE: Final = 0xF0000
"""The code point that stands for the first variable of a word."""


@dataclass(slots=True)
class Assignment:
    """`name=value` before a command or alone."""

    name: str
    value: Word


@dataclass(slots=True)
class Redirect:
    """A redirection. `operator` as written, without the descriptor: `>`, `>>`, `<`, `&>`, `>&`,
    `<<` (a here-document: `target` is its text), `<<<` … `descriptor`: the one that is written,
    where it is none of the standard three."""

    operator: str
    target: Word
    span: Span
    descriptor: str = ""


@dataclass(slots=True)
class Command:
    """A simple command; `words` is empty for bare assignments and redirections."""

    words: tuple[Word, ...]
    span: Span
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()


@dataclass(slots=True)
class Pipeline:
    """Commands joined by `|`, each in a process of its own."""

    items: tuple[Node, ...]


@dataclass(slots=True)
class Sequence:
    """Commands one after another. `operators[i]` stands before item i: "", "&&", "||" or "&"
    (item i-1 runs in the background)."""

    items: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(slots=True)
class Block:
    """A compound command.

    `kind`: `group` and `subshell` run their parts in order; `branch` runs the first `conditions`
    parts in order and any of the others; `loop` runs its parts again and again; `function` may
    run its part later. `words` are those of `for` and `case`; `variable` is that of a loop, or a
    function's name; an empty group may set its variable, or `sets` it.
    """

    kind: Literal["group", "subshell", "branch", "loop", "function"]
    parts: tuple[Node, ...]
    span: Span
    conditions: int = 0
    words: tuple[Word, ...] = ()
    variable: str = ""
    redirects: tuple[Redirect, ...] = ()
    sets: bool = False


Node = Command | Pipeline | Sequence | Block


@dataclass(slots=True)
class Problem:
    """Something in the text that was not understood, in the reader's words; `bound`: because it was
    too much to read."""

    reason: str
    span: Span
    bound: bool = False


@dataclass(slots=True)
class Script:
    """A whole text. `evaluates`: it has places where the values of variables are evaluated, as
    arithmetic or prompts; `forks`: a compound command runs beside it (`coproc {`)."""

    nodes: tuple[Node, ...]
    problems: tuple[Problem, ...] = ()
    evaluates: bool = False
    forks: bool = False


def constant(text: str, span: Span) -> Word:
    """A word that stands in no text."""
    return Word(text, span)


def unresolved(span: Span, *, splits: bool = False) -> Word:
    """A word of which nothing is known."""
    return Word(UNKNOWN, span, pieces=(UNKNOWN,), splits=splits)
