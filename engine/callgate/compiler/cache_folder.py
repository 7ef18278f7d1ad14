"""The folder of everything that is kept between runs, and where it must not lie."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from callgate.compiler.ownership import not_own_folder
from callgate.load.repository import repository_of

__all__ = ["cache_folder", "put", "why_refused"]


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/callgate`, or else `~/.cache/callgate`. A relative `$XDG_CACHE_HOME` says
    nothing: it would depend on where a command is run."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "callgate"


def put(path: Path, data: bytes) -> None:
    """Write an entry of a cache, whole or not at all. Raises OSError where its folder can't be
    written in."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)


def why_refused(folder: Path) -> str:
    """Why others could have written what stands in a cache folder, in one line; "" if nobody could.

    Whoever contributes to a repository writes what is in it: so one that is worked in holds no
    cache, unless it is the home folder itself. Raises OSError as `not_own_folder`.
    """
    root = _worked_in()
    if root is not None and folder.resolve().is_relative_to(root.resolve()):
        return f"`{folder}` is in the repository `{root}`, whose contributors could write it"
    return not_own_folder(folder)


def _worked_in() -> Path | None:
    try:
        root = repository_of(Path.cwd())
        return None if root == Path.home() else root
    except (OSError, RuntimeError):  # neither the working directory nor a home need be there
        return None
