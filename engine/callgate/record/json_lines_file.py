"""The segment file that a lane writes to."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from callgate.record.chain_lock import leave
from callgate.record.durability import sync_data
from callgate.record.errors import RecordError
from callgate.record.folder import said, sync_folder
from callgate.record.segments import path_of
from callgate.record.store import Sync

__all__ = ["APPENDING", "SegmentFile"]

APPENDING: Final = (
    os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)
"""How a segment is opened to be written."""

_NONE: Final = -1
_AROUND: Final = 1024
"""Bytes of a line beside its record, and of a seal."""

_LOOK_EVERY: Final = 0.05
"""Seconds. It costs as much as half a write, so not each time: what is written in between is lost
with all the rest that was in the file that somebody removed."""


class SegmentFile:
    """See `Sink`. `folder`: of the chain; `lock`: the descriptor that holds it; `handle`: of the
    segment's file, none where nothing more is to be written there; `limit`: bytes of a segment."""

    def __init__(
        self,
        folder: Path,
        lock: int,
        number: int,
        first: int,
        *,
        handle: int = _NONE,
        limit: int,
        sync: Sync,
    ) -> None:
        self.chain = folder.name
        self.number = number
        self.first = first
        self._folder = folder
        self._lock = lock
        self._handle = handle
        self._limit = limit
        self._sync: Sync = sync
        self._each = sync == "each"
        self._look_at = 0.0
        self._lost = ""

    def full(self, size: int, more: int) -> bool:
        """See `Sink`."""
        return size + more + _AROUND > self._limit

    def write(self, line: bytes, size: int) -> int:
        """See `Sink`."""
        data = line + b"\n"
        now = monotonic()
        if now >= self._look_at:
            self._look(size)
            self._look_at = now + _LOOK_EVERY
        handle = self._handle
        try:
            written = os.write(handle, data)
            while written < len(data):
                # A disk that is nearly full takes a part, and says why when asked to go on.
                written += os.write(handle, data[written:])
            if self._each:
                sync_data(handle)
        except OSError as error:
            raise RecordError(f"`{self._path}` can't be written: {said(error)}") from None
        return size + written

    def cut(self, seq: int, size: int) -> None:
        """See `Sink`."""
        if self._handle == _NONE:
            return
        try:
            if not self._lost and os.fstat(self._handle).st_size > size:
                os.ftruncate(self._handle, size)
        except OSError as error:
            raise RecordError(f"`{self._path}` can't be cut: {said(error)}") from None
        self._look(size)

    def seal(self) -> None:
        """See `Sink`."""
        if self._handle == _NONE:
            return
        try:
            if self._sync != "written":
                sync_data(self._handle)
            os.fchmod(self._handle, 0o400)
        except OSError as error:
            raise RecordError(f"`{self._path}` can't be sealed: {said(error)}") from None

    def next(self, number: int, first: int, line: bytes) -> tuple[SegmentFile, int]:
        """See `Sink`."""
        path = path_of(self._folder, number)
        try:
            handle = os.open(path, APPENDING | os.O_CREAT | os.O_EXCL, 0o600)
            following = SegmentFile(
                self._folder,
                self._lock,
                number,
                first,
                handle=handle,
                limit=self._limit,
                sync=self._sync,
            )
            try:
                size = following.write(line, 0)
                if self._sync != "written":
                    sync_folder(self._folder)
                    sync_folder(self._folder.parent)
            except BaseException:
                os.close(handle)
                path.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise RecordError(f"`{path}` can't be begun: {said(error)}") from None
        self._close_file()
        return following, size

    def to_sync(self) -> int:
        """See `Sink`."""
        return os.dup(self._handle)

    def close(self) -> None:
        """See `Sink`."""
        self._close_file()
        leave(self._lock)

    def forked(self) -> None:
        """See `Sink`."""
        self._close_file()
        os.close(self._lock)

    @property
    def _path(self) -> Path:
        return path_of(self._folder, self.number)

    def _look(self, size: int) -> None:
        """Raises RecordError, from then on each time, where the file is no longer the one that this
        lane writes alone: going on would hide that."""
        if not self._lost:
            try:
                status, lock = os.fstat(self._handle), os.fstat(self._lock)
            except OSError as error:
                raise RecordError(f"`{self._path}` can't be used: {said(error)}") from None
            if not status.st_nlink or not lock.st_nlink:
                self._lost = f"`{self._path}` or its lock was removed or replaced"
            elif status.st_size != size:
                self._lost = f"`{self._path}` was changed by somebody else"
        if self._lost:
            self._look_at = 0.0
            raise RecordError(self._lost)

    def _close_file(self) -> None:
        if self._handle != _NONE:
            with suppress(OSError):
                os.close(self._handle)
            self._handle = _NONE
