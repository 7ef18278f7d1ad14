"""The texts of a call that are never shown: by the names of keys, by patterns, and by programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.model.values import UNKNOWN
from callgate.runtime.run_words import hidden_words

if TYPE_CHECKING:
    from callgate.model.effect import Effect, EffectSet, Secret
    from callgate.runtime.frame import Frame
    from callgate.runtime.masking import Masker

__all__ = ["call_secrets", "texts_of"]

_REPLACED: Final = re.compile(r"(?<!\\)\$[\w{(]|`")
"""What the shell replaces: where a secret comes from, which may be shown."""
_PAIR: Final = re.compile(r"-*([\w.][\w.-]*)[=:]\s*(\S.*)", re.DOTALL)
_DIVIDING: Final = re.compile(r"[\s\"'&;,)}]")
"""Where a pattern that looks for one word takes its end."""


def call_secrets(masker: Masker, frame: Frame, effects: EffectSet | None) -> tuple[str, ...]:
    """The texts to mask wherever they turn up in what is shown of a call, longest first. `effects`:
    those of the call, or None where they could not be read."""
    found = masker.secrets(frame.args, frame.context.get("extra"))
    if effects is None:
        return found
    told = [text for secret in effects.secrets for text in texts_of(secret, frame.args)]
    for effect in effects.by_kind.get("run", ()):
        told += _named(masker, effect)
    return masker.texts_in([*found, *told]) if told else found


def texts_of(secret: Secret, args: Mapping[str, Any]) -> Iterator[str]:
    """A secret, its lines, and how it is written where quotes or escapes stand in it. `args`: the
    arguments of the call."""
    yield secret.text
    yield from map(str.strip, secret.text.splitlines())
    source = args.get(secret.argument) if secret.argument is not None else None
    if isinstance(source, str):
        written = source[slice(*secret.span)]
        if secret.text not in written and not _REPLACED.search(written):
            yield written


def _named(masker: Masker, effect: Effect) -> Iterator[str]:
    """The values of words whose names say that they are secrets, of which patterns would find only
    a part."""
    words = effect.fields["words"]
    if words is UNKNOWN or not any(type(word) is str and _DIVIDING.search(word) for word in words):
        return
    yield from (word for word in hidden_words(masker, effect) if _DIVIDING.search(word))
    for word in words:
        pair = _PAIR.fullmatch(word) if isinstance(word, str) else None
        if pair and masker.is_secret(pair[1]) and _DIVIDING.search(pair[2]):
            yield pair[2]
