"""Looks where symbolic links lead: every link on the way of a path, one component at a time.

What the kernel makes up for each process (`/proc`, `/dev/stdin`) leads somewhere else for the tool
than for the gate, so it is not followed; the paths of a policy know these places by name. What lies
behind them, and what goes up from there, is unknown.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from stat import S_ISLNK
from typing import Final

from callgate.gate.patterns import is_active, may_match

__all__ = ["MAX_LOOKS", "UnseenError", "identity_of", "is_straight", "links_of"]

MAX_LOOKS: Final = 20_000
"""So many names are looked at for all paths together. One that is the name of a path costs a system
call, one in a folder that a pattern is compared with less."""

_MAX_HOPS: Final = 40
_NO_LINK: Final = ""
_OWN: Final = "\0"
"""Before the target of a link that is another one for each process."""

_O_PATH: Final[int] = getattr(os, "O_PATH", 0)


class UnseenError(Exception):
    """What a call touches can't be looked at; the message says why, in words for the agent."""


def identity_of(path: str) -> tuple[int, int] | None:
    """The device and the number of the file or folder at a path; None where nobody can tell."""
    try:
        status = os.stat(path)  # noqa: PTH116 - as below
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def links_of(paths: Iterable[str], looks: int = MAX_LOOKS) -> dict[str, str]:
    """The links on the way of absolute paths, which may hold `..` and patterns of names: the
    place of each link → where it leads, absolute; "" where nobody could look.

    It blocks while the file system answers. A path with active characters is a name and a pattern:
    who names it may have quoted it. A pattern (`dir/*.py`) that a link matches leads to "".
    `looks`: after so many names UnseenError is raised.
    """
    looking = _Looking(looks)
    for path in paths:
        if path[:1] != "/" or "\0" in path:
            looking.found[path] = ""
        elif not is_active(path):
            looking.count()
            if not is_straight(path):
                looking.follow("", path)
        else:
            looking.follow("", path)
            looking.pattern(path)
    return looking.found


def is_straight(path: str) -> bool:
    """Whether a path is there without a link on its way: the quick answer to most calls. False says
    nothing.

    The system itself calls the file by that path then. It is opened without being read, in three
    system calls however long the path is. (Of one that was deleted the system says so in
    parentheses at the end.)
    """
    if "*" in path or "?" in path or "[" in path or path[-1:] == ")" or not _O_PATH:
        return False
    try:
        handle = os.open(path, _O_PATH)
    except (OSError, ValueError):
        return False
    try:
        return os.readlink(f"/proc/self/fd/{handle}") == path  # noqa: PTH115 - many times a second
    except OSError:
        return False
    finally:
        os.close(handle)


class _Looking:
    """One look at some paths. `found`: what comes of it. `left`: how many names may be looked at.
    `known`: what is known of places, for this look."""

    __slots__ = ("found", "known", "left")

    def __init__(self, looks: int) -> None:
        self.left = looks
        self.found: dict[str, str] = {}
        self.known: dict[str, str] = {}

    def count(self) -> None:
        """One more name. Raises UnseenError."""
        self.left -= 1
        if self.left < 0:
            raise UnseenError("what the call names is more than can be looked at")

    def follow(self, current: str, rest: str) -> str | None:
        """Walk on from a place that is no link: the place where the walk ends, or None."""
        parts = rest.split("/")
        parts.reverse()
        hops = 0
        while parts:
            part = parts.pop()
            if part == "" or part == ".":
                continue
            if part == "..":
                current = current.rpartition("/")[0]
                continue
            place = f"{current}/{part}"
            if place == "/proc":
                below = [part for part in parts if part not in ("", ".")]
                if below[-1:] == [".."]:
                    current = place
                    continue
                if ".." in below:
                    self.found[place] = ""
                return None
            target = self.known.get(place)
            if target is None:
                self.count()
                target = self.known[place] = self._look(place, current)
            if target == _NO_LINK:
                current = place
                continue
            if target[0] == _OWN:
                if not _is_handle(target, parts):
                    self.found[place] = ""
                return None
            hops += 1
            if target == place or hops > _MAX_HOPS:
                self.found[place] = ""
                return None
            current = ""
            parts += reversed(target.split("/"))
        return current

    def _look(self, place: str, folder: str) -> str:
        """Where a place leads: `_NO_LINK`, the target, `_OWN` and the target, or the place itself
        when nobody can tell."""
        try:
            if not S_ISLNK(os.lstat(place).st_mode):
                return _NO_LINK
            target = os.readlink(place)  # noqa: PTH115 - as above
        except (FileNotFoundError, NotADirectoryError):
            return _NO_LINK
        except (OSError, ValueError):
            return place
        if folder == "/dev" and target.startswith("/proc/"):
            return _OWN + target
        if ".." in target.split("/"):
            # Another link may stand before the `..`.
            self.known[place] = place
            start = "" if target[:1] == "/" else folder
            end = self.follow(start, target)
            target = place if end is None else end or "/"
        elif target[:1] != "/":
            target = f"{folder}/{target}"
        self.found[place] = target
        return target

    # -- patterns

    def pattern(self, path: str) -> None:
        """Look at all that a path with patterns of names matches."""
        parts = path.split("/")
        first = next(i for i, part in enumerate(parts) if is_active(part))
        folder = self.follow("", "/".join(parts[:first]))
        if folder is None:
            return
        rest = [part for part in parts[first:] if part not in ("", ".")]
        if ".." in rest or not self._plain(folder, rest, True):
            named = "/".join(parts[: first + 1])
            self.found[f"{folder}/{parts[first]}"] = self.found[named] = ""

    def _plain(self, folder: str, parts: list[str], named: bool) -> bool:
        """Whether nothing that the parts match below a folder is a link, or leads through one.
        `named`: the folder has the very name that was written; then links of such a name were
        followed."""
        if not parts:
            return True
        part, rest = parts[0], parts[1:]
        deep = part == "**"
        self.count()
        try:
            with os.scandir(folder or "/") as entries:
                for entry in entries:
                    self.count()
                    name = entry.name
                    if not may_match(name, part):
                        continue
                    same = named and name == part
                    if entry.is_symlink():
                        if same:
                            continue
                        return False
                    below = entry.is_dir(follow_symlinks=False)
                    if rest and below and not self._plain(f"{folder}/{name}", rest, same):
                        return False
                    if deep and below and not self._plain(f"{folder}/{name}", parts, False):
                        return False
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return not deep or not rest or self._plain(folder, rest, False)


def _is_handle(target: str, parts: list[str]) -> bool:
    """Whether what follows (last first) a link to what is each process' own leads no further than
    to one thing that it holds open: nothing, or a number in the folder of all."""
    below = [part for part in parts if part not in ("", ".")]
    return not below or (len(below) == 1 and target.endswith("/fd") and below[0].isdigit())
