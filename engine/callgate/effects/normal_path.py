"""The normal form of a path, by its letters, and by what Linux has in the same place everywhere."""

from __future__ import annotations

import re
from typing import Final

from callgate.model.values import UNKNOWN, Unknown

__all__ = ["PROCESS_LINKS", "goes_through", "normal"]

_PROCESS: Final = re.compile(r"proc/(?:self|thread-self|\d+)(?:/task/\d+)?")
PROCESS_LINKS: Final = frozenset({"root", "cwd", "fd"})
_STANDARD: Final = ("0", "1", "2")
_HANDLES: Final = frozenset({"/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"})
_LED: Final = _HANDLES | {"/proc/net", "/proc/thread-self"}
"""Links to what is each process' own: what goes up from them ends up elsewhere than it says."""


def normal(text: str) -> str | Unknown:
    """The normal form of a text that starts with `/`, `~` or `.`, by its letters alone, and through
    the links to folders that every process has below `/proc`."""
    if (
        text[0] == "/"
        and "/proc" not in text
        and "/dev/fd/" not in text
        and "/dev/std" not in text
        and "/." not in text
        and "//" not in text
        and (text[-1] != "/" or text == "/")
    ):
        return text
    root, *parts = text.split("/")
    kept: list[str] = []
    for part in parts:
        if part == "..":
            if kept:
                if not root and goes_through(kept):
                    return UNKNOWN
                kept.pop()
            elif root:
                return UNKNOWN
        elif part not in ("", "."):
            kept.append(part)
            if not root and part in PROCESS_LINKS and _is_process(kept):
                if part != "root":
                    return UNKNOWN
                kept = []
    if not root and kept[2:] and "/".join(("", *kept[:2])) in _HANDLES:
        # What this process, or another that the tool belongs to, holds open.
        if kept[1] != "fd" or kept[3:] or kept[2] not in _STANDARD:
            return UNKNOWN
    if not kept:
        return root or "/"
    return f"{root}/{'/'.join(kept)}"


def goes_through(parts: list[str]) -> bool:
    """Whether parts lead to a link to what is each process' own, or past it."""
    return len(parts) > 1 and "/".join(("", *parts[:2])) in (_LED if len(parts) < 3 else _HANDLES)


def _is_process(parts: list[str]) -> bool:
    """Whether all but the last of some parts are a process' folder: `/proc/1`."""
    return _PROCESS.fullmatch("/".join(parts[:-1])) is not None
