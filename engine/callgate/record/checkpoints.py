"""Checkpoints: what the heads of all chains were at a moment, in a chain of their own.

A chain shows by itself that none of its records was changed, but not that its end is still there:
that shows a checkpoint, which knows its head. Checkpoints stand in `checkpoints.jsonl`, a line of
canonical JSON each:

    {"at":…,"heads":{chain:[seq,hash]},"prev":…,"seq":n}                  and "signature", if signed
    {"at":…,"prev":…,"removed":{"chain","first","hash","last","segment"},"seq":n}

`prev` is the SHA-256 of the line before, `seq` the number of the line, from 0. Whoever can write
the files can write them all anew, though: only a signature by a key that is kept elsewhere, or a
hash that was, proves what stands here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol

import orjson

from callgate.record.errors import RecordError
from callgate.record.folder import open_own, said
from callgate.record.line import NO_HASH, line_hash
from callgate.record.segments import last_line, whole
from callgate.record.values import canonical
from callgate.storage.errors import StateError
from callgate.storage.files import locked

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from callgate.record.store import Removed

__all__ = ["LONGEST", "Checkpoints", "Headed"]

LONGEST: Final = 16 * 2**20
"""Bytes of a line. Of a longer one, which is no checkpoint, only the end is looked at."""

_FILE: Final = "checkpoints.jsonl"
_BLOCK: Final = 65_536
_MOST: Final = 2**53 - 1
_FLAGS: Final = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Headed(Protocol):
    """What checkpoints need of a store."""

    @property
    def folder(self) -> Path:
        """See `Store`."""

    def chains(self) -> list[str]:
        """See `Store`."""

    def head(self, chain: str) -> tuple[int, str]:
        """See `Store`."""

    def pass_over(self, why: RecordError) -> None:
        """See `Store`."""


class Checkpoints:
    """The checkpoints of a store. Any number of processes and threads may add to them."""

    def __init__(self, store: Headed) -> None:
        self._store = store
        self.path = store.folder / _FILE

    def write(self, key: Ed25519PrivateKey | None = None, *, durable: bool = False) -> str:
        """As `note`; returns the checkpoint's hash, `NO_HASH` where there is nothing to say."""
        line = self.note(key, durable=durable)
        return line_hash(line) if line else NO_HASH

    def note(self, key: Ed25519PrivateKey | None = None, *, durable: bool = False) -> bytes:
        """Note the heads of all chains as they are now. Returns the checkpoint's line: the newest
        one where that says the same already, b"" where there is nothing to say.

        `key`: sign it with this key. `durable`: return when it is on the disk. A chain whose head
        can't be read is passed over: one that is damaged keeps nobody from recording. Raises
        RecordError; then there is no new checkpoint.
        """
        with self._opened() as file:
            before = _last(file)
            form = {"heads": self._heads()}
            if _says(before, form, key):
                return before
            return _append(file, before, form, key, durable)

    def note_removed(self, removed: Removed) -> str:
        """Note that retention is about to remove a segment; it is on the disk on return. Returns
        the hash of the entry. Raises RecordError; then the segment has to stay."""
        form = {
            "removed": {
                "chain": removed.chain,
                "first": removed.first,
                "hash": removed.hash,
                "last": removed.last,
                "segment": removed.segment,
            }
        }
        with self._opened() as file:
            return line_hash(_append(file, _last(file), form, None, durable=True))

    def newest(self) -> str:
        """The hash of the newest checkpoint, `NO_HASH` where there is none. Raises RecordError."""
        try:
            with os.fdopen(open_own(self.path), "rb") as file:
                last = _last(file)
        except FileNotFoundError:
            return NO_HASH
        except OSError as error:
            raise _cant(self.path, error) from None
        return line_hash(last) if last else NO_HASH

    def lines(self) -> Iterator[bytes]:
        """The whole lines in order, without their line ends; of one longer than `LONGEST` the last
        `LONGEST` + 1 bytes. Raises RecordError."""
        try:
            with os.fdopen(open_own(self.path), "rb") as file:
                line = b""
                while piece := file.readline(LONGEST):
                    line = (line + piece)[-LONGEST - 2 :] if line else piece
                    if line.endswith(b"\n"):
                        yield line[:-1]
                        line = b""
        except FileNotFoundError:
            return
        except OSError as error:
            raise _cant(self.path, error) from None

    def _heads(self) -> dict[str, list[int | str]]:
        """The heads of all chains. To be read under the lock: a later checkpoint does not know
        less of a chain than one before it."""
        heads: dict[str, list[int | str]] = {}
        for chain in self._store.chains():
            try:
                seq, hash_ = self._store.head(chain)
            except RecordError as error:
                self._store.pass_over(error)
                continue
            if seq >= 0:
                heads[chain] = [seq, hash_]
        return heads

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The file, to read it and to append to it, while nobody else does."""
        try:
            with locked(self.path):
                handle = os.open(self.path, os.O_RDWR | os.O_APPEND | _FLAGS, 0o600)
                with os.fdopen(handle, "r+b", buffering=0) as file:
                    yield file
        except StateError as error:
            raise RecordError(f"the checkpoints can't be written: {error}") from None
        except OSError as error:
            raise _cant(self.path, error) from None


def _says(before: bytes, form: dict[str, Any], key: Ed25519PrivateKey | None) -> bool:
    """Whether the newest checkpoint says the same, and is signed by the key if there is one."""
    try:
        newest = orjson.loads(before) if before else {"heads": {}}
        if newest.get("heads") != form["heads"]:
            return False
    except (ValueError, AttributeError):
        return False
    if key is None:
        return True
    from callgate.record.signing import sign

    payload = canonical({name: newest[name] for name in newest if name != "signature"})
    return bool(newest.get("signature") == sign(payload, key))  # the same key signs the same


def _append(
    file: BinaryIO,
    before: bytes,
    form: dict[str, Any],
    key: Ed25519PrivateKey | None,
    durable: bool,
) -> bytes:
    form["at"] = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    form["prev"] = line_hash(before) if before else NO_HASH
    form["seq"] = _next_seq(file, before)
    if key is not None:
        from callgate.record.signing import sign

        form["signature"] = sign(canonical(form), key)
    line = canonical(form)
    if len(line) > LONGEST:
        raise RecordError(f"there are too many chains for a checkpoint: {len(form['heads'])}")
    end = file.seek(0, os.SEEK_END)
    try:
        written = file.write(line + b"\n")
        if written != len(line) + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if durable:
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):  # else whoever writes next
            file.truncate(end)
        raise
    return line


def _next_seq(file: BinaryIO, before: bytes) -> int:
    """The number of the next line. A line before it that can't be read is no reason to stop: a
    power cut may leave one, and `verify` tells of it."""
    try:
        seq = orjson.loads(before)["seq"] if before else -1
        if type(seq) is int and -1 <= seq < _MOST:
            return seq + 1
    except (ValueError, TypeError, KeyError):
        pass
    file.seek(0)
    return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))


def _last(file: BinaryIO) -> bytes:
    """The last line, as `Checkpoints.lines` has it; b"" if there is none. What a killed process
    left of a line, which nobody was told of, is cut off where the file can be written."""
    handle = file.fileno()
    end = whole(handle)
    if file.writable() and os.fstat(handle).st_size > end:
        file.truncate(end)
    return last_line(handle, end, LONGEST + 1)


def _cant(path: Path, error: OSError) -> RecordError:
    return RecordError(f"the checkpoints `{path}` can't be used: {said(error)}")
