"""Taking over a chain of files that its process has left, in good order or not."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from callgate.record.errors import RecordError
from callgate.record.folder import said
from callgate.record.json_lines_file import APPENDING, SegmentFile
from callgate.record.lane import Place
from callgate.record.line import NO_HASH, line_hash, split
from callgate.record.segments import is_seal, last_line, look, numbers, opened, path_of, whole
from callgate.record.store import Sync

__all__ = ["resumed"]

_MOST_TORN: Final = 100


def resumed(folder: Path, lock: int, limit: int, sync: Sync) -> Place | None:
    """Where a chain ends, or None for one that can't be gone on with.

    `lock`: the descriptor that holds the chain. What stands behind the last whole line was never
    acknowledged; it is moved out of the way. Raises RecordError where that can't be done.
    """
    try:
        for number in reversed(numbers(folder)):
            path = path_of(folder, number)
            end = _mend(path)
            if end:
                return _end_of(folder, lock, number, end, limit, sync)
            # It was begun and nothing whole was written: it is begun again.
            path.unlink()
            if number == 1:
                sink = SegmentFile(folder, lock, 0, 0, limit=limit, sync=sync)
                return Place(sink, -1, NO_HASH, 0, True)
    except OSError as error:
        raise RecordError(f"the chain `{folder}` can't be taken over: {said(error)}") from None
    return None


def _end_of(folder: Path, lock: int, number: int, end: int, limit: int, sync: Sync) -> Place | None:
    path = path_of(folder, number)
    with opened(path) as handle:
        line = last_line(handle, end)
    try:
        last = split(line)
    except ValueError:
        return None
    first = look(path, folder.name, number).first_seq
    if last.chain != folder.name or not 0 <= first <= last.seq:
        return None
    sealed = is_seal(line)
    handle = -1
    if sealed:
        path.chmod(0o400)
    else:
        try:
            handle = os.open(path, APPENDING)
        except PermissionError:
            return None
    sink = SegmentFile(folder, lock, number, first, handle=handle, limit=limit, sync=sync)
    return Place(sink, last.seq, line_hash(line), end, sealed)


def _mend(path: Path) -> int:
    """Move what is torn at the end of a file into one beside it. Returns the size then."""
    with opened(path) as handle:
        end = whole(handle)
        torn = os.pread(handle, os.fstat(handle).st_size - end, end)
    if torn:
        _put_aside(path, torn)
        os.truncate(path, end)
    return end


def _put_aside(path: Path, torn: bytes) -> None:
    for attempt in range(1, _MOST_TORN):
        beside = path.with_suffix(".torn" if attempt == 1 else f".{attempt}.torn")
        with suppress(FileExistsError):
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(torn)
            return
    raise RecordError(f"too many torn lines stand beside `{path}`")
