"""Finding a bundle and reading its files' bytes; no YAML here, so that a cache stays fast."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest
from callgate.resources import bundle_names, bundle_root

__all__ = ["MANIFEST", "MAX_BYTES", "BundleFiles", "read_bundle_bytes", "read_file"]

MANIFEST: Final = "bundle.yaml"
MAX_BYTES: Final = 4 * 1024 * 1024
"""Files above this size are refused; no more than one byte beyond it is read."""

_MAX_ENTRIES: Final = 10_000
_ENDINGS: Final = (".yaml", ".yml")

BundleFiles = list[tuple[str, bytes]]
"""Files as (path shown to people, content): the manifest first, then by the bytes of the path."""


def read_bundle_bytes(where: str | Path, diagnostics: Diagnostics | None = None) -> BundleFiles:
    """The manifest and every other YAML file below a bundle's folder.

    `where` is the name of an embedded bundle, or a folder: a Path, a text with a separator, or a
    text that is no bundle's name; its files are shown as paths from the working directory. The
    result is empty when there is no bundle (Y016); a file that can't be read (Y013) is left out.
    Without `diagnostics` these raise PolicyError.
    """
    collector = Diagnostics() if diagnostics is None else diagnostics
    files: BundleFiles = []
    found = _locate(where, collector)
    if found is not None:
        prefix, root = found
        files = _read_all(prefix, root, collector)
    if diagnostics is None:
        collector.raise_errors()
    return files


def _locate(where: str | Path, diagnostics: Diagnostics) -> tuple[str, Traversable] | None:
    """A bundle's folder as shown and as it is. An embedded bundle wins over a folder of its name,
    so that a folder in the working directory can't take a known policy's place."""
    text = os.fspath(where)
    is_path = isinstance(where, Path) or "/" in text or os.sep in text
    if not is_path and text in bundle_names():
        return f"policies/{text}", bundle_root(text)
    folder = Path(text)
    shown = _printable(text)
    try:
        if (folder / MANIFEST).is_file():
            return _printable(_from_here(folder)), folder.resolve()
        problem, help = _no_bundle(text, folder, is_path)
    except (OSError, ValueError, RuntimeError) as error:
        problem, help = f"`{shown}` can't be read: {_reason(error)}", ""
    diagnostics.error("Y016", problem, Span(shown, 1, 1, 1, 1), help)
    return None


def _from_here(folder: Path) -> str:
    """A folder as a path that leads there: from the working directory when it lies in it, else as
    it was given."""
    try:
        return folder.resolve().relative_to(Path.cwd()).as_posix()
    except (OSError, ValueError):  # the working directory is gone, or the folder is elsewhere
        return folder.as_posix()


def _no_bundle(text: str, folder: Path, is_path: bool) -> tuple[str, str]:
    shown = _printable(text)
    if folder.is_dir():
        return f"there is no `{MANIFEST}` in `{shown}`", "give the folder that holds it"
    if folder.exists():
        return f"`{shown}` is no folder", f"give the folder that holds `{MANIFEST}`"
    meant = None if is_path else closest(text, bundle_names())
    names = ", ".join(f"`{name}`" for name in bundle_names())
    help = f"did you mean `{meant}`?" if meant else f"the embedded bundles are: {names}"
    return f"there is no bundle or folder `{shown}`", help


def _read_all(prefix: str, root: Traversable, diagnostics: Diagnostics) -> BundleFiles:
    entries: list[tuple[str, Traversable]] = []
    try:
        for found in _walk(root, ""):
            entries.append(found)
            if len(entries) > _MAX_ENTRIES:
                message = f"`{prefix}` holds more than {_MAX_ENTRIES} files"
                help = "give the bundle a folder of its own"
                diagnostics.error("Y016", message, Span(prefix, 1, 1, 1, 1), help)
                return []
    except OSError as error:
        message = f"the folder can't be read: {_reason(error)}"
        diagnostics.error("Y013", message, Span(prefix, 1, 1, 1, 1))
    entries.sort(key=lambda entry: (entry[0] != MANIFEST, os.fsencode(entry[0])))
    files: BundleFiles = []
    for path, entry in entries:
        if path.endswith(_ENDINGS):
            file = f"{prefix}/{_printable(path)}"
            data = read_file(entry, file, diagnostics)
            if data is not None:
                files.append((file, data))
    return files


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    """Everything below a folder that is no folder; links to folders are not followed."""
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if not entry.is_dir():
            yield path, entry
        elif not (isinstance(entry, Path) and entry.is_symlink()):
            yield from _walk(entry, path + "/")


def read_file(
    entry: Traversable, file: str, diagnostics: Diagnostics, any_kind: bool = False
) -> bytes | None:
    """Up to `MAX_BYTES` + 1 bytes of a file, or None (Y013).

    `any_kind`: whether it may be something else than a regular file, such as a pipe.
    """
    try:
        if isinstance(entry, Path) and not any_kind and not stat.S_ISREG(entry.stat().st_mode):
            raise OSError(0, "it is not a regular file")
        with entry.open("rb") as stream:
            data: bytes = stream.read(MAX_BYTES + 1)
            return data
    except (OSError, ValueError) as error:
        message = f"the file can't be read: {_reason(error)}"
        diagnostics.error(
            "Y013", message, Span(file, 1, 1, 1, 1), "check that it is there, and who may read it"
        )
        return None


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{text[:1].lower()}{text[1:]}"


def _printable(path: str) -> str:
    """A path without what can't be encoded: names that are no UTF-8 have their bytes escaped."""
    return path.encode("utf-8", "backslashreplace").decode()
