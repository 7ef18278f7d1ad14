"""Paths in normal form, written the plainest way: the second half of the specification."""

from __future__ import annotations

from typing import Any

from callgate.model.values import UNKNOWN

__all__ = ["components", "covers", "expand_home", "extension", "inside", "parent", "path_of"]


def components(path: str) -> list[str]:
    """`/srv/app` → ``, `srv`, `app`: paths are compared by these, never as text. `~` and `.` (a
    home and a working folder that nobody knows) are names like others."""
    return path.rstrip("/").split("/")


def inside(inner: str, outer: str) -> bool:
    """Whether `inner` is `outer` or in it. Everything is in `/`, also the home folder."""
    names = components(outer)
    return outer == "/" or components(inner)[: len(names)] == names


def covers(path: str, other: str) -> bool:
    """Whether acting on `path` and all in it acts on `other`: `dir/*` counts as `dir`."""
    parent, slash, last = path.rpartition("/")
    return inside(other, (parent or "/") if slash and last == "*" else path)


def path_of(text: Any, base: str) -> Any:
    """The normalised path that `text` means in the folder `base`; `~` is kept.

    Unknown for what is no text or no path, for a relative one in no known folder, and for one that
    leads above `~`, which may be anywhere.
    """
    if not isinstance(text, str) or "\0" in text:
        return UNKNOWN
    if not text.startswith(("/", "~")):
        if not base.startswith(("/", "~")):
            return UNKNOWN
        text = base + "/" + text
    first, *rest = text.split("/")
    names: list[str] = []
    for name in rest:
        if name == "..":
            if not names and first:
                return UNKNOWN
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return "/".join([first, *names]) or "/"


def expand_home(path: Any, home: str) -> Any:
    """`~` and `~/x` with the home folder for `~`, where it is known; of a list, each."""
    if isinstance(path, list | tuple):
        return tuple(UNKNOWN if item is UNKNOWN else expand_home(item, home) for item in path)
    if home.startswith("/") and components(path)[0] == "~":
        return path_of(home + path[1:], "/")
    return path


def parent(path: str) -> Any:
    """The folder that a path lies in, `/` of `/`; of a folder that is not known it is not known."""
    *folder, _ = components(path)
    if not folder:
        return "/" if path == "/" else UNKNOWN
    return "/".join(folder) or "/"


def extension(path: str) -> str:
    """What follows the last dot of the last component; nothing where only dots come before it."""
    *before, ending = components(path)[-1].split(".")
    return ending if any(before) else ""
