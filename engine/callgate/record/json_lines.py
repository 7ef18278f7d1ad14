"""Records in files of JSON lines: a folder for each chain, a file for each of its segments.

records/key                      the key of the hashes that stand for secrets
records/checkpoints.jsonl        see `callgate.record.checkpoints`
records/graphs/<64 hex>.json.z   see `callgate.record.archive`
records/<chain>/000001.jsonl     segments; a sealed one may not be written
records/<chain>/000001.torn      what a killed process left of a line that nobody was told of
records/<chain>/lock             held by the process that writes
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from heapq import merge
from pathlib import Path
from typing import Final

from callgate.record.chain_lock import hold, leave
from callgate.record.chained import ChainedStore
from callgate.record.errors import RecordError
from callgate.record.folder import said
from callgate.record.json_lines_file import SegmentFile
from callgate.record.json_lines_resume import resumed
from callgate.record.json_lines_search import found_in
from callgate.record.lane import Place
from callgate.record.line import NO_HASH, line_hash, split
from callgate.record.segments import last_line, look, numbers, opened, path_of, time_of, whole
from callgate.record.store import Retention, Segment, Sync

__all__ = ["JsonLines"]

_CHAIN: Final = re.compile("[0-9a-f]{32}")
_SEGMENT_BYTES: Final = 64 * 2**20
_SMALLEST: Final = 4096
_LOCK: Final = "lock"


class JsonLines(ChainedStore):
    """The store in a folder, made with mode 0700 where there is none.

    `sync`: see `Sync`. `segment_bytes`: how large a segment's file grows, at least 4096; a record
    that is larger has one of its own. `keep`: what to remove each time a segment is sealed, None
    for nothing. `create`: false to use only a folder that is there. Raises RecordError where the
    folder can't be used or others could write there, ValueError or TypeError for settings that are
    none.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        sync: Sync = "written",
        segment_bytes: int = _SEGMENT_BYTES,
        keep: Retention | None = None,
        create: bool = True,
    ) -> None:
        if segment_bytes < _SMALLEST:
            raise ValueError(f"`segment_bytes` is at least {_SMALLEST}")
        super().__init__(Path(folder), sync, keep, create)
        self._limit = segment_bytes

    @property
    def places(self) -> tuple[Path, ...]:
        """See `Store`."""
        return (self.folder,)

    def chains(self) -> list[str]:
        """See `Store`."""
        try:
            with os.scandir(self._folder) as entries:
                found = [entry for entry in entries if _CHAIN.fullmatch(entry.name)]
            chains = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
        except OSError as error:
            raise RecordError(f"`{self._folder}` can't be read: {said(error)}") from None
        if len(chains) < len(found):
            for name in {entry.name for entry in found}.difference(chains):
                self.pass_over(RecordError(f"`{self._folder / name}` is no folder of a chain"))
        return sorted(chains)

    def segments(self, chain: str) -> list[Segment]:
        """See `Store`. Of one that can't be read nothing is told but its number."""
        folder = self._folder / chain
        found = []
        for number in numbers(folder):
            with suppress(FileNotFoundError):  # retention was here meanwhile
                try:
                    found.append(look(path_of(folder, number), chain, number))
                except RecordError:
                    found.append(Segment(chain, number, False, -1, -1, "", "", 0))
        return found

    def head(self, chain: str) -> tuple[int, str]:
        """See `Store`."""
        folder = self._folder / chain
        for number in reversed(numbers(folder)):
            with suppress(FileNotFoundError), opened(path_of(folder, number)) as handle:
                if line := last_line(handle, whole(handle)):
                    return _head(line)
        return -1, NO_HASH

    def lines(self, segment: Segment) -> Iterator[bytes]:
        """See `Store`."""
        with self._opened(segment) as handle, os.fdopen(os.dup(handle), "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line[:-1]

    def backwards(self, chain: str) -> Iterator[bytes]:
        """See `Store`."""
        return self._search(chain, (), "", "", True)

    def torn(self, segment: Segment) -> int:
        """See `Store`."""
        with self._opened(segment) as handle:
            return os.fstat(handle).st_size - whole(handle)

    def candidates(
        self, needles: Sequence[bytes], since: str, until: str, newest_first: bool
    ) -> Iterator[bytes]:
        """See `Store`. A segment is passed over by the times of its first and its last line: where
        the clock was set back between them, by more than the segment took, a line may be missed."""
        searches = [
            self._search(chain, needles, since, until, newest_first) for chain in self.chains()
        ]
        if len(searches) == 1:
            return searches[0]
        return merge(*searches, key=time_of, reverse=newest_first)

    def take(self) -> Place:
        """See `Store.lane`."""
        for chain in self.chains():
            # One that can't be gone on with stays as it is: `verify` tells what is wrong with it.
            with suppress(RecordError):
                if (place := self._resume(self._folder / chain)) is not None:
                    return place
        return self._new()

    def _resume(self, folder: Path) -> Place | None:
        if (lock := hold(folder / _LOCK)) is None:
            return None
        place = None
        try:
            place = resumed(folder, lock, self._limit, self._sync)
        finally:
            if place is None:
                leave(lock)
        return place

    def _new(self) -> Place:
        folder = self._folder / secrets.token_hex(16)
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise RecordError(f"`{folder}` can't be made: {said(error)}") from None
        if (lock := hold(folder / _LOCK)) is None:
            raise RecordError(f"`{folder}` is held by another process")
        sink = SegmentFile(folder, lock, 0, 0, limit=self._limit, sync=self._sync)
        return Place(sink, -1, NO_HASH, 0, True)

    def _search(
        self, chain: str, needles: Sequence[bytes], since: str, until: str, newest_first: bool
    ) -> Iterator[bytes]:
        try:
            segments = self.segments(chain)
        except RecordError as error:
            self.pass_over(error)
            return
        for segment in reversed(segments) if newest_first else segments:
            if since and segment.until and segment.until < since:
                continue
            if until and segment.since and segment.since > until:
                continue
            try:
                with suppress(FileNotFoundError), opened(self._path(segment)) as handle:
                    # What was written since then is searched, too.
                    yield from found_in(handle, whole(handle), needles, newest_first)
            except RecordError as error:
                self.pass_over(error)

    def _with_id(self, start: str) -> Iterator[bytes]:
        return self.candidates([b'"decision_id":"%b' % start.encode()], "", "", True)

    def _last(self, segment: Segment) -> bytes:
        with self._opened(segment) as handle:
            return last_line(handle, whole(handle))

    def _remove(self, segment: Segment) -> None:
        try:
            self._path(segment).unlink(missing_ok=True)
        except OSError as error:
            raise RecordError(f"`{self._path(segment)}` can't be removed: {said(error)}") from None

    def _path(self, segment: Segment) -> Path:
        return path_of(self._folder / segment.chain, segment.number)

    @contextmanager
    def _opened(self, segment: Segment) -> Iterator[int]:
        try:
            with opened(self._path(segment)) as handle:
                yield handle
        except FileNotFoundError:
            raise RecordError(f"`{self._path(segment)}` is gone") from None


def _head(line: bytes) -> tuple[int, str]:
    try:
        return split(line).seq, line_hash(line)
    except ValueError:
        return -1, line_hash(line)
