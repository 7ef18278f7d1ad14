"""Whether break-glass is in force: a period that ends, whatever happens to the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from callgate.gate.clock import Clock, now
from callgate.gate.control_state import BreakGlass

__all__ = ["GlassTimer", "Uptime", "uptime"]

Uptime = Callable[[], tuple[str, float]]
"""Gives which start of the machine this is ("" if it doesn't say) and the seconds since then."""

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def uptime() -> tuple[str, float]:
    """The machine's own: no setting of its clock changes it, and sleep counts."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return _boot(), time.monotonic() if clock is None else time.clock_gettime(clock)


@cache
def _boot() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()[:64]
    except (OSError, ValueError):
        return ""


class GlassTimer:
    """Tells whether a break-glass entry is in force. What was once over stays over.

    Three things end it: the clock outside of its period; more time gone by in this process, since
    it was first seen here, than was left then; more time gone by since it was made, where the
    machine is the same and was not started again. `clock` and `uptime` give the times.
    """

    def __init__(self, clock: Clock = now, uptime: Uptime = uptime) -> None:
        self._clock = clock
        self._uptime = uptime
        self._entry: BreakGlass | None = None
        self._deadline = 0.0
        self._over = False

    def in_force(self, entry: BreakGlass | None) -> bool:
        """Whether this entry is in force now; None never is."""
        if entry is None:
            return False
        boot, seconds = self._uptime()
        time = self._clock()
        if entry != self._entry:
            lasts = (entry.until - entry.at).total_seconds()
            deadline = seconds + min((entry.until - time).total_seconds(), lasts)
            if boot and boot == entry.boot:
                deadline = min(deadline, entry.uptime + lasts)
            self._deadline, self._over, self._entry = deadline, False, entry
        if time > entry.until or seconds >= self._deadline:
            self._over = True
        return not self._over and time >= entry.at
