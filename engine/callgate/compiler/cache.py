"""Compiled graphs on disk, keyed by the digest of everything they were made from.

A cache decides what an agent may do, so one that somebody else could write is refused, and what is
read is checked: the digest of the file, the structure of the graph, the digest of the graph.
A damaged entry is as good as none: it is compiled again and written anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from callgate.compiler.cache_folder import cache_folder, put, why_refused
from callgate.compiler.ownership import not_own
from callgate.model.graph import (
    DecisionGraph,
    FoldedRule,
    GraphError,
    NodeOrigin,
    RuleOrigin,
    SourceMap,
)

__all__ = ["CacheRefusedError", "GraphCache", "cache_key"]

_VERSION: Final = b"callgate.cache/3"


class CacheRefusedError(Exception):
    """The cache folder or file could be written by somebody else; the message says which."""


def cache_key(engine: str, parts: Iterable[tuple[str, bytes]]) -> str:
    """The key of a compilation: engine version, and name and bytes of every input, in order."""
    digest = hashlib.sha256(_VERSION)
    for name, data in (("engine", engine.encode()), *parts):
        digest.update(b"%d:%s%d:" % (len(name), name.encode(), len(data)))
        digest.update(data)
    return digest.hexdigest()


class GraphCache:
    """A folder of compiled graphs, by default `cache_folder()`."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()

    def read(self, key: str) -> tuple[DecisionGraph, SourceMap, Any] | None:
        """The entry of a key with the `extra` it was written with, or None when there is none or it
        is damaged; raises CacheRefusedError."""
        path = self._path(key)
        if not path.exists():
            return None
        _check_owned(self.folder)
        try:
            data = _read_own(path)
            digest, rest = data.split(b"\n", 1)
            if hashlib.sha256(rest).hexdigest().encode() != digest:
                return None
            # Canonical JSON has no line ends.
            text, body = rest.split(b"\n", 1)
            entry = orjson.loads(body)
            graph = DecisionGraph.from_json(text, entry["digest"])
            return graph, _sources(entry["sources"]), entry["extra"]
        except (OSError, GraphError, ValueError, LookupError, TypeError, AttributeError):
            return None

    def write(self, key: str, graph: DecisionGraph, sources: SourceMap, extra: Any) -> None:
        """Write an entry atomically; raises CacheRefusedError. A folder that can't be written is no
        cache, not an error."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_owned(self.folder)
            rest = {"digest": graph.digest, "sources": _plain(sources), "extra": extra}
            body = graph.to_json() + b"\n" + orjson.dumps(rest)
            digest = hashlib.sha256(body).hexdigest().encode()
            put(self._path(key), digest + b"\n" + body)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.graph"


def _read_own(path: Path) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if why := not_own(path, status):
            raise CacheRefusedError(why)
        if not stat.S_ISREG(status.st_mode):
            raise CacheRefusedError(f"`{path}` is no file")
        return file.read()


def _check_owned(folder: Path) -> None:
    if why := why_refused(folder):
        raise CacheRefusedError(why)


def _plain(sources: SourceMap) -> Mapping[str, Any]:
    return {
        "nodes": list(map(list, sources.nodes)),
        "rules": {rule: list(origin) for rule, origin in sources.rules.items()},
        "folded": [[f.step, f.rule, f.title, f.why, f.file, f.line] for f in sources.folded],
    }


def _sources(form: Mapping[str, Any]) -> SourceMap:
    return SourceMap(
        tuple(map(NodeOrigin._make, form["nodes"])),
        {rule: RuleOrigin._make(origin) for rule, origin in form["rules"].items()},
        tuple(FoldedRule(*item) for item in form["folded"]),
    )
