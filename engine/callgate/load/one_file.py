"""Reading the bytes of one file, whatever it may be."""

from __future__ import annotations

import stat
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span

__all__ = ["MAX_BYTES", "read_file", "reason_of"]

MAX_BYTES: Final = 4 * 1024 * 1024
"""Files above this size are refused; no more than one byte beyond it is read."""


def read_file(
    entry: Traversable, file: str, diagnostics: Diagnostics, any_kind: bool = False
) -> bytes | None:
    """Up to `MAX_BYTES` + 1 bytes of a file, or None (Y013).

    `any_kind`: whether it may be something else than a regular file, such as a pipe.
    """
    try:
        if isinstance(entry, Path) and not any_kind and not stat.S_ISREG(entry.stat().st_mode):
            raise OSError(0, "it is not a regular file")
        with entry.open("rb") as stream:
            data: bytes = stream.read(MAX_BYTES + 1)
            return data
    except (OSError, ValueError) as error:
        message = f"the file can't be read: {reason_of(error)}"
        diagnostics.error(
            "Y013", message, Span(file, 1, 1, 1, 1), "check that it is there, and who may read it"
        )
        return None


def reason_of(error: Exception) -> str:
    """Why a file can't be read, in a few words."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{text[:1].lower()}{text[1:]}"
