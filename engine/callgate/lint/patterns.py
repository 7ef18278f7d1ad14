"""What two command patterns are to each other, for every command.

Held to the matcher by `tests/lint/test_patterns.py`. In a guard, two sub-commands of one program
are not apart: in `git --new push pull`, where nobody described `--new`, `push` may be its value.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Final

from callgate.lint.globs import glob_covers, globs_apart
from callgate.model.expr import CommandMatch
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern

__all__ = ["apart", "covers", "index_keys", "programs"]

_MOST_KEYS: Final = 8

_Words = Sequence[WordPattern]


def covers(outer: CommandMatch, inner: CommandMatch) -> bool:
    """Whether one test holds wherever another does, and is unknown or holds where that is
    unknown."""
    one, other = outer.pattern, inner.pattern
    if not isinstance(one, CommandPattern) or not isinstance(other, CommandPattern):
        return False
    if outer.strict is not inner.strict or outer.run != inner.run:
        return False
    if not _each(other.program, one.program):
        return False
    rest = (one.words, one.options, one.optional, one.closed)
    if rest == (other.words, other.options, other.optional, other.closed):
        return True
    if one.closed or (outer.strict and (_has_options(one) or _has_options(other))):
        return False  # where it allows, what a pattern says of options changes how words are read
    if len(one.words) > len(other.words):
        return False
    if not all(map(_position_covers, one.words, other.words)):
        return False
    return all(any(_option_covers(a, b) for b in other.options) for a in one.options)


def apart(one: CommandMatch, other: CommandMatch) -> bool:
    """Whether, wherever one of two tests of a command holds, the other is false."""
    mine, theirs = one.pattern, other.pattern
    if not isinstance(mine, CommandPattern) or not isinstance(theirs, CommandPattern):
        return False
    if one.run != other.run:
        return False
    if _none(mine.program, theirs.program):
        return True
    if not mine.words or not theirs.words or _assigned(mine.words[0] + theirs.words[0]):
        return False
    if not _none(mine.words[0], theirs.words[0]):
        return False
    # The first word is the same one to both where there is no option, or where both read alike.
    bare = any(item.closed and not _has_options(item) for item in (mine, theirs))
    alike = one.strict and other.strict and not (_has_options(mine) or _has_options(theirs))
    return bare or alike


def programs(test: CommandMatch) -> tuple[str, ...] | None:
    """The programs of a test, where it names them; one of them is the command's."""
    assert isinstance(test.pattern, CommandPattern)
    names = tuple(word.pieces[0] for word in test.pattern.program)
    return names if all(len(word.pieces) == 1 for word in test.pattern.program) else None


def index_keys(test: CommandMatch) -> list[tuple[Hashable, Hashable]]:
    """A program and its first word, or None for any, of which each command that fits has one; none
    where there are too many."""
    assert isinstance(test.pattern, CommandPattern)
    names = programs(test)
    first = test.pattern.words[0] if test.pattern.words else ()
    literal = bool(first) and all(len(word.pieces) == 1 for word in first)
    words = [word.pieces[0] for word in first] if literal else [None]
    if names is None or len(names) * len(words) > _MOST_KEYS:
        return []
    return list(product(names, words))


def _has_options(pattern: CommandPattern) -> bool:
    return bool(pattern.options or pattern.optional)


def _assigned(words: _Words) -> bool:
    """Whether one of these words may be an option to some program, as `of=x` is to dd."""
    return any("=" in word.pieces[0] for word in words)


def _position_covers(outer: tuple[WordPattern, ...], inner: tuple[WordPattern, ...]) -> bool:
    return outer == inner or (not _assigned(outer + inner) and _each(inner, outer))


def _option_covers(outer: OptionPattern, inner: OptionPattern) -> bool:
    """Whether an option of a pattern is there wherever another is."""
    return outer.value in (None, inner.value) and set(inner.names) <= set(outer.names)


def _each(inner: _Words, outer: _Words) -> bool:
    """Whether each of these words is one of those."""
    return all(any(_word_covers(one, item) for one in outer) for item in inner)


def _none(some: _Words, others: _Words) -> bool:
    """Whether no word is one of both."""
    return all(_words_apart(one, other) for one in some for other in others)


def _word_covers(outer: WordPattern, inner: WordPattern) -> bool:
    if outer == inner:
        return True
    return _plain(outer, inner) and glob_covers("*".join(outer.pieces), "*".join(inner.pieces))


def _words_apart(one: WordPattern, other: WordPattern) -> bool:
    return _plain(one, other) and globs_apart("*".join(one.pieces), "*".join(other.pieces))


def _plain(*words: WordPattern) -> bool:
    """Whether in these words no star stands for itself."""
    return not any("*" in piece for word in words for piece in word.pieces)
