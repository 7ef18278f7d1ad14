"""Command patterns: what `` r is `git push (--force|-f)` `` matches on a parsed command."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CommandPattern", "OptionPattern", "WordPattern"]


@dataclass(frozen=True, slots=True)
class WordPattern:
    """One word: `pieces` are literal texts with a `*` between each two neighbours.

    `("git",)` is the literal `git`; `("", ":main")` is `*:main`; `("", "")` is `*`.
    """

    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OptionPattern:
    """An option: `names` as written (`--force`, `-f`), any of which will do.

    `value` is None when the pattern says nothing of a value (`--force`), else its word pattern
    (`--output=*`).
    """

    names: tuple[str, ...]
    value: WordPattern | None = None


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """A whole pattern.

    `program`: alternatives for the program's base name. `words`: positions in order, each a tuple
    of alternatives, that must follow one another after global options (sub-commands and operands).
    `options`: each must occur, in any order and spelling. `optional`: options that may occur
    (written `[--verbose]`), which matters for a closed pattern only. `closed`: written with a
    final `$`: nothing else may occur.
    """

    program: tuple[WordPattern, ...]
    words: tuple[tuple[WordPattern, ...], ...] = ()
    options: tuple[OptionPattern, ...] = ()
    optional: tuple[OptionPattern, ...] = ()
    closed: bool = False
