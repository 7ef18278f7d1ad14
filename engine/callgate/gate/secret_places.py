"""Whether secrets that a call's programs are given would be masked where they are none.

An agent chooses what a program is given for a password: a word that another command works on, or
the same one, could be hidden that way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from callgate.effects.command import ParsedCommand
from callgate.runtime.call_secrets import texts_of
from callgate.runtime.run_words import line_of_run, shown_words

if TYPE_CHECKING:
    from callgate.effects.shell.tree import Span, Word
    from callgate.model.effect import Effect, EffectSet, Secret
    from callgate.runtime.render import View

__all__ = ["hides_in_commands"]


def hides_in_commands(view: View, effects: EffectSet) -> bool:
    """Whether some command has a word that is masked and no secret of its own: the secret of
    another command, or more often there than it is given as one."""
    frame = view.frame
    assert frame is not None
    given: dict[str, list[Secret]] = {}
    for secret in effects.secrets:
        for text in dict.fromkeys(texts_of(secret, frame.args)):
            given.setdefault(text, []).append(secret)
    changes = effects.of("changes")
    return any(
        len(places.unexplained) > _credited(places, run, given.get(text, ()), changes)
        for run in effects.by_kind.get("run", ())
        for text, places in _places(view, run).items()
    )


class _Places(NamedTuple):
    """Where a masked text begins in a command's line: where the words around it say nothing of it,
    and where they do."""

    unexplained: list[int]
    explained: list[int]


def _places(view: View, run: Effect) -> dict[str, _Places]:
    """The places of the masked texts in a command's words."""
    line = line_of_run(run)
    found: dict[str, _Places] = {}
    own: Sequence[tuple[int, int]] | None = None
    for secret in view.secrets:
        at = line.find(secret)
        while at >= 0:
            own = view.masker.hidden(line) if own is None else own
            explained = any(start < at + len(secret) and at < end for start, end in own)
            places = found.setdefault(secret, _Places([], []))
            (places.explained if explained else places.unexplained).append(at)
            at = line.find(secret, at + 1)
    return found


def _credited(
    places: _Places, run: Effect, secrets: Iterable[Secret], changes: Iterable[Effect]
) -> int:
    """For how many places secrets answer of which the words around say nothing. A secret answers
    for its own place: where that is explained, it answers for no other."""
    mine = [secret for secret in secrets if _belongs(secret, run, changes)]
    if not mine or not places.explained:
        return len(mine)
    starts = _starts(run)
    words = run.data.words
    left = Counter(_word_of(secret, words) for secret in mine)
    for at in places.explained:
        index = bisect_right(starts, at) - 1
        span = words[index].span if index < len(words) else None
        if left[span] > 0:
            left[span] -= 1
    return left.total()


def _starts(run: Effect) -> list[int]:
    """Where each word begins in a command's line."""
    return [0, *accumulate(len(word) + 1 for word in shown_words(run)[:-1])]


def _word_of(secret: Secret, words: Sequence[Word]) -> Span | None:
    """The span of the word that a secret stands in; None where it is in no word."""
    start, end = secret.span
    return next(
        (word.span for word in words if word.span[0] <= start and end <= word.span[1]), None
    )


def _belongs(secret: Secret, run: Effect, changes: Iterable[Effect]) -> bool:
    """Whether a secret is one of the words of a command, of what the command is a wrapper of, or
    of what it prints for the command that is fed with it, and for no file."""
    command = run.data
    if secret.argument != run.argument or not isinstance(command, ParsedCommand):
        return False
    if secret.fed:
        prints = command.program is not None and command.program.prints is not None
        return prints and all(_within(effect, secret) for effect in changes)
    if command is secret.command:
        return True
    depth = len(run.through)
    inner = secret.through
    return inner[:depth] == run.through and inner[depth : depth + 1] == (run.fields["program"],)


def _within(effect: Effect, secret: Secret) -> bool:
    """Whether an effect is one of the command that a secret is given to."""
    if effect.span is None or effect.argument != secret.argument:
        return False
    start, end = secret.command.span
    return bool(start <= effect.span[0] and effect.span[1] <= end)
