"""Finding a bundle and reading its files' bytes; no YAML here, so that a cache stays fast."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from callgate.load.one_file import read_file, reason_of
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest
from callgate.resources import bundle_names, bundle_root

__all__ = [
    "CONFIGURATION",
    "MANIFEST",
    "BundleFiles",
    "bundle_folders",
    "plainly_extended",
    "read_bundle_bytes",
    "read_layers",
]

MANIFEST: Final = "bundle.yaml"
CONFIGURATION: Final = ".callgate.yaml"
"""The authors' tools' own file; in a bundle's folder it is none of the bundle's."""
_MAX_ENTRIES: Final = 10_000
_EXTENDS: Final = re.compile(rb"^extends:[ \t]+([\w./-]+)[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_ENDINGS: Final = (".yaml", ".yml")

BundleFiles = list[tuple[str, bytes]]
"""Files as (path shown to people, content): the manifest first, then by the bytes of the path."""


def read_bundle_bytes(where: str | Path, diagnostics: Diagnostics | None = None) -> BundleFiles:
    """The manifest and every other YAML file below a bundle's folder, then those of the bundle that
    it extends, and so on (see `read_layers`)."""
    return [file for layer in read_layers(where, diagnostics) for file in layer]


def read_layers(where: str | Path, diagnostics: Diagnostics | None = None) -> list[BundleFiles]:
    """The files of a bundle, of the one it extends, and so on.

    `where` is the name of an embedded bundle, or a folder: a Path, a text with a separator, or a
    text that is no bundle's name; its files are shown as paths from the working directory. The
    result is empty when there is no bundle (Y016); a file that can't be read (Y013) is left out,
    and so is a bundle that can't be extended (Y016, Y017). Without `diagnostics` these raise
    PolicyError.
    """
    collector = Diagnostics() if diagnostics is None else diagnostics
    layers: list[BundleFiles] = []
    read: list[_Place] = []
    place = _locate(where, Path(), None, collector)
    while place is not None:
        files = _read_all(place.prefix, place.root, collector)
        layers.append(files)
        read.append(place)
        place = _base(files, read, collector)
    if diagnostics is None:
        collector.raise_errors()
    return layers


def bundle_folders(where: str | Path) -> list[Path]:
    """The folders that `read_layers` reads from, as far as they can be found; nothing is raised."""
    ignored = Diagnostics()
    read: list[_Place] = []
    place = _locate(where, Path(), None, ignored)
    while place is not None:
        read.append(place)
        file = f"{place.prefix}/{MANIFEST}"
        data = read_file(place.root / MANIFEST, file, ignored)
        place = None if data is None else _base([(file, data)], read, ignored)
    return [place.folder for place in read]


@dataclass(frozen=True, slots=True)
class _Place:
    """A bundle's folder: as shown, as it is, and as it was given."""

    prefix: str
    root: Traversable
    folder: Path


def _locate(
    where: str | Path, beside: Path, said: Span | None, diagnostics: Diagnostics
) -> _Place | None:
    """A bundle's folder. An embedded bundle wins over a folder of its name, so that a folder in the
    working directory can't take a known policy's place. `beside`: the folder that a path begins
    from; `said`: where it is named."""
    text = os.fspath(where)
    is_path = isinstance(where, Path) or "/" in text or os.sep in text
    if not is_path and text in bundle_names():
        root = bundle_root(text)
        return _Place(f"policies/{text}", root, Path(str(root)))
    folder = beside / text
    shown = _printable(text)
    try:
        folder = _short(folder)
        if (folder / MANIFEST).is_file():
            return _Place(_printable(_from_here(folder)), folder.resolve(), folder)
        problem, help = _no_bundle(text, folder, is_path)
    except (OSError, ValueError, RuntimeError) as error:
        problem, help = f"`{shown}` can't be read: {reason_of(error)}", ""
    diagnostics.error("Y016", problem, said or Span(shown, 1, 1, 1, 1), help)
    return None


def _short(folder: Path) -> Path:
    """The folder without `x/..` in its path, also where `x` is a link."""
    if ".." not in folder.parts:
        return folder
    short, real = Path(os.path.normpath(folder)), folder.resolve()
    return short if short.resolve() == real else real


def _base(files: BundleFiles, read: list[_Place], diagnostics: Diagnostics) -> _Place | None:
    """The bundle that the one read last extends; None when it extends none, or can't."""
    here = read[-1]
    if not files or files[0][0] != f"{here.prefix}/{MANIFEST}":
        return None
    data = files[0][1]
    # A key may be written with escapes.
    if b"extends" not in data and b"\\" not in data:
        return None
    plain = plainly_extended(data)
    if plain is not None:
        place = _locate(plain, here.folder, None, Diagnostics())
        if place is not None and _circle(plain, place, read) is None:
            return place
    from callgate.load.base import extended

    said = extended(*files[0])
    if said is None:
        return None
    place = _locate(said[0], here.folder, said[1], diagnostics)
    problem = None if place is None else _circle(_printable(said[0]), place, read)
    if problem is not None:
        help = "name another bundle, or leave `extends` out"
        diagnostics.error("Y017", problem, said[1], help)
        return None
    return place


def plainly_extended(data: bytes) -> str | None:
    """What a manifest extends, where one line says so; so YAML is not imported only to know it.

    `load_bundle` compares it with what YAML makes of the manifest.
    """
    found = _EXTENDS.findall(data)
    return found[0].decode() if len(found) == 1 else None


def _circle(text: str, place: _Place, read: list[_Place]) -> str | None:
    """Why the bundles that were read can't be extended further by one more; None when they can."""
    roots = [Path(str(other.root)).resolve() for other in read]
    root = Path(str(place.root)).resolve()
    if root == roots[-1]:
        return "the bundle extends itself"
    if root in roots:
        way = " extends ".join(f"`{other.prefix}`" for other in read[roots.index(root) :])
        return f"{way} extends `{place.prefix}`: these bundles extend one another"
    for other in roots:
        if root.is_relative_to(other) or other.is_relative_to(root):
            return f"`{text}` can't be extended: one of the two folders lies in the other"
    if place.prefix in [other.prefix for other in read]:
        return f"`{text}` can't be extended from a folder `{place.prefix}` of the same path"
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
    near = closest(folder.name, _beside(folder))
    if near is not None:
        return f"there is no bundle or folder `{shown}`", f"there is one in `{near}` beside it"
    # A program may have made a path of what was meant as a name.
    meant = closest(folder.name if is_path else text, bundle_names())
    names = ", ".join(f"`{name}`" for name in bundle_names())
    help = f"did you mean `{meant}`?" if meant else f"the embedded bundles are: {names}"
    return f"there is no bundle or folder `{shown}`", help


def _beside(folder: Path) -> list[str]:
    """The names of the folders with bundles beside a folder that is not there."""
    try:
        return [other.name for other in folder.parent.iterdir() if (other / MANIFEST).is_file()]
    except OSError:
        return []


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
        message = f"the folder can't be read: {reason_of(error)}"
        diagnostics.error("Y013", message, Span(prefix, 1, 1, 1, 1))
    entries.sort(key=lambda entry: (entry[0] != MANIFEST, os.fsencode(entry[0])))
    files: BundleFiles = []
    for path, entry in entries:
        if path.endswith(_ENDINGS) and path != CONFIGURATION:
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


def _printable(path: str) -> str:
    """A path without what can't be encoded: names that are no UTF-8 have their bytes escaped."""
    return path.encode("utf-8", "backslashreplace").decode()
