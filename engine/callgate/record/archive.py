"""The graphs that decided, each kept once under its digest, so that old records can be checked."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zlib
from pathlib import Path
from typing import Final

from callgate.model.graph import DecisionGraph, GraphError
from callgate.record.errors import RecordError
from callgate.record.folder import open_own, said, sync_folder, use_folder

__all__ = ["GraphArchive"]

_MOST_BYTES: Final = 256 * 2**20
_LEVEL: Final = 6
_MOST_KEPT: Final = 64
_PREFIX: Final = "sha256:"
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_FILE: Final = re.compile(r"([0-9a-f]{64})\.json\.z")


class GraphArchive:
    """A folder of graphs, made when the first one is kept. Threads and processes may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[str, DecisionGraph] = {}

    def keep(self, graph: DecisionGraph) -> None:
        """Keep a graph; it is on the disk on return. One that is there and whole is not written
        again, and after the first time in a process only looked at by `keep_again`. Raises
        RecordError."""
        if graph.digest in self._kept:
            return
        path = self._path(graph.digest)
        if not self._whole(path, graph.digest):
            self._write(path, zlib.compress(graph.to_json(), _LEVEL))
        kept = {**self._kept, graph.digest: graph}
        if len(kept) > _MOST_KEPT:
            del kept[next(iter(kept))]
        self._kept = kept

    def keep_again(self) -> None:
        """Write what `keep` kept and somebody removed. Raises RecordError."""
        for graph in self._kept.values():
            path = self._path(graph.digest)
            if not path.exists():
                self._write(path, zlib.compress(graph.to_json(), _LEVEL))

    def load(self, digest: str) -> DecisionGraph:
        """The graph of a digest (`sha256:…`), checked against it. Raises RecordError where it is
        not kept, not what it was, or could have been written by others."""
        path = self._path(digest)
        try:
            return DecisionGraph.from_json(_read(path), digest)
        except FileNotFoundError:
            raise RecordError(f"the graph {digest} is not kept") from None
        except (GraphError, zlib.error) as error:
            raise RecordError(f"the graph {digest} is not what it was: {error}") from None

    def digests(self) -> list[str]:
        """The digests of all graphs that are kept, sorted. Raises RecordError."""
        try:
            names = [place.name for place in self.folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RecordError(f"the graphs can't be listed: {said(error)}") from None
        return sorted(_PREFIX + found[1] for name in names if (found := _FILE.fullmatch(name)))

    def _path(self, digest: str) -> Path:
        found = _DIGEST.fullmatch(digest)
        if not found:
            raise RecordError(f"`{digest[:100]}` is no digest of a graph")
        return self.folder / f"{found[1]}.json.z"

    def _whole(self, path: Path, digest: str) -> bool:
        try:
            return _PREFIX + hashlib.sha256(_read(path)).hexdigest() == digest
        except (FileNotFoundError, zlib.error):
            return False

    def _write(self, path: Path, data: bytes) -> None:
        use_folder(self.folder, create=True)
        try:
            # A name of its own: others may be keeping the same graph.
            handle, name = tempfile.mkstemp(dir=self.folder, suffix=".new")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            sync_folder(self.folder)
        except OSError as error:
            raise RecordError(f"the graph `{path}` can't be kept: {said(error)}") from None


def _read(path: Path) -> bytes:
    """The canonical JSON in a file. Raises FileNotFoundError, RecordError and zlib.error."""
    handle = open_own(path)
    try:
        with os.fdopen(handle, "rb") as file:
            packed = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RecordError(f"`{path}` can't be read: {said(error)}") from None
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(packed, _MOST_BYTES)
    if not unpacker.eof or unpacker.unused_data:
        raise zlib.error("it is cut off, too large, or has something behind it")
    return data
