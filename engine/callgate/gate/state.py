"""The gate's own folder: grants, requests, versions of the policy, what an operator has set.

Whoever can write here can allow anything, so a folder that another user could write is refused.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from callgate.compiler.ownership import not_own_folder
from callgate.storage.errors import StateError

__all__ = ["StateError", "StateFolder", "default_state"]


_NOT_USED: Final = "no gate has used this folder: name the gate's state folder"


class StateFolder:
    """The folder that a gate keeps its state in, made with mode 0700 where there is none.

    `path`: that folder. `create`: false to use only one that is there. Raises StateError when it
    can't be made, is missing, or could be written by somebody else; TypeError when it is no path.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        if not isinstance(path, str | Path):
            raise TypeError(f"`path` is the path of a folder, not {_kind(path)}")
        if not str(path):
            raise StateError("the state folder has no name: an empty path is no folder")
        self.path = Path(path).absolute()
        try:
            if create:
                _make(self.path)
                self.versions.mkdir(mode=0o700, exist_ok=True)
            why = not_own_folder(self.path)
        except (OSError, ValueError) as error:
            strerror = error.strerror if isinstance(error, OSError) else str(error)
            said = (strerror or type(error).__name__).lower()
            # Where it is missing, whoever named it means another one.
            help = f"; {_NOT_USED}" if isinstance(error, FileNotFoundError) and not create else ""
            raise StateError(
                f"the state folder `{self.path}` can't be used: {said}{help}"
            ) from None
        if why:
            raise StateError(f"the state folder is refused: {why}")

    def check_used(self) -> None:
        """Raises StateError when no gate has used this folder: what is set here, none reads."""
        if not any(
            os.path.lexists(place) for place in (self.versions, self.database, self.control)
        ):
            raise StateError(f"`{self.path}` is no state folder; {_NOT_USED}")

    @property
    def database(self) -> Path:
        """Where grants, requests, refusals and events are kept."""
        return self.path / "state.db"

    @property
    def control(self) -> Path:
        """What an operator has set: freeze, break-glass, the version of the policy."""
        return self.path / "control.json"

    @property
    def versions(self) -> Path:
        """The folder of the graphs that were good."""
        return self.path / "versions"


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _make(folder: Path) -> None:
    """Make a folder and those above it, all for one user alone, whatever the umask says."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in (*reversed(missing[1:]), folder):
        place.mkdir(mode=0o700, exist_ok=True)


def default_state() -> Path:
    """The folder where nobody names one: `$XDG_STATE_HOME/callgate`, or else
    `~/.local/state/callgate`. A relative `$XDG_STATE_HOME` says nothing: it would depend on where
    the agent happens to run. Raises StateError when there is no home folder."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if base.is_absolute():
        return base / "callgate"
    try:
        return Path.home() / ".local" / "state" / "callgate"
    except RuntimeError:
        raise StateError("there is no home folder to keep the gate's state in") from None
