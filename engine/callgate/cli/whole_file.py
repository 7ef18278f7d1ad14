"""Writing a file whole, or not at all, and never where a link leads."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

__all__ = ["add_text", "replace_bytes", "replace_text", "write_report"]


def replace_bytes(path: Path, data: bytes) -> None:
    """Put content in a file's place, or into a new file; what stood there stays until it is
    written, and its mode is kept. A link is replaced: one that is meant has to be resolved before.
    Raises OSError."""
    new = path.with_name(f".callgate-{secrets.token_hex(8)}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and not path.is_symlink():
            new.chmod(path.stat().st_mode & 0o7777)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def replace_text(path: Path, text: str) -> None:
    """The same with a text, in UTF-8."""
    replace_bytes(path, text.encode())


def write_report(path: Path, text: str) -> None:
    """The same where somebody says what to write to, which may be a device or a pipe, too."""
    if _is_stream(path):
        path.write_text(text, "utf-8")
    else:
        replace_text(path, text)


def add_text(path: Path, text: str) -> None:
    """Write a text behind what a file holds. Where a link stands, a file with the text takes its
    place. Raises OSError."""
    if path.is_symlink() and not _is_stream(path):
        replace_text(path, text)
        return
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _is_stream(path: Path) -> bool:
    """Whether it is no file: what the system has links to, such as `/dev/stdout`, or a pipe."""
    if path.absolute().is_relative_to("/dev") or path.absolute().is_relative_to("/proc"):
        return True
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
