"""What an operator has set, as it stands in `control.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

__all__ = [
    "MOST_MINUTES",
    "BreakGlass",
    "ControlState",
    "Frozen",
    "decode_control",
    "encode_control",
]

MOST_MINUTES: Final = 240
"""How long break-glass may last."""

_VERSION: Final = 1
_LONGEST: Final = 2_000
_LARGEST: Final = 2**53


@dataclass(frozen=True, slots=True)
class Frozen:
    """Nothing is allowed without a person. `by`: who said so; `at`: when, None where nobody did and
    the state can't be read; `why`: in their words, not escaped."""

    by: str
    at: datetime | None
    why: str


@dataclass(frozen=True, slots=True)
class BreakGlass:
    """Where a person would be asked, the call passes, from `at` until `until`.

    `by`, `why`: who said so and their words, not escaped. `boot`, `uptime`: which start of the
    machine it was, and how many seconds after it, so that setting the clock back gains nothing; ""
    where the machine doesn't say.
    """

    by: str
    at: datetime
    until: datetime
    why: str
    boot: str = ""
    uptime: float = 0.0


@dataclass(frozen=True, slots=True)
class ControlState:
    """What an operator has set.

    `generation` rises with each reload; `digest` (`sha256:…`) is the version that it named, None
    before the first. `pinned`: that version is one from the past and stands in the folder of
    versions; else it is what the policy's source gives. `problem`: why the file can't be used, ""
    where it can; `frozen` is then set.
    """

    generation: int = 0
    digest: str | None = None
    pinned: bool = False
    frozen: Frozen | None = None
    break_glass: BreakGlass | None = None
    problem: str = ""


def encode_control(state: ControlState) -> bytes:
    """The text of `control.json`."""
    frozen, glass = state.frozen, state.break_glass
    document = {
        "version": _VERSION,
        "generation": state.generation,
        "digest": state.digest,
        "pinned": state.pinned,
        "frozen": frozen and {"by": frozen.by, "at": _text(frozen.at), "why": frozen.why},
        "break_glass": glass
        and {
            "by": glass.by,
            "at": _text(glass.at),
            "until": _text(glass.until),
            "why": glass.why,
            "boot": glass.boot,
            "uptime": glass.uptime,
        },
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode_control(data: bytes) -> ControlState:
    """The state in a text of `control.json`. Raises ValueError, which says what is wrong and quotes
    nothing, for whatever `encode_control` wouldn't write."""
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise ValueError("it is not JSON") from None
    told = _Told(document, "it", {"version", "generation", "digest"}, {"pinned", *_ENTRIES})
    if told.number("version") != _VERSION:
        raise ValueError("it is of another version")
    digest = None if document["digest"] is None else told.text("digest")
    pinned = document.get("pinned", False)
    if type(pinned) is not bool or (pinned and digest is None):
        raise ValueError("`pinned` is malformed")
    return ControlState(
        generation=told.number("generation"),
        digest=digest,
        pinned=pinned,
        frozen=_frozen(document.get("frozen")),
        break_glass=_break_glass(document.get("break_glass")),
    )


_ENTRIES: Final = ("frozen", "break_glass")


def _frozen(form: Any) -> Frozen | None:
    if form is None:
        return None
    told = _Told(form, "`frozen`", {"by", "at", "why"})
    return Frozen(told.text("by"), told.time("at"), told.text("why"))


def _break_glass(form: Any) -> BreakGlass | None:
    if form is None:
        return None
    told = _Told(form, "`break_glass`", {"by", "at", "until", "why"}, {"boot", "uptime"})
    at, until = told.time("at"), told.time("until")
    if not timedelta() < until - at <= timedelta(minutes=MOST_MINUTES):
        raise ValueError("`break_glass` lasts too long, or no time at all")
    boot = told.text("boot") if "boot" in form else ""
    uptime = form.get("uptime", 0.0)
    if type(uptime) not in (int, float) or not 0 <= uptime <= _LARGEST:
        raise ValueError("`uptime` is malformed")
    return BreakGlass(told.text("by"), at, until, told.text("why"), boot, float(uptime))


class _Told:
    """An object with exactly the keys that it should have."""

    def __init__(
        self, form: Any, what: str, needed: set[str], allowed: set[str] | None = None
    ) -> None:
        if type(form) is not dict:
            raise ValueError(f"{what} is no object")
        if not needed <= form.keys() <= needed | (allowed or set()):
            raise ValueError(f"{what} has other keys than it should")
        self._form: Mapping[str, Any] = form

    def text(self, key: str) -> str:
        value = self._form[key]
        if type(value) is not str or len(value) > _LONGEST:
            raise ValueError(f"`{key}` is malformed")
        return value

    def number(self, key: str) -> int:
        value = self._form[key]
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise ValueError(f"`{key}` is malformed")
        return value

    def time(self, key: str) -> datetime:
        try:
            time = datetime.fromisoformat(self.text(key))
        except ValueError:
            raise ValueError(f"`{key}` is malformed") from None
        if time.tzinfo is None:
            raise ValueError(f"`{key}` has no time zone")
        return time.astimezone(UTC)


def _text(time: datetime | None) -> str:
    return "" if time is None else time.astimezone(UTC).isoformat()
