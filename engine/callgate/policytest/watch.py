"""What changes on disk while somebody works on a bundle, told by looking at sizes and times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

__all__ = ["Watched", "changes", "snapshot"]

Watched = Mapping[str, tuple[int, int]]
"""Path → size and time of change, of every file that is there."""


def snapshot(folders: Iterable[str | Path]) -> Watched:
    """How all files in these folders are at this moment; hidden ones, and what can't be looked at,
    are left out."""
    return {path: state for folder in folders for path, state in _files(str(folder))}


def changes(
    folders: Callable[[], Iterable[str | Path]],
    wait: Callable[[], None],
    look: Callable[[Iterable[str | Path]], Watched] = snapshot,
) -> Iterator[frozenset[str]]:
    """The files that changed, came or went: none at once, then some each time that there are any.

    `folders`: where to look, asked anew each time, as a bundle may come to extend another. `wait`:
    passes the time between two looks; what it raises ends the watch.
    """
    before = look(folders())
    yield frozenset()
    while True:
        wait()
        now = look(folders())
        if now != before:
            both = before.keys() | now.keys()
            changed = frozenset(path for path in both if before.get(path) != now.get(path))
            before = now
            yield changed


def _files(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    todo = [folder]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    else:
                        status = entry.stat()
                        yield entry.path, (status.st_size, status.st_mtime_ns)
        except OSError:
            continue  # it is being written, or gone: the next look will tell
