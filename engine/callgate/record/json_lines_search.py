"""Finding lines in segment files by fragments of their bytes, without reading what they say.

A file is read in blocks that end with a line, not mapped into memory: its end may be cut off while
it is searched, and a mapped page that is gone kills the process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["found_in"]

_BLOCK: Final = 1 << 20


def found_in(
    handle: int, end: int, needles: Sequence[bytes], newest_first: bool
) -> Iterator[bytes]:
    """The lines among the first `end` bytes of a file, all of them whole, that hold all needles.
    Raises OSError."""
    # The longest is likely the rarest.
    rare, *others = sorted(needles, key=len, reverse=True) or [b""]
    for block in _blocks(handle, end, newest_first):
        if not rare:
            lines = block[:-1].split(b"\n")
            if newest_first:
                lines.reverse()
        else:
            lines = _hits(block, rare)
            if not newest_first:
                lines.reverse()
        for line in lines:
            if all(needle in line for needle in others):
                yield line


def _hits(block: bytes, needle: bytes) -> list[bytes]:
    """The lines of a block that hold a needle, the last one first."""
    lines: list[bytes] = []
    at = block.rfind(needle)
    while at >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        lines.append(block[start : block.index(b"\n", at)])
        at = block.rfind(needle, 0, start)
    return lines


def _blocks(handle: int, end: int, newest_first: bool) -> Iterator[bytes]:
    """A file in pieces of whole lines."""
    at, length = (end if newest_first else 0), _BLOCK
    while at > 0 if newest_first else at < end:
        if newest_first:
            start = max(0, at - length)
            block = os.pread(handle, at - start, start)
            # It begins in the middle of a line, unless it is the file's first.
            cut = block.find(b"\n") + 1 if start else 0
            piece = block[cut:]
            if start and (not cut or not piece):
                length *= 2
                continue
            at = start + cut
        else:
            block = os.pread(handle, min(length, end - at), at)
            piece = block[: block.rfind(b"\n") + 1]
            if not block:
                return  # it was cut off meanwhile
            if not piece:
                length *= 2
                continue
            at += len(piece)
        length = _BLOCK
        yield piece
