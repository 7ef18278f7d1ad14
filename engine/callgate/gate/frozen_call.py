"""The call as it was judged: bytes that nobody can change, and what they hash to.

An agent runtime hands over a dict that it, or one of the agent's tools, may still hold. What is
judged, shown to people and run is therefore a copy, made once, before anything looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

__all__ = ["MAX_CALL", "CallRefusedError", "Frozen", "FrozenCall", "freeze"]

MAX_CALL: Final = 4_194_304
"""A call whose JSON is longer than this many bytes is not judged."""

_GATES_OWN: Final = ("answers", "settings", "observed")
_STRICT: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
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
    for key in _GATES_OWN:
        if key in call:
            raise CallRefusedError("R002", f"`{key}` is not the caller's to give")
    try:
        text = orjson.dumps(call, option=_STRICT)
    except (TypeError, ValueError, RecursionError):
        raise CallRefusedError("R003", "the call is not JSON") from None
    if len(text) > MAX_CALL:
        raise CallRefusedError("R004", f"the call is longer than {MAX_CALL} bytes")
    copy: dict[str, Any] = orjson.loads(text)
    # NaN, tuples, enumerations and the like are written as something else than they are.
    if copy != call:
        raise CallRefusedError("R003", "the call is not JSON")
    return Frozen(FrozenCall(text), copy, _digest(copy, aliases))


def _digest(copy: dict[str, Any], aliases: Mapping[str, str]) -> str:
    tool = copy.get("tool")
    if type(tool) is str:
        tool = aliases.get(tool, tool)
    canonical = orjson.dumps({"args": copy.get("args") or {}, "tool": tool}, option=_SORTED)
    return sha256(canonical).hexdigest()
