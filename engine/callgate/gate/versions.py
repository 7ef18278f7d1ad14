"""The graphs that were good, each in a file named after its digest: what a policy can go back to.

A version runs without its YAML, so what is read back is checked against the digest that it is asked
for by: a file that somebody changed is refused.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Final

from callgate.compiler.ownership import not_own
from callgate.gate.state import StateError, StateFolder
from callgate.model.graph import DecisionGraph, GraphError
from callgate.storage.files import locked, read_own, write_own

__all__ = ["Version", "VersionError", "Versions"]

_MOST_BYTES: Final = 256 * 2**20
_KEPT: Final = 32
_MOST_TOLD: Final = 3
_FILE: Final = re.compile(r"([0-9a-f]{64})\.json")
_ASKED: Final = re.compile(r"(?:sha256:)?([0-9a-f]{8,64})")


class VersionError(Exception):
    """A version that is not there, or not what its name says.

    `near`: those that may be meant; `kept`: those that are there, where none of them looks like it.
    The message names the first of them.
    """

    def __init__(
        self, message: str, near: Sequence[Version] = (), kept: Sequence[Version] = ()
    ) -> None:
        self.near = tuple(near)
        self.kept = tuple(kept)
        named = [f"{v.digest} of {v.time}" for v in (near or kept)[:_MOST_TOLD]]
        if near:
            message += f"; did you mean {' or '.join(named)}?"
        elif kept:
            more = len(kept) - len(named)
            rest = f" and {more} more" if more else ""
            message += f"; the versions are: {', '.join(named)}{rest}"
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Version:
    """A version that is kept. `digest`: `sha256:…`; `at`: when it was last put in force."""

    digest: str
    at: datetime

    @property
    def time(self) -> str:
        """`at`, to the second, for people."""
        return f"{self.at:%Y-%m-%d %H:%M:%S} UTC"


class Versions:
    """The versions in a state folder; the last `kept` of them stay. Safe to share between threads
    and processes."""

    def __init__(self, folder: StateFolder, kept: int = _KEPT) -> None:
        self._folder = folder.versions
        self._lock = folder.path / "versions.lock"
        self._kept = kept

    def store(self, graph: DecisionGraph) -> None:
        """Keep a graph; one that is kept already is marked as the latest. Raises StateError."""
        path = self._path(graph.digest)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            said = (error.strerror or type(error).__name__).lower()
            raise StateError(f"`{self._folder}` can't be made: {said}") from None
        self._check_folder()
        with locked(self._lock):
            newest = max((self._time(digest) for digest in self._digests()), default=0)
            write_own(path, graph.to_json(), newest)
            for version in self.all()[self._kept :]:
                with suppress(OSError):
                    self._path(version.digest).unlink()

    def load(self, digest: str) -> DecisionGraph:
        """The graph of a digest (`sha256:…`). Raises VersionError when it is not kept or not what
        it was, StateError when it can't be read or others could have written it."""
        if not _FILE.fullmatch(f"{digest.removeprefix('sha256:')}.json"):
            raise VersionError(f"`{digest[:100]}` is no digest of a version")
        try:
            self._check_folder()
            data, _ = read_own(self._path(digest), _MOST_BYTES)
        except FileNotFoundError:
            raise VersionError(f"the version {digest} is not kept", kept=self.all()) from None
        try:
            graph = DecisionGraph.from_json(data, digest)
        except GraphError as error:
            raise VersionError(f"the version {digest} is not what it was: {error}") from None
        return graph

    def mark(self, digest: str) -> None:
        """Mark a version as the latest, where that can be done."""
        now = time.time_ns()
        with suppress(OSError):
            os.utime(self._path(digest), ns=(now, now), follow_symlinks=False)

    def find(self, text: str) -> str:
        """The digest that a person means: all of it, or its first 8 digits or more, where only one
        version begins so. Raises VersionError, with the versions that are near."""
        versions = self.all()
        asked = _ASKED.fullmatch(text.strip().lower())
        found = [v for v in versions if asked and v.digest[7:].startswith(asked[1])]
        if len(found) == 1:
            return found[0].digest
        shown = text[:80]
        if found:
            raise VersionError(f"several versions begin with `{shown}`", found)
        if not versions:
            raise VersionError(f"no version is kept, so there is no `{shown}`")
        near = _nearest(text, versions)
        raise VersionError(f"there is no version `{shown}`", near, versions)

    def all(self) -> list[Version]:
        """The versions that are kept, the latest first. Raises StateError."""
        found = [(self._time(digest), digest) for digest in self._digests()]
        return [
            Version(digest, datetime.fromtimestamp(when / 1e9, UTC))
            for when, digest in sorted(found, reverse=True)
            if when
        ]

    def _check_folder(self) -> None:
        try:
            status = self._folder.lstat()
        except FileNotFoundError:
            raise
        except OSError as error:
            said = (error.strerror or type(error).__name__).lower()
            raise StateError(f"`{self._folder}` can't be looked at: {said}") from None
        if not stat.S_ISDIR(status.st_mode):
            raise StateError(f"`{self._folder}` is no folder")
        if why := not_own(self._folder, status):
            raise StateError(why)

    def _digests(self) -> list[str]:
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - names are all that is needed
        except FileNotFoundError:
            return []
        except OSError as error:
            said = (error.strerror or type(error).__name__).lower()
            raise StateError(f"`{self._folder}` can't be read: {said}") from None
        return [f"sha256:{found[1]}" for name in names if (found := _FILE.fullmatch(name))]

    def _time(self, digest: str) -> int:
        try:
            return self._path(digest).lstat().st_mtime_ns
        except OSError:  # just removed by another process
            return 0

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest.removeprefix('sha256:')}.json"


def _nearest(text: str, versions: list[Version]) -> list[Version]:
    """The versions whose digest begins most like the text, the latest first; none where it looks
    like none of them."""
    digits = text.strip().lower().removeprefix("sha256:")
    alike = [(_same_start(v.digest[7:], digits), v) for v in versions]
    best = max(count for count, _ in alike)
    return [v for count, v in alike if count == best] if best >= 4 else []


def _same_start(left: str, right: str) -> int:
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    )
