"""What the effects of calls without secrets come to in canonical JSON, written once for each set of
effects that is met again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callgate.model.effect import EffectSet
from callgate.record.values import canonical
from callgate.runtime.call_secrets import call_secrets
from callgate.runtime.effect_form import effect_form

if TYPE_CHECKING:
    from callgate.runtime.frame import Frame
    from callgate.runtime.masking import Masker

__all__ = ["EffectForms", "EffectsTold", "Shown"]

_NONE: Final = b"[]"
_MOST_TEXTS: Final = 4096
_LONGEST_TEXT: Final = 512
_MOST_SETS: Final = 1024
_LARGEST_SET: Final = 64
_MOST_BYTES: Final = 4 * 1024 * 1024
_PLACES: Final = frozenset({"read", "write", "delete", "mention"})


class Shown:
    """Values as `Masker.show` gives them; texts that were shown before are known. `secrets`: what
    is masked in all of them."""

    def __init__(self, masker: Masker, secrets: tuple[str, ...]) -> None:
        self._masker = masker
        self._secrets = secrets
        self._known: dict[str, str] = {}

    def show(self, value: Any) -> str:
        """A value as one safe line."""
        if type(value) is not str or len(value) > _LONGEST_TEXT:
            return self._masker.show(value, self._secrets)
        shown = self._known.get(value)
        if shown is None:
            shown = self._masker.show(value, self._secrets)
            if len(self._known) >= _MOST_TEXTS:
                self._known.clear()
            self._known[value] = shown
        return shown


class EffectsTold(NamedTuple):
    """What a set of effects comes to. `secret`: something in it must not be shown. `kept`: the set,
    so that its identity stays its own."""

    effects: bytes
    assumed: bytes
    secret: bool = False
    kept: EffectSet | None = None


_NO_EFFECTS: Final = EffectsTold(_NONE, _NONE)


class EffectForms:
    """Tells effects of calls without secrets. `shown`: how values are shown."""

    def __init__(self, masker: Masker, shown: Shown) -> None:
        self._masker = masker
        self._show = shown.show
        self._sets: dict[int, EffectsTold] = {}
        self._places: dict[Any, bytes] = {}
        self._bytes = 0

    def of(self, frame: Frame, effects: EffectSet) -> EffectsTold:
        """What the effects of a frame's call come to; of the call itself there is nothing to
        mask."""
        known = self._sets.get(id(effects))
        if known is not None:
            return known
        if not effects.all and not effects.assumed and not effects.secrets:
            return _NO_EFFECTS
        if len(effects.all) == 1 and not effects.secrets and effects.all[0].kind in _PLACES:
            place = self._place(effects)
            if place is not None:
                return place
        # The arguments hold none by themselves.
        runs = "run" in effects.by_kind
        secret = bool(effects.secrets or (runs and call_secrets(self._masker, frame, effects)))
        forms = [effect_form(effect, self._show, self._masker) for effect in effects.all]
        told = EffectsTold(canonical(forms), self._assumed(effects), secret, effects)
        # Only a set that a program keeps is met again; others take a place here for a while.
        if len(effects.all) <= _LARGEST_SET:
            self._bytes += len(told.effects)
            if len(self._sets) >= _MOST_SETS or self._bytes > _MOST_BYTES:
                self._sets.clear()
                self._bytes = 0
            self._sets[id(effects)] = told
        return told

    def _place(self, effects: EffectSet) -> EffectsTold | None:
        """What one path comes to, which is the same in each set that has no other effect."""
        effect = effects.all[0]
        values = tuple(effect.fields.values())
        if [type(value) for value in values] not in ([str], [str, bool]):
            return None
        key = (effect.kind, values, effect.certain, effect.span, effect.through)
        form = self._places.get(key)
        if form is None:
            form = canonical([effect_form(effect, self._show, self._masker)])
            if len(values[0]) <= _LONGEST_TEXT:
                if len(self._places) >= _MOST_TEXTS:
                    self._places.clear()
                self._places[key] = form
        return EffectsTold(form, self._assumed(effects))

    def _assumed(self, effects: EffectSet) -> bytes:
        return canonical([self._show(item) for item in effects.assumed])
