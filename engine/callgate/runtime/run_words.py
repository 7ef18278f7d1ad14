"""The words of a `run` effect, as far as they may be shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callgate.model.values import UNKNOWN
from callgate.runtime.masking import MASK

if TYPE_CHECKING:
    from callgate.model.effect import Effect
    from callgate.runtime.masking import Masker

__all__ = ["hidden_words", "line_of_run", "showing_words", "shown_words"]


def line_of_run(effect: Effect) -> str:
    """The words of a `run` effect in one line, as they are."""
    return " ".join(shown_words(effect))


def shown_words(effect: Effect) -> list[str]:
    """The program and the words of a `run` effect, `…` for one that nobody knows."""
    words = effect.fields["words"]
    given = [effect.fields["program_path"], *(() if words is UNKNOWN else words)]
    return [_shown(word) for word in given]


def hidden_words(masker: Masker, effect: Effect) -> set[str]:
    """The words of a `run` effect that are hidden because of the word before them."""
    line, words = line_of_run(effect), effect.fields["words"]
    ranges = masker.hidden(line)
    found: set[str] = set()
    if not ranges or words is UNKNOWN:
        return found
    at = len(line)
    for word in reversed(words):
        end, at = at, at - len(_shown(word))
        # From behind, as the words: what begins after this one is no matter to those before it.
        while ranges and ranges[-1][0] >= end:
            ranges.pop()
        hidden = bool(ranges) and at < ranges[-1][1]
        if hidden and word is not UNKNOWN and not masker.hidden(word):
            found.add(word)
        at -= 1
    return found


def showing_words(
    masker: Masker, effect: Effect, show: Callable[[Any], str]
) -> Callable[[Any], str]:
    """`show`, for the values of an effect: of a `run` effect it hides what stands after the name of
    a secret, too."""
    hidden = hidden_words(masker, effect) if effect.kind == "run" else None
    return (lambda value: MASK if value in hidden else show(value)) if hidden else show


def _shown(word: Any) -> str:
    return "…" if word is UNKNOWN else str(word)
