"""Naming a new bundle in the configuration of the authors' tools."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from callgate.load.dumping import entry_text
from callgate.load.files import CONFIGURATION
from callgate.load.project import find_project
from callgate.model.diagnostic import Diagnostics

__all__ = ["configured"]

_HEAD: Final = "# What lint, fmt, test and ci take when no path is given.\n"


def configured(bundle: Path) -> tuple[str, bool]:
    """Name a bundle's folder in a new configuration of the working directory, where none counts
    here already. Gives back what was done, or has to be, and whether the folder is named now.
    Raises OSError."""
    found = Diagnostics()
    project = find_project(found)
    if project.document is None and not found.has_errors:
        text = entry_text("bundles", [_from(Path.cwd(), bundle)], "")
        with Path(CONFIGURATION).open("x", encoding="utf-8") as file:
            file.write(_HEAD + text)
        return CONFIGURATION, True
    if found.has_errors:
        return f"the configuration has to be mended first: {found.sorted()[0].line}", False
    file_ = project.document.file if project.document else CONFIGURATION
    if any(Path(known).resolve() == bundle.resolve() for known in project.bundles):
        return f"{file_} names it already", True
    return f"{file_} is there: add `{_from(project.folder, bundle)}` to its `bundles`", False


def _from(folder: Path, bundle: Path) -> str:
    """The path that leads from a folder to a bundle's."""
    return Path(os.path.relpath(bundle, folder)).as_posix()
