"""Where a policy and the gate's state lie on disk, and whether an agent could write there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from callgate.gate.links import links_of
from callgate.gate.state import StateFolder
from callgate.load.files import bundle_folders

__all__ = ["MOST_WORKSPACES", "Places"]

MOST_WORKSPACES: Final = 256
"""How many workspaces are remembered."""

_ENDINGS: Final = (".yaml", ".yml")
Stamp = tuple[str, int, int, int]


class Places:
    """The files that a gate goes by.

    `bundle`, `settings`: as for `Engine.load`; settings that are no file are nowhere. `state`: the
    gate's own folder, or None. Safe to share between threads.
    """

    def __init__(
        self,
        bundle: str | Path,
        settings: Mapping[str, Any] | Path | None,
        state: StateFolder | None = None,
    ) -> None:
        self._bundle = bundle
        self._settings = settings if isinstance(settings, Path) else None
        self._state = state
        self._known: dict[str, str] = {}

    def refuses(self, workspace: str) -> str:
        """As `inside`, and remembered until `forget`."""
        known = self._known  # what was found before a `forget` must not be kept after it
        found = known.get(workspace)
        if found is None:
            if len(known) >= MOST_WORKSPACES:
                known = self._known = {}
            found = known[workspace] = self.inside(workspace)
        return found

    def forget(self) -> None:
        """Look at every workspace anew: the bundle may have other files now."""
        self._known = {}

    def inside(self, workspace: str) -> str:
        """Why somebody who may write in a folder could change what the gate goes by, in one line;
        "" when they couldn't. `workspace`: its absolute path; "" is none. Links on the way to a
        file count as well as the file."""
        if not workspace:
            return ""
        if not Path(workspace).is_absolute() or "\0" in workspace:
            return "the agent's workspace is not an absolute path"
        roots = {os.path.normpath(workspace), os.path.realpath(workspace)}
        for what, path, is_folder in self._all():
            for way in _ways(path):
                if any(_lies_in(way, root) for root in roots):
                    return f"{what} lies in the agent's workspace"
                if is_folder and any(_lies_in(root, way) for root in roots):
                    return f"the agent's workspace lies in {what}"
        return ""

    def stamps(self) -> tuple[Stamp, ...]:
        """What the bundle's and the settings file look like from outside: path, time of change,
        size and number of each."""
        paths = [file for folder in bundle_folders(self._bundle) for file in _files(folder)]
        if self._settings is not None:
            paths.append(os.fspath(self._settings))
        return tuple(_stamp(path) for path in sorted(paths))

    def _all(self) -> Iterator[tuple[str, str, bool]]:
        if self._settings is not None:
            yield "the settings file", os.fspath(self._settings), False
        if self._state is not None:
            yield "the gate's state folder", os.fspath(self._state.path), True
        for folder in bundle_folders(self._bundle) or _unfound(self._bundle):
            yield "the policy's folder", os.fspath(folder.absolute()), True
            for file in _files(folder):
                # A link to a folder is not followed, one to a file is.
                if os.path.islink(file):  # noqa: PTH114 - texts, of which there may be many
                    yield "a file of the policy", file, False


def _unfound(bundle: str | Path) -> list[Path]:
    """A bundle that is not there now may come back."""
    return [bundle] if isinstance(bundle, Path) else []


def _files(folder: Path) -> Iterator[str]:
    """The YAML files below a folder, as a bundle is read: links to folders are not followed."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(_ENDINGS):
                yield os.path.join(place, name)  # noqa: PTH118 - as above


def _ways(path: str) -> set[str]:
    """A path, the links that it leads through, and the place where it ends."""
    path = os.path.abspath(path)  # noqa: PTH100 - as above
    return {path, os.path.realpath(path), *links_of([path])}


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return path, 0, 0, 0
    return path, status.st_mtime_ns, status.st_size, status.st_ino
