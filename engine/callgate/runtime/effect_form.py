"""An effect in the JSON form of a decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from callgate.model.effect import EFFECT_KINDS, Effect, EffectSet
from callgate.model.values import UNKNOWN
from callgate.runtime.masking import MASK, MAX_SHOWN, Masker
from callgate.runtime.run_words import showing_words

__all__ = ["effect_form", "of_command"]

_MOST_ITEMS: Final = 64


def effect_form(effect: Effect, show: Callable[[Any], str], masker: Masker) -> dict[str, Any]:
    """An effect in its JSON form; what could not be resolved is null and named. `show` makes any
    value fit to be shown; `masker` tells which words of a command only the word before them makes a
    secret."""
    show = showing_words(masker, effect, show)
    shown: dict[str, Any] = {"kind": effect.kind}
    unresolved = []
    for name in EFFECT_KINDS[effect.kind].fields:
        if name in ("certain", "through"):
            continue
        # Not `get`: some fields are read when they are asked for.
        value = effect.fields[name] if effect.kind == "run" else effect.fields.get(name)
        if value is UNKNOWN:
            unresolved.append(name)
        shown[name] = _plain(value, show)
    if effect.kind == "environment":
        shown["value"] = _assigned(shown["value"], effect.fields, show)
    shown["certain"] = effect.certain
    shown["span"] = list(effect.span) if effect.span else None
    if effect.through:
        shown["through"] = [show(name) for name in effect.through]
    if unresolved:
        shown["unresolved"] = unresolved
    return shown


def _assigned(
    value: str | None, fields: Mapping[str, Any], show: Callable[[Any], str]
) -> str | None:
    """The value of a variable: what is a secret may be told by its name alone."""
    name, given = fields["name"], fields["value"]
    if value is None or not isinstance(name, str) or not isinstance(given, str):
        return value
    given = given[:MAX_SHOWN]
    shown = f"{show(name)}={show(given)}"
    return value if show(f"{name}={given}")[: MAX_SHOWN - 1] == shown[: MAX_SHOWN - 1] else MASK


def of_command(effect: Effect, effects: EffectSet | None) -> bool:
    """Whether an effect comes from a command as a whole, and none of its words says it."""
    commands = effects.by_kind.get("run", []) if effects and effect.kind != "run" else []
    return any(run.span == effect.span and run.argument == effect.argument for run in commands)


def _plain(value: Any, show: Callable[[Any], str]) -> Any:
    if value is None or value is UNKNOWN:
        return None
    if isinstance(value, bool | int):
        return value
    if isinstance(value, list | tuple):
        return [None if item is UNKNOWN else show(item) for item in value[:_MOST_ITEMS]]
    return show(value)
