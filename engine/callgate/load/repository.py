"""What belongs to the project that somebody works in, and what others could have put in its way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["could_be_foreign", "repository_of"]


def repository_of(folder: Path) -> Path | None:
    """The root of the repository that an absolute folder lies in: the nearest folder with a `.git`,
    or None.

    Whose files those are says nothing: in containers, a checkout often belongs to another user. But
    a `.git` of another owner than its folder is no repository: others may put one into `/tmp`.
    """
    for place in (folder, *folder.parents):
        try:
            if (place / ".git").lstat().st_uid == place.stat().st_uid:
                return place
        except OSError:
            continue
    return None


def could_be_foreign(path: Path) -> str:
    """Why a file outside every repository may have been written by another user, in one line; "" if
    it can't have been. Raises OSError when it, or its folder, can't be looked at."""
    if not hasattr(os, "getuid"):
        return ""  # Windows: the folder's access list is the protection there
    for place in (path, path.parent):
        status = place.stat()
        if status.st_uid not in (os.getuid(), 0):
            return f"`{place}` belongs to another user"
        sticky = place != path and status.st_mode & stat.S_ISVTX
        if status.st_mode & stat.S_IWOTH and not sticky:
            return f"other users may write `{place}`"
    return ""
