"""The folder of a store: nobody else can write there, and nothing in it is reached by a link."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from callgate.compiler.ownership import not_own, not_own_folder
from callgate.record.errors import RecordError
from callgate.storage.errors import StateError
from callgate.storage.files import locked, read_own, write_own

__all__ = ["key_of", "open_own", "said", "sync_folder", "use_folder"]

_KEY: Final = "key"
_KEY_BYTES: Final = 32
_FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)


def use_folder(folder: Path, *, create: bool) -> Path:
    """The absolute path of a folder that only this user can write, made with mode 0700 where there
    is none and `create` says so. Raises RecordError."""
    place = folder.absolute()
    try:
        if create:
            missing = [above for above in (place, *place.parents) if not above.exists()]
            for each in reversed(missing):
                each.mkdir(mode=0o700, exist_ok=True)
        elif not place.is_dir():
            raise RecordError(f"there are no records: `{place}` is no folder")
        why = not_own_folder(place)
        if not place.is_dir():
            why = f"`{place}` is no folder"
    except (OSError, ValueError) as error:
        raise RecordError(f"the records' folder `{place}` can't be used: {said(error)}") from None
    if why:
        raise RecordError(f"the records' folder is refused: {why}")
    return place


def open_own(path: Path) -> int:
    """A descriptor to read a file by. Raises FileNotFoundError, and RecordError where it is a link,
    no file, or one that others could have written."""
    try:
        handle = os.open(path, os.O_RDONLY | _FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        why = "it is a link" if path.is_symlink() else said(error)
        raise RecordError(f"`{path}` can't be read: {why}") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise RecordError(f"`{path}` is no file")
        if why := not_own(path, status):
            raise RecordError(f"`{path}` is refused: {why}")
    except BaseException:
        os.close(handle)
        raise
    return handle


def key_of(folder: Path) -> bytes:
    """The 32 random bytes in a store's folder, made where there are none. Raises RecordError."""
    path = folder / _KEY
    try:
        with suppress(FileNotFoundError):
            return _read_key(path)
        with locked(folder / f"{_KEY}.lock"):
            with suppress(FileNotFoundError):
                return _read_key(path)  # another process was faster
            write_own(path, secrets.token_bytes(_KEY_BYTES))
            return _read_key(path)
    except StateError as error:
        raise RecordError(f"the records' key can't be used: {error}") from None


def _read_key(path: Path) -> bytes:
    data, _ = read_own(path, _KEY_BYTES)
    if len(data) != _KEY_BYTES:
        raise RecordError(f"the records' key is damaged: `{path}`")
    return data


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def said(error: OSError | ValueError) -> str:
    """Why the system refused, for a message."""
    strerror = error.strerror if isinstance(error, OSError) else str(error)
    return (strerror or type(error).__name__).lower()
