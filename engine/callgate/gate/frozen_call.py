"""The call as it was judged: bytes that nobody can change, and what they hash to.

An agent runtime hands over a dict that it, or one of the agent's tools, may still hold. What is
judged, shown to people and run is therefore a copy, made once, before anything looks at it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from math import isfinite
from typing import Any, Final, NamedTuple

import orjson

__all__ = [
    "MAX_CALL",
    "MAX_VALUES",
    "CallRefusedError",
    "Frozen",
    "FrozenCall",
    "copied",
    "freeze",
]

MAX_CALL: Final = 4_194_304
"""A call whose JSON is longer than this many bytes is not judged."""

MAX_VALUES: Final = 200_000
"""Nor is one of more values. Lists that hold the same list twice, level over level, are written
out each time: short to say, endless to write."""

_GATES_OWN: Final = frozenset({"answers", "settings", "observed"})
_FLAT: Final = 2
"""The levels of nearly every call: the call and its sections, which can't repeat anything."""
_MAX_DEPTH: Final = 64
"""Far beyond what a walk accepts, and far from what recursion does not."""

_KEYS: Final = frozenset({str})
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_NO_JSON: Final = "the call is not JSON"
_SORTED: Final = orjson.OPT_SORT_KEYS


class CallRefusedError(Exception):
    """What was given is no call that can be judged: an `R` code and what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class FrozenCall(Mapping[str, Any]):
    """A call that was copied: a mapping whose values are made anew each time they are read.

    `text`: its JSON, UTF-8.
    """

    __slots__ = ("text",)

    def __init__(self, text: bytes) -> None:
        self.text = text

    def copy(self) -> dict[str, Any]:
        """The call as a fresh dict, which the caller may change."""
        made: dict[str, Any] = orjson.loads(self.text)
        return made

    def __getitem__(self, key: str) -> Any:
        return self.copy()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(self.copy())

    def __repr__(self) -> str:
        return f"<FrozenCall of {len(self.text)} bytes>"


class Frozen(NamedTuple):
    """A frozen call, the same as a dict of the gate's own, and its digest."""

    call: FrozenCall
    copy: dict[str, Any]
    digest: str


def freeze(call: Any, aliases: Mapping[str, str]) -> Frozen:
    """Copy a call. `aliases`: other name of a tool → its name.

    The digest is the sha256, in hex, of the canonical JSON of `args` and `tool`, the tool by its
    own name. Raises CallRefusedError for what is no JSON object, is too large, or says what only
    the gate may say.
    """
    if type(call) is not dict:
        if not isinstance(call, Mapping) or isinstance(call, dict):
            raise CallRefusedError("R001", f"a call is an object, not {type(call).__name__}")
        call = dict(call)
    if not _GATES_OWN.isdisjoint(call):
        key = min(_GATES_OWN.intersection(call))
        raise CallRefusedError("R002", f"`{key}` is not the caller's to give")
    copy = copied(call)
    try:
        text = orjson.dumps(copy)
    except (TypeError, ValueError, RecursionError):
        raise CallRefusedError("R003", _NO_JSON) from None
    if len(text) > MAX_CALL:
        raise CallRefusedError("R004", f"the call is longer than {MAX_CALL} bytes")
    return Frozen(FrozenCall(text), copy, _digest(copy, aliases))


def copied(value: Any) -> Any:
    """A deep copy of JSON: exactly its types, so that no method of the caller's is ever called.
    Texts are shared, as nobody can change them. Raises CallRefusedError, also where writing it
    would be too long: what is there several times counts each time."""
    return _copied(value, 1, [MAX_VALUES, MAX_CALL])


def _spend(left: list[int], parts: Collection[Any]) -> None:
    """Count values, and the characters of those that are texts. Raises CallRefusedError."""
    left[0] -= len(parts)
    left[1] -= sum([len(part) for part in parts if type(part) is str])
    if left[0] < 0:
        raise CallRefusedError("R004", f"the call has more than {MAX_VALUES} values")
    if left[1] < 0:
        raise CallRefusedError("R004", f"the call is longer than {MAX_CALL} bytes")


def _copied(value: Any, depth: int, left: list[int]) -> Any:
    if depth > _MAX_DEPTH:
        raise CallRefusedError("R004", f"the call is nested deeper than {_MAX_DEPTH} levels")
    made: Any
    if type(value) is dict:
        made = value.copy()
        if not _KEYS.issuperset(map(type, made)):
            raise CallRefusedError("R003", _NO_JSON)
        if depth > _FLAT:
            _spend(left, made)
            _spend(left, made.values())
        if not _SCALARS.issuperset(map(type, made.values())):
            for key, part in made.items():
                if type(part) not in _SCALARS:
                    made[key] = _copied(part, depth + 1, left)
        return made
    if type(value) is list:
        made = value.copy()
        if depth > _FLAT:
            _spend(left, made)
        if not _SCALARS.issuperset(map(type, made)):
            for index, part in enumerate(made):
                if type(part) not in _SCALARS:
                    made[index] = _copied(part, depth + 1, left)
        return made
    if type(value) is float and isfinite(value):
        return value
    raise CallRefusedError("R003", _NO_JSON)


def _digest(copy: dict[str, Any], aliases: Mapping[str, str]) -> str:
    tool = copy.get("tool")
    if type(tool) is str:
        tool = aliases.get(tool, tool)
    canonical = orjson.dumps({"args": copy.get("args") or {}, "tool": tool}, option=_SORTED)
    return sha256(canonical).hexdigest()
