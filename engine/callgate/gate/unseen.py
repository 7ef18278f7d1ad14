"""What of a call nobody sees: its effects say that there is something, and not what it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callgate.model.effect import Effect, EffectSet

__all__ = ["CHANGES", "is_unseen", "unknown_changes"]

CHANGES: Final = frozenset({"write", "delete", "permission", "device"})
"""Kinds of effect that change what lies at a path."""

_UNSEEN: Final = frozenset({"mention", "opaque", "schedule", "service", "sql"})
"""Kinds of effect beside which nobody knows what becomes of what the call names."""


def is_unseen(effects: EffectSet) -> bool:
    """Whether part of what a call does is not seen: code, SQL, programs that nobody described, a
    change of what nobody knows."""
    kinds = effects.by_kind
    if not _UNSEEN.isdisjoint(kinds):
        return True
    for effect in kinds.get("interpret", ()):
        # What a shell is told in the call itself is read as the call is.
        if effect.fields["language"] != "shell" or effect.fields["source"] != "inline":
            return True
    for run in kinds.get("run", ()):
        if run.data is None or run.data.program is None:
            return True
    return any(True for _ in unknown_changes(effects))


def unknown_changes(effects: EffectSet) -> Iterator[Effect]:
    """The changes of what nobody knows."""
    kinds = effects.by_kind
    if not CHANGES.isdisjoint(kinds):
        for kind in CHANGES:
            for effect in kinds.get(kind, ()):
                if not isinstance(effect.fields["path"], str):
                    yield effect
