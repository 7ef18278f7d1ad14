"""The call as it was judged: bytes that nobody can change, and what they hash to.

An agent runtime hands over a dict that it, or one of the agent's tools, may still hold. What is
judged, shown to people and run is therefore a copy, made once, before anything looks at it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from typing import Any, Final

import orjson

__all__ = [
    "MAX_CALL",
    "MAX_TEXTS",
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

MAX_TEXTS: Final = 20_000
"""Nor is one of more texts, the names of values among them: each may be a path, and is read as one
where nobody described the tool."""

_GATES_OWN: Final = frozenset({"answers", "settings", "observed"})
_FEW: Final = 64
"""Nearly every section of a call is flat, and has no more values than these."""
_MAX_DEPTH: Final = 64
"""Far beyond what a walk accepts, and far from what recursion does not."""

_SCALARS: Final = frozenset({str, int, bool, type(None)})
_NO_JSON: Final = "the call is not JSON"
_SORTED: Final = orjson.OPT_SORT_KEYS
_NONE: Final[Mapping[str, str]] = {}


class CallRefusedError(Exception):
    """What was given is no call that can be judged: an `R` code and what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class FrozenCall(Mapping[str, Any]):
    """A call that was copied: a mapping whose values are made anew each time they are read.

    `text`: its JSON, UTF-8. `aliases`: other name of a tool → its name.
    """

    __slots__ = ("_aliases", "_digest", "text")

    def __init__(self, text: bytes, aliases: Mapping[str, str] = _NONE) -> None:
        self.text = text
        self._aliases = aliases
        self._digest = ""

    @property
    def digest(self) -> str:
        """The sha256, in hex, of the canonical JSON of `args` and `tool`, the tool by its own name.
        Made when it is first asked for: most calls pass without."""
        if not self._digest:
            call = self.copy()
            tool = call.get("tool")
            if type(tool) is str:
                tool = self._aliases.get(tool, tool)
            canonical = orjson.dumps({"args": call.get("args") or {}, "tool": tool}, option=_SORTED)
            self._digest = sha256(canonical).hexdigest()
        return self._digest

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


@dataclass(slots=True)
class Frozen:
    """A frozen call, and the same as a dict of the gate's own."""

    call: FrozenCall
    copy: dict[str, Any]

    @property
    def digest(self) -> str:
        """That of the call."""
        return self.call.digest


def freeze(call: Any, aliases: Mapping[str, str]) -> Frozen:
    """Copy a call. `aliases`: other name of a tool → its name.

    Raises CallRefusedError for what is no JSON object, is too large, or says what only the gate may
    say.
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
    return Frozen(FrozenCall(text, aliases), copy)


def copied(value: Any) -> Any:
    """A deep copy of JSON: exactly its types, so that no method of the caller's is ever called.
    Texts are shared, as nobody can change them. Raises CallRefusedError, also where writing it
    would be too long: what is there several times counts each time. A key that nothing is put under
    is left to the JSON, which takes texts alone."""
    left = [MAX_VALUES, MAX_CALL, MAX_TEXTS]
    if type(value) is not dict:
        return _copied(value, 1, left)
    made = value.copy()
    for key, part in made.items():
        if type(part) in _SCALARS:
            continue
        if type(key) is not str:
            raise CallRefusedError("R003", _NO_JSON)
        if type(part) is dict and len(part) <= _FEW:
            below = part.copy()
            if _SCALARS.issuperset(map(type, below.values())):
                made[key] = below
                continue
        made[key] = _copied(part, 2, left)
    return made


def _spend(left: list[int], parts: Collection[Any]) -> None:
    """Count values, and the characters of those that are texts. Raises CallRefusedError."""
    texts = [len(part) for part in parts if type(part) is str]
    left[0] -= len(parts)
    left[1] -= sum(texts)
    left[2] -= len(texts)
    if left[0] < 0:
        raise CallRefusedError("R004", f"the call has more than {MAX_VALUES} values")
    if left[1] < 0:
        raise CallRefusedError("R004", f"the call is longer than {MAX_CALL} bytes")
    if left[2] < 0:
        raise CallRefusedError("R004", f"the call has more than {MAX_TEXTS} texts")


def _copied(value: Any, depth: int, left: list[int]) -> Any:
    if depth > _MAX_DEPTH:
        raise CallRefusedError("R004", f"the call is nested deeper than {_MAX_DEPTH} levels")
    made: Any
    if type(value) is dict:
        made = value.copy()
        _spend(left, made)
        _spend(left, made.values())
        if not _SCALARS.issuperset(map(type, made.values())):
            for key, part in made.items():
                if type(part) not in _SCALARS:
                    if type(key) is not str:
                        raise CallRefusedError("R003", _NO_JSON)
                    made[key] = _copied(part, depth + 1, left)
        return made
    if type(value) is list:
        made = value.copy()
        _spend(left, made)
        if not _SCALARS.issuperset(map(type, made)):
            for index, part in enumerate(made):
                if type(part) not in _SCALARS:
                    made[index] = _copied(part, depth + 1, left)
        return made
    if type(value) is float and isfinite(value):
        return value
    raise CallRefusedError("R003", _NO_JSON)
