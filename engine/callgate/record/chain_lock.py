"""Which process writes to a chain: the one that holds its lock, which ends with the process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from callgate.record.errors import RecordError
from callgate.record.folder import said

__all__ = ["hold", "leave"]

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def hold(path: Path) -> int | None:
    """The descriptor that holds a lock file until it is given to `leave`, or None where somebody
    else holds it. Raises RecordError."""
    try:
        import fcntl
    except ImportError:
        raise RecordError("records can't be locked on this system") from None
    try:
        handle = os.open(path, _FLAGS, 0o600)
    except OSError as error:
        raise RecordError(f"`{path}` can't be opened: {said(error)}") from None
    held = False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The lock of a file that lost its name says nothing about the one that has it now.
        held = os.path.samestat(os.fstat(handle), os.lstat(path))
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError as error:
        raise RecordError(f"`{path}` can't be locked: {said(error)}") from None
    finally:
        if not held:
            os.close(handle)
    return handle if held else None


def leave(handle: int) -> None:
    """Let others have the lock, even where a child of a fork has the descriptor, too."""
    import fcntl

    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_UN)
    with suppress(OSError):
        os.close(handle)
