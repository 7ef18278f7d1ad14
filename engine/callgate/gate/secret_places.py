"""Whether secrets that a call's programs are given would be masked where they are none.

An agent chooses what a program is given for a password: a word that another command works on, or
the same one, could be hidden that way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from callgate.effects.command import ParsedCommand
from callgate.runtime.call_secrets import texts_of
from callgate.runtime.run_words import line_of_run

if TYPE_CHECKING:
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
        places > sum(_belongs(secret, run, changes) for secret in given.get(text, ()))
        for run in effects.by_kind.get("run", ())
        for text, places in _unexplained(view, run).items()
    )


def _unexplained(view: View, run: Effect) -> dict[str, int]:
    """The masked texts in a command's words of which the words around them say nothing, with how
    often they are there."""
    line = line_of_run(run)
    found: dict[str, int] = {}
    own: Sequence[tuple[int, int]] | None = None
    for secret in view.secrets:
        at = line.find(secret)
        while at >= 0:
            own = view.masker.hidden(line) if own is None else own
            if not any(start < at + len(secret) and at < end for start, end in own):
                found[secret] = found.get(secret, 0) + 1
            at = line.find(secret, at + 1)
    return found


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
