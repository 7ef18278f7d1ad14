"""What an operator has set for running gates: the version of the policy, freeze, break-glass.

One small file, which each check looks at. It is replaced as a whole by whoever holds the lock
beside it. A file that can't be read, or that was there and is gone, freezes the gate.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from callgate.gate.clock import Clock, now
from callgate.gate.control_state import (
    MOST_MINUTES,
    BreakGlass,
    ControlState,
    Frozen,
    decode_control,
    encode_control,
)
from callgate.gate.glass import GlassTimer, Uptime, uptime
from callgate.gate.state import StateError, StateFolder
from callgate.storage.files import locked, read_own, write_own

__all__ = ["Control"]

_MOST_BYTES: Final = 65_536
_NOTHING: Final = ControlState()
_Signature = tuple[int, int, int, int]
_MISSING: Final[_Signature] = (0, 0, 0, 0)
_UNUSABLE: Final[_Signature] = (1, 0, 0, 0)


class Control:
    """The control file of a state folder; safe to share between threads and processes.

    `clock` and `uptime` give the times that break-glass is measured by.
    """

    def __init__(self, folder: StateFolder, clock: Clock = now, uptime: Uptime = uptime) -> None:
        self._path = folder.control
        self._name = os.fspath(folder.control)
        self._lock = folder.control.with_name(f"{folder.control.name}.lock")
        self._clock = clock
        self._uptime = uptime
        self._timer = GlassTimer(clock, uptime)
        self._seen = False
        # One attribute: another thread never sees one file's state with another's signature.
        self._last: tuple[_Signature, ControlState] = (_MISSING, _NOTHING)
        self.read()

    # -- reading

    @property
    def state(self) -> ControlState:
        """What was last read."""
        return self._last[1]

    def read(self) -> ControlState:
        """What is set now: one look at the file's status when it is as it was. Never raises: what
        can't be read is frozen, and says why in `problem`."""
        try:
            status = os.lstat(self._name)
            signature = (status.st_mtime_ns, status.st_ino, status.st_size, status.st_ctime_ns)
        except FileNotFoundError:
            signature = _MISSING
        except OSError:
            signature = _UNUSABLE
        last, state = self._last
        return state if signature == last else self._load()

    def glass(self) -> BreakGlass | None:
        """The break-glass that is in force now, after another look at the file; None when none is,
        or when everything is frozen."""
        state = self.read()
        entry = state.break_glass
        if entry is None or state.frozen is not None:
            return None
        return entry if self._timer.in_force(entry) else None

    def _load(self) -> ControlState:
        signature = _UNUSABLE
        try:
            data, status = read_own(self._path, _MOST_BYTES)
            signature = _signature(status)
            state = decode_control(data)
        except FileNotFoundError:
            # Until somebody sets something there is no file; one that vanished was taken away.
            signature = _MISSING
            state = _unusable(f"`{self._path}` is gone") if self._seen else _NOTHING
        except StateError as error:
            state = _unusable(str(error))
        except ValueError as error:
            state = _unusable(f"`{self._path}` is malformed: {error}")
        self._seen = self._seen or signature != _MISSING
        if state == self.state:
            state = self.state  # who compares by identity sees no change
        self._last = signature, state
        return state

    # -- setting

    def publish(self, digest: str, *, pinned: bool = False) -> ControlState:
        """Name the version that gates are to run, and raise the generation. `pinned`: it is one
        from the past. Gives what was written; raises StateError, as all of these do."""
        return self._change(
            lambda old: replace(old, generation=old.generation + 1, digest=digest, pinned=pinned)
        )

    def freeze(self, by: str, why: str = "") -> ControlState:
        """Let nothing pass without a person. A freeze that is on already keeps its words."""
        entry = Frozen(by, self._clock(), why)
        return self._change(lambda old: old if old.frozen else replace(old, frozen=entry))

    def unfreeze(self) -> ControlState:
        """End the freeze, if there is one."""
        return self._change(lambda old: replace(old, frozen=None))

    def break_glass(self, minutes: int, why: str, by: str) -> ControlState:
        """Let calls pass where a person would be asked, for 1 to 240 minutes; a new period takes
        the place of an old one. Raises ValueError for another number, or without a reason."""
        if type(minutes) is not int or not 1 <= minutes <= MOST_MINUTES:
            raise ValueError(f"break-glass lasts 1 to {MOST_MINUTES} minutes")
        if not why.strip():
            raise ValueError("break-glass needs a reason")
        at, (boot, seconds) = self._clock(), self._uptime()
        until = at + timedelta(minutes=minutes)
        entry = BreakGlass(by, at, until, why, boot, seconds)
        return self._change(lambda old: replace(old, break_glass=entry))

    def end_break_glass(self) -> ControlState:
        """End break-glass, if it is on."""
        return self._change(lambda old: replace(old, break_glass=None))

    def _change(self, change: Callable[[ControlState], ControlState]) -> ControlState:
        with locked(self._lock):
            try:
                data, status = read_own(self._path, _MOST_BYTES)
                old, later_than, there = decode_control(data), status.st_mtime_ns, True
            except FileNotFoundError:
                old, later_than, there = _NOTHING, 0, False
            except ValueError as error:
                raise StateError(
                    f"`{self._path}` is malformed: {error}; gates let nothing pass without a"
                    " person until it is removed and set anew"
                ) from None
            new = change(old)
            if new == old and there:
                return old
            text = encode_control(new)
            try:
                decode_control(text)
            except ValueError as error:
                raise StateError(f"this can't be set: {error}") from None
            write_own(self._path, text, later_than)
        self.read()
        return new


def _unusable(problem: str) -> ControlState:
    return ControlState(frozen=Frozen("", None, problem), problem=problem)


def _signature(status: os.stat_result) -> _Signature:
    return status.st_mtime_ns, status.st_ino, status.st_size, status.st_ctime_ns
