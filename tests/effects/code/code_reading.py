"""What the tests of code share: the effects of a text in a language, as a test writes them."""

from __future__ import annotations

from typing import Final

from callgate.model.effect import EffectSet
from tests.effects.reading import EXTRACTOR, HERE, shown

_CODE: Final = {"text": ("arg", "code", None), "language": ("arg", "language", None)}


def effects_of(text: str, language: str = "python") -> EffectSet:
    """The effects of a text."""
    arguments = {"code": text, "language": language}
    return EXTRACTOR.extract([("code", _CODE)], arguments, HERE)


def shown_of(text: str, language: str = "python") -> list[str]:
    """The effects of a text, without `run` and the first, which says that it is interpreted."""
    found = [effect for effect in effects_of(text, language).all if effect.kind != "run"]
    return [shown(effect) for effect in found[1:]]


def opaque_of(text: str, language: str = "python") -> list[str]:
    """Why a text is opaque."""
    found = effects_of(text, language).by_kind.get("opaque", [])
    return [effect.fields["reason"] for effect in found]
