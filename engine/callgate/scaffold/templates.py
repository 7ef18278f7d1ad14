"""What a new bundle can begin as. A template is a bundle itself, with tests that pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from callgate.load.files import MANIFEST
from callgate.resources import bundle_names, template_names, template_root
from callgate.runtime.masking import escape

__all__ = ["NAME", "create", "templates"]

NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
"""What a bundle may be called."""

_NAME_LINE: Final = re.compile(r"^name: .*$", re.MULTILINE)
_TITLE_LINE: Final = re.compile(r"^title: (.*)$", re.MULTILINE)


def templates() -> Mapping[str, str]:
    """The templates by name, each with its title."""
    return {name: _title(template_root(name)) for name in template_names()}


def create(template: str, folder: Path, name: str) -> tuple[Path, ...]:
    """Write the files of a template into a new folder, as a bundle of that name; they are given
    back, the manifest first.

    Raises KeyError when there is no such template, ValueError when the name can't be one,
    FileExistsError when the folder is there and not empty, and OSError; then nothing is left.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"`{escape(name)}` can't be a bundle's name: lower-case letters, digits and `-`"
        )
    for taken in (name, folder.name):
        if taken in bundle_names():
            raise ValueError(f"`{taken}` is a bundle that comes with callgate: choose another name")
    root = template_root(template)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"`{folder}` is there, and not empty: choose another folder")
    written: list[Path] = []
    try:
        for path, source in sorted(_files(root), key=lambda item: (item[0] != MANIFEST, item[0])):
            text = source.read_text("utf-8")
            if path == MANIFEST:
                text = _NAME_LINE.sub(f"name: {name}", text, count=1)
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            written.append(target)
            target.write_text(text, "utf-8")
    except OSError:
        for target in written:
            target.unlink(missing_ok=True)
        raise
    return tuple(written)


def _title(root: Traversable) -> str:
    found = _TITLE_LINE.search((root / MANIFEST).read_text("utf-8"))
    return found[1] if found else ""


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".yaml"):
            yield f"{prefix}{entry.name}", entry
