"""A call under settings that is tried, and changes of it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import orjson

__all__ = ["ABSENT", "Attempt", "Change", "Path"]

ABSENT: Final = object()
"""Stands for what a call does not carry."""

Path = tuple[str, ...]
"""The keys that lead to a value."""


@dataclass(frozen=True, slots=True)
class Change:
    """A new value at a path into `call` or `settings`, the first key."""

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call and the settings that it is decided under. `shown`: it is walked through the second
    flow as well."""

    call: Mapping[str, Any]
    settings: Mapping[str, Any]
    shown: bool = False

    def with_(self, change: Change) -> Attempt:
        """The same with a change made."""
        made = {"call": deepcopy(dict(self.call)), "settings": deepcopy(dict(self.settings))}
        at: dict[str, Any] = made
        for key in change.path[:-1]:
            inner = at.get(key)
            at[key] = inner if isinstance(inner, dict) else {}
            at = at[key]
        if change.value is ABSENT:
            at.pop(change.path[-1], None)
        else:
            at[change.path[-1]] = change.value
        return Attempt(made["call"], made["settings"], self.shown)

    def get(self, path: Path) -> Any:
        """The value at a path, or ABSENT."""
        value: Any = {"call": self.call, "settings": self.settings}
        for key in path:
            if not isinstance(value, Mapping) or key not in value:
                return ABSENT
            value = value[key]
        return value

    @property
    def key(self) -> bytes:
        """What tells it from others."""
        return orjson.dumps([self.call, self.settings, self.shown], option=orjson.OPT_SORT_KEYS)
