"""The segments of a chain as files: `000001.jsonl` and so on, read without disturbing whoever
writes to the last one."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import orjson

from callgate.record.errors import RecordError
from callgate.record.folder import open_own, said
from callgate.record.line import split
from callgate.record.store import Segment

__all__ = ["is_seal", "last_line", "look", "numbers", "opened", "path_of", "time_of", "whole"]

_NAME: Final = re.compile(r"([0-9]{6,9})\.jsonl")
_BLOCK: Final = 65_536
_LONGEST_SEAL: Final = 1024
_TIME: Final = re.compile(rb'"(?:timestamp|at)":"([0-9TZ:.-]{20,27})"')
_TIMESTAMP: Final = b'"timestamp":"'


def path_of(folder: Path, number: int) -> Path:
    """The file of a segment in its chain's folder."""
    return folder / f"{number:06}.jsonl"


def numbers(folder: Path) -> list[int]:
    """The numbers of the segments in a chain's folder, in order; none where there is no folder.
    Raises RecordError, also where it is a link."""
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise RecordError(f"`{folder}` is no folder of a chain")
        names = [place.name for place in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RecordError(f"`{folder}` can't be read: {said(error)}") from None
    return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor of a file to read. Raises FileNotFoundError and RecordError, the latter also for
    what goes wrong while it is read."""
    handle = open_own(path)
    try:
        yield handle
    except OSError as error:
        raise RecordError(f"`{path}` can't be read: {said(error)}") from None
    finally:
        os.close(handle)


def whole(handle: int) -> int:
    """How many bytes of a file are whole lines. Raises OSError."""
    end = os.fstat(handle).st_size
    while end > 0:
        start = max(0, end - _BLOCK)
        found = os.pread(handle, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def last_line(handle: int, end: int, most: int = sys.maxsize) -> bytes:
    """The line whose line end is the last byte before `end`, without it; b"" where `end` is 0; of
    one of more than `most` bytes the last ones. Raises OSError."""
    length = _BLOCK
    while end > 0:
        start = max(0, end - length)
        block = os.pread(handle, end - 1 - start, start)
        found = block.rfind(b"\n")
        if found >= 0 or start == 0 or len(block) >= most:
            return block[found + 1 :][-most:]
        length *= 4
    return b""


def look(path: Path, chain: str, number: int) -> Segment:
    """What a segment is at this moment. Raises FileNotFoundError and RecordError."""
    with opened(path) as handle:
        end = whole(handle)
        with os.fdopen(os.dup(handle), "rb") as file:
            first = file.readline() if end else b""
        last = last_line(handle, end)
    return Segment(
        chain,
        number,
        is_seal(last),
        _seq(first[:-1]),
        _seq(last),
        time_of(first),
        time_of(last),
        end,
    )


def is_seal(line: bytes) -> bool:
    """Whether a line is the last one of a sealed segment."""
    if len(line) > _LONGEST_SEAL or b'"kind":"seal"' not in line:
        return False
    try:
        record = orjson.loads(split(line).record)
    except ValueError:
        return False
    return bool(record.get("kind") == "seal")


def time_of(line: bytes) -> str:
    """The time that a line's record tells, "" where it tells none.

    Not a reading of the record, which would take longer than all else: of a decision's keys only
    `tool`, `trace` and the like come after its `timestamp`, so the last one is the record's own.
    """
    start = line.rfind(_TIMESTAMP)
    found = _TIME.match(line, start) if start >= 0 else _TIME.search(line)
    return found[1].decode() if found else ""


def _seq(line: bytes) -> int:
    with suppress(ValueError):
        return split(line).seq
    return -1
