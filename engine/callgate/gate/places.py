"""Where a policy and the gate's state lie on disk, and whether an agent could write there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from callgate.gate.links import links_of
from callgate.gate.own_places import OwnPlaces
from callgate.gate.state import StateFolder
from callgate.load.files import bundle_folders
from callgate.resources import packaged_folders

__all__ = ["MOST_WORKSPACES", "RECORDS", "STATE", "Places"]

MOST_WORKSPACES: Final = 256
"""How many workspaces are remembered."""

RECORDS: Final = "the records of decisions"
STATE: Final = "the gate's state folder"

_NO_WORKSPACE: Final = "the call names none, so its `cwd` counts as one"
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
        self._kept: dict[str, str] = {}
        if state is not None:
            self._kept[os.fspath(state.path)] = STATE
        self._known: dict[str, str] = {}

    @cached_property
    def own(self) -> OwnPlaces:
        """What no call may change; another one after `forget` and `keep`."""
        named = [path for _, path, _ in self._all()]
        places = {os.path.abspath(path) for path in named}  # noqa: PTH100 - as below
        places.update(os.path.realpath(path) for path in named)
        return OwnPlaces(places, {link for path in named for link in links_of([path])})

    def keep(self, what: str, path: str | Path) -> None:
        """One more folder that the gate goes by. `what`: for people, such as "the gate's state
        folder"; `path`: absolute."""
        if self._kept.get(os.fspath(path)) != what:
            self._kept = {**self._kept, os.fspath(path): what}
            self.forget()

    def refuses_call(self, context: Any) -> str:
        """As `refuses`, for the `context` of a call. Where it names no workspace, the folder that
        the call runs in is one: its agent writes there."""
        if type(context) is not dict:
            return ""
        for name in ("workspace", "cwd"):
            folder = context.get(name)
            if folder and type(folder) is str:
                why = self.refuses(folder)
                return f"{why}; {_NO_WORKSPACE}" if why and name == "cwd" else why
        return ""

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
        """Look at everything anew: the bundle may have other files now."""
        self.__dict__.pop("own", None)
        _ = self.own  # now, in the thread of a reload
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
        """What it is, its path, whether it is a folder."""
        if self._settings is not None:
            yield "the settings file", os.fspath(self._settings), False
        for path, what in self._kept.items():
            yield what, path, True
        for path in packaged_folders():
            yield "Callgate's code", path, True
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
    # A text without `x/..` leads elsewhere where `x` is a link.
    return {os.path.abspath(path), os.path.realpath(path), *links_of([path])}  # noqa: PTH100


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return path, 0, 0, 0
    return path, status.st_mtime_ns, status.st_size, status.st_ino
