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
    for block, start, stop in _blocks(handle, end, newest_first):
        if rare:
            lines = _hits(block, rare, start, stop)
        else:
            lines = block[start : stop - 1].split(b"\n")
            lines.reverse()
        if not newest_first:
            lines.reverse()
        for line in lines:
            if all(needle in line for needle in others):
                yield line


def _hits(block: bytes, needle: bytes, start: int, stop: int) -> list[bytes]:
    """The lines of a part of a block that hold a needle, the last one first."""
    lines: list[bytes] = []
    while (at := block.rfind(needle, start, stop)) >= 0:
        stop = block.rfind(b"\n", start, at) + 1 or start
        lines.append(block[stop : block.index(b"\n", at)])
    return lines


def _blocks(handle: int, end: int, newest_first: bool) -> Iterator[tuple[bytes, int, int]]:
    """A file in pieces of whole lines: blocks, and from where to where a piece is in them."""
    at, length = (end if newest_first else 0), _BLOCK
    while at > 0 if newest_first else at < end:
        begin = max(0, at - length) if newest_first else at
        block = os.pread(handle, min(length, (at if newest_first else end) - begin), begin)
        # A block begins in the middle of a line, or ends there.
        start = block.find(b"\n") + 1 if newest_first and begin else 0
        stop = block.rfind(b"\n") + 1
        if stop <= start:
            if not block or length > end:
                return  # it was cut off meanwhile
            length *= 2
            continue
        yield block, start, stop
        at, length = (begin + start if newest_first else begin + stop), _BLOCK
