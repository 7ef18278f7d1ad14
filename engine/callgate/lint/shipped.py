"""The data that rules of the catalogue come with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2
import yaml

from callgate.resources import lint_data

__all__ = [
    "SecretShape",
    "placeholder",
    "placeholder_word",
    "public_suffixes",
    "secret_shapes",
    "system_folders",
]


@dataclass(frozen=True, slots=True)
class SecretShape:
    """What a kind of secret looks like. `near`: texts in lower case of which one must be there."""

    title: str
    near: tuple[str, ...]
    pattern: Any


@cache
def _data(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load(lint_data(name))
    return found


@cache
def public_suffixes() -> frozenset[str]:
    """Domains under which anybody can get a name, lower case."""
    return frozenset(name for names in _data("suffixes.yaml").values() for name in names)


@cache
def system_folders() -> frozenset[str]:
    """Folders at the top of a disk that hold the system or everybody's files, lower case."""
    return frozenset(name for names in _data("folders.yaml").values() for name in names)


@cache
def secret_shapes() -> tuple[SecretShape, ...]:
    """The shapes of well-known secrets."""
    return tuple(
        SecretShape(title, tuple(entry["near"]), re2.compile(entry["pattern"]))
        for title, entry in _data("secrets.yaml")["shapes"].items()
    )


@cache
def placeholder() -> Any:
    """An expression that finds what is written where a secret would stand."""
    return re2.compile("|".join(_data("secrets.yaml")["placeholders"]))


@cache
def placeholder_word() -> Any:
    """An expression that finds words that stand for a secret where nothing else does."""
    return re2.compile("|".join(_data("secrets.yaml")["words"]))
