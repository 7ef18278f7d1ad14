"""Files of the gate's own: written whole or not at all, read only where nobody else could have
written them, and never through a link."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from callgate.compiler.ownership import not_own
from callgate.storage.errors import StateError

__all__ = ["locked", "read_own", "write_own"]

_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_PATIENCE: Final = 10.0
_PAUSE: Final = 0.01


def read_own(path: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """What stands in a file, and the status of the very file that was read.

    `limit`: how many bytes it may hold. Raises FileNotFoundError where there is none, and
    StateError where it is a link, belongs to or may be written by others, or can't be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _FLAGS)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise StateError(f"`{path}` is no file")
            if why := not_own(path, status):
                raise StateError(why)
            # Whoever holds the other name could write here. A file just replaced has none left.
            if status.st_nlink > 1:
                raise StateError(f"`{path}` has a second name")
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        if path.is_symlink():
            raise StateError(f"`{path}` is a link") from None
        raise StateError(f"`{path}` can't be read: {_said(error)}") from None
    if len(data) > limit:
        raise StateError(f"`{path}` is larger than {limit} bytes")
    return data, status


def write_own(path: Path, data: bytes, later_than: int = 0) -> None:
    """Put a file in place, mode 0600: after a crash it is the old one or the new one. To be called
    under `locked`: two writers would take the same file beside.

    `later_than`: a time in nanoseconds that the file's own must lie after, so that it can be told
    from the one before even if both were written within one tick of the clock. Raises StateError;
    the old file then stays, unless the message says otherwise.
    """
    beside = path.with_name(f"{path.name}.new")
    try:
        with suppress(FileNotFoundError):
            beside.unlink()  # left by a process that was killed
        try:
            _write(beside, data, later_than)
            beside.replace(path)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise StateError(f"`{path}` can't be written: {_said(error)}") from None
    try:
        _sync_folder(path.parent)
    except OSError as error:
        said = f"`{path}` is written, but may not outlast a power cut: {_said(error)}"
        raise StateError(said) from None


def _write(path: Path, data: bytes, later_than: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        when = max(time.time_ns(), later_than + 1)
        os.utime(path, ns=(when, when), follow_symlinks=False)
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Be the only one, among all threads and processes, that is inside with this lock file.

    The lock is the system's: it ends with the process that holds it. `patience`: seconds to wait
    for others. Raises StateError when they don't finish, or the file can't be used.
    """
    try:
        import fcntl
    except ImportError:
        raise StateError("the gate's files can't be locked on this system") from None
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
    except OSError as error:
        raise StateError(f"`{path}` can't be opened: {_said(error)}") from None
    try:
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StateError(f"`{path}` is held by another process") from None
                time.sleep(_PAUSE)
            except OSError as error:
                raise StateError(f"`{path}` can't be locked: {_said(error)}") from None
        yield
    finally:
        # Not by closing it alone: a child that another thread forked meanwhile has it open, too.
        try:  # and not by `suppress`: a signal's handler could raise before it is entered
            fcntl.flock(handle, fcntl.LOCK_UN)
        except OSError:
            pass
        finally:
            os.close(handle)


def _said(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
