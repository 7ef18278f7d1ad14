"""Results of checking unchanged input, on disk: findings of lint, outcomes of tests.

They decide nothing at run time, but they make a check pass: so a folder that somebody else could
write is not used, and what is read is checked against its digest. What is damaged is as good as not
there. The least used entries are removed when there are too many.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from callgate import __version__
from callgate.compiler.cache_folder import cache_folder, put, why_refused
from callgate.resources import packaged_folders
from callgate.storage.errors import StateError
from callgate.storage.files import read_own

__all__ = ["Results", "bundle_key", "engine_stamp", "key_of"]

_ENDING: Final = ".result"
_LARGEST: Final = 16 * 1024 * 1024
_MOST_ENTRIES: Final = 256
_MOST_BYTES: Final = 64 * 1024 * 1024


def key_of(*parts: str) -> str:
    """The key of a result: what it is of, and the keys and stamps of everything it depends on."""
    digest = hashlib.sha256(b"callgate.results/1")
    for part in parts:
        data = part.encode("utf-8", "backslashreplace")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def bundle_key(files: Iterable[tuple[str, bytes]]) -> str:
    """The digest of files, given as path and bytes, in their order."""
    digest = hashlib.sha256()
    for name, data in files:
        path = name.encode("utf-8", "backslashreplace")
        digest.update(b"%d:%s%d:" % (len(path), path, len(data)))
        digest.update(data)
    return digest.hexdigest()


@cache
def engine_stamp() -> str:
    """The digest of what computes results: Python's version, names and versions of all installed
    packages, and Callgate's version, with size and time of each of its files."""
    digest = hashlib.sha256(f"{sys.version} {__version__} {_installed()}".encode())
    *folders, _bundles = packaged_folders()  # those are input, as any bundle
    for folder in folders:
        for line in sorted(_stamps(folder)):
            digest.update(line.encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _installed() -> list[str]:
    """The folders that installers leave for packages: their names hold the versions."""
    found: list[str] = []
    for folder in dict.fromkeys(sys.path):
        with contextlib.suppress(OSError):
            names = (path.name for path in Path(folder).iterdir())
            found += sorted(name for name in names if name.endswith((".dist-info", ".egg-info")))
    return found


def _stamps(folder: str) -> Iterable[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__" or entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _stamps(entry.path)
            else:
                status = entry.stat()
                yield f"{entry.path}\0{status.st_size}\0{status.st_mtime_ns}\n"


class Results:
    """A folder of results, by default `cache_folder()`.

    Nothing is raised: a folder that can't be used is no cache, and `refused` then says why in one
    line where it is because others could write it ("" otherwise).
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()
        self.refused = ""

    def read(self, key: str) -> Any | None:
        """The value (JSON) of a key of `key_of`, or None where there is none that can be used."""
        path = self._path(key)
        try:
            if not path.exists() or not self._is_own():
                return None
            data, _ = read_own(path, _LARGEST)
            digest, body = data.split(b"\n", 1)
            if hashlib.sha256(key.encode() + body).hexdigest().encode() != digest:
                return None
            value = orjson.loads(body)
            os.utime(path)
        except StateError as error:
            self.refused = str(error)
            return None
        except (OSError, ValueError):
            return None
        return value

    def write(self, key: str, value: Any) -> None:
        """Keep a value, made of what JSON has, atomically. Raises TypeError for any other."""
        body = orjson.dumps(value)
        if len(body) > _LARGEST - 100:
            return
        digest = hashlib.sha256(key.encode() + body).hexdigest().encode()
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_own():
                return
            put(self._path(key), digest + b"\n" + body)
            self._remove_old()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_ENDING}"

    def _is_own(self) -> bool:
        self.refused = why_refused(self.folder)
        return not self.refused

    def _remove_old(self) -> None:
        """Remove the entries used longest ago until the others are few and small enough."""
        found: list[tuple[int, int, Path]] = []
        for path in self.folder.glob(f"*{_ENDING}"):
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        size = 0
        for count, (_, bytes_, path) in enumerate(sorted(found, reverse=True), 1):
            size += bytes_
            if count > _MOST_ENTRIES or size > _MOST_BYTES:
                with contextlib.suppress(OSError):
                    path.unlink()
