"""Whether a file or folder is one's own: nobody else could have written what stands in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["not_own", "not_own_folder"]


def not_own(place: Path, status: os.stat_result, above: bool = False) -> str:
    """Why other users could write a place, in one line; "" if they can't.

    `above`: a folder on the way, which may belong to the system, and where a sticky bit will do.
    """
    if not hasattr(os, "getuid"):
        return ""  # Windows: the profile folder's access list is the protection there.
    owners = {os.getuid(), 0} if above else {os.getuid()}
    if status.st_uid not in owners:
        return f"`{place}` belongs to another user"
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if shared and not (above and status.st_mode & stat.S_ISVTX):
        return f"other users may write `{place}`"
    return ""


def not_own_folder(folder: Path) -> str:
    """Why another user could write a folder, or swap it by writing one above it; "" if nobody can.
    Raises OSError when one of them can't be looked at."""
    real = folder.resolve()
    for place in dict.fromkeys((real, *real.parents, *folder.absolute().parents)):
        if why := not_own(place, place.stat(), above=place != real):
            return why
    return ""
