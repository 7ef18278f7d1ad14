"""The gate's own folder is nobody's to change, wherever an operator has put it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from callgate.gate.patterns import is_active, may_match

if TYPE_CHECKING:
    from callgate.gate.state import StateFolder
    from callgate.model.effect import Effect, EffectSet

__all__ = ["OwnFolder"]

_CHANGES: Final = frozenset({"write", "delete", "permission", "device"})
_WHOLE: Final = frozenset({"delete", "permission"})
"""Kinds that change what is in a folder even if they are for the folder alone: it may be moved."""


class OwnFolder:
    """The places of a state folder: as it was named, and where that leads."""

    def __init__(self, state: StateFolder) -> None:
        named = os.fspath(state.path)
        self._places = tuple({named, os.path.realpath(named)})

    def is_changed_by(self, effects: EffectSet | None) -> bool:
        """Whether effects change something in this folder, or a tree that holds it."""
        if effects is None or _CHANGES.isdisjoint(effects.by_kind):
            return False
        return any(
            self._holds(effect) for kind in _CHANGES for effect in effects.by_kind.get(kind, ())
        )

    def _holds(self, effect: Effect) -> bool:
        path = effect.fields["path"]
        if not isinstance(path, str):
            return False
        whole = effect.kind in _WHOLE or effect.fields.get("tree", False) is not False
        return any(
            path == place
            or path.startswith(f"{place}/")
            or (whole and place.startswith(f"{path.rstrip('/*')}/"))
            or (is_active(path) and _matches(path, place, whole))
            for place in self._places
        )


def _matches(path: str, place: str, whole: bool) -> bool:
    """Whether a path with patterns of names may be a place, or below it; `whole`: or above it."""
    parts, names = path.split("/"), place.split("/")
    for part, name in zip(parts, names, strict=False):
        if part == "**":
            # Any folder, this one too.
            return True
        if not may_match(name, part):
            return False
    return whole or len(parts) >= len(names)
