"""What has to happen to lanes when their process forks and when it ends."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Protocol
from weakref import WeakSet

from callgate.record.errors import RecordError

__all__ = ["ended", "forgets_locks", "shuts", "started"]


class _Forking(Protocol):
    def forked(self) -> None: ...


class _Shut(_Forking, Protocol):
    def forking(self) -> None: ...
    def went_on(self) -> None: ...


class _Open(_Forking, Protocol):
    def close(self) -> None: ...


# A lane that nobody closes stays open, whoever still knows it: at the end it has to be closed.
_OPEN: dict[int, _Open] = {}
_LOCKING: WeakSet[_Forking] = WeakSet()
_SHUTTING: WeakSet[_Shut] = WeakSet()


def started(lane: _Open) -> None:
    """Close this lane when the process ends, and tell it after a fork that it is in the child."""
    _OPEN[id(lane)] = lane


def ended(lane: _Open) -> None:
    """This lane is closed."""
    _OPEN.pop(id(lane), None)


def forgets_locks(thing: _Forking) -> None:
    """Tell this object, too, after a fork that it is in the child: a lock that another thread held
    is never released there."""
    _LOCKING.add(thing)


def shuts(thing: _Shut) -> None:
    """Tell this object before a fork (`forking`), and after it whether it is in the parent
    (`went_on`) or in the child (`forked`): what it holds open must not be open in both."""
    _SHUTTING.add(thing)


def _forking() -> None:
    for thing in list(_SHUTTING):
        thing.forking()


def _went_on() -> None:
    for thing in list(_SHUTTING):
        thing.went_on()


def _forked() -> None:
    for thing in [*_SHUTTING, *_LOCKING, *_OPEN.values()]:
        thing.forked()


def _close_all() -> None:
    for lane in list(_OPEN.values()):
        try:
            lane.close()
        except RecordError as error:
            sys.stderr.write(f"callgate: the records were not closed: {error}\n")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forking, after_in_parent=_went_on, after_in_child=_forked)
atexit.register(_close_all)
