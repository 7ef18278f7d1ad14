"""The files that `callgate fmt` works on: finding, reading and replacing them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from callgate.cli.whole_file import replace_text
from callgate.load.files import CONFIGURATION, MANIFEST
from callgate.load.one_file import MAX_BYTES, read_file, reason_of
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.resources import bundle_names, bundle_root

__all__ = ["RuleFile", "find_files", "read_rule_file", "replace_file"]

_ENDINGS: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file to format: its path as shown to people, and the bytes that were read from `path`."""

    shown: str
    path: Path
    data: bytes

    @property
    def digest(self) -> str:
        """Of its name, which says whether it is a manifest, and its content."""
        name = self.path.name.encode("utf-8", "backslashreplace")
        return hashlib.sha256(name + b"\0" + self.data).hexdigest()


def find_files(paths: Sequence[str], diagnostics: Diagnostics) -> list[tuple[str, Path]]:
    """The files at these paths, each once, as (path shown to people, path).

    A path is a file, a bundle's folder, a folder with bundles in it, or the name of a bundle that
    comes with callgate. What is not there is reported (Y016), and so is a link that leads out of
    its bundle (Y013).
    """
    found: dict[Path, str] = {}
    for text in paths:
        embedded = os.sep not in text and text in bundle_names()
        path = Path(str(bundle_root(text))) if embedded else Path(text)
        shown = f"policies/{text}" if embedded else _printable(text)
        for name, file, folder in _below(path, shown, diagnostics):
            real = _inside(file, folder, name, diagnostics)
            if real is not None:
                found.setdefault(real, name)
    return [(name, path) for path, name in found.items()]


def _below(path: Path, shown: str, diagnostics: Diagnostics) -> Iterator[tuple[str, Path, Path]]:
    """Files as (shown, path, the folder of its bundle)."""
    if not path.is_dir():
        if path.exists() or path.is_symlink():
            yield shown, path, _bundle_of(path)
        else:
            _missing(shown, f"there is no file or folder `{shown}`", "", diagnostics)
        return
    known = 0
    for folder, names, files in os.walk(path):
        names.sort()
        here = Path(folder)
        bundle = path if (path / MANIFEST).is_file() else _bundle_of(here / MANIFEST)
        if not (bundle / MANIFEST).is_file():
            continue
        for name in sorted(files, key=lambda name: (name != MANIFEST, name)):
            if name.endswith(_ENDINGS) and name != CONFIGURATION:
                known += 1
                below = _printable(os.path.relpath(here / name, path))
                yield f"{shown.rstrip('/')}/{below}" if shown != "." else below, here / name, bundle
    if not known:
        help = f"give a folder that holds `{MANIFEST}`, or a rule file"
        _missing(shown, f"there is no `{MANIFEST}` in `{shown}`", help, diagnostics)


def _bundle_of(file: Path) -> Path:
    """The folder of the bundle that a file belongs to, or else the one that it lies in."""
    for folder in file.absolute().parents:
        if (folder / MANIFEST).is_file():
            return folder
    return file.absolute().parent


def _inside(file: Path, folder: Path, shown: str, diagnostics: Diagnostics) -> Path | None:
    """The file that is meant, where no link leads out of its bundle."""
    try:
        real = file.resolve()
        if real.is_relative_to(folder.resolve()):
            return real
        message = "the file is a link that leads out of its bundle"
        help = "format the file that it leads to, by its own path"
    except (OSError, RuntimeError) as error:
        message, help = f"the file can't be read: {reason_of(error)}", ""
    diagnostics.error("Y013", message, Span(shown, 1, 1, 1, 1), help)
    return None


def _missing(shown: str, message: str, help: str, diagnostics: Diagnostics) -> None:
    diagnostics.error("Y016", message, Span(shown, 1, 1, 1, 1), help)


def read_rule_file(shown: str, path: Path, diagnostics: Diagnostics) -> RuleFile | None:
    """A file with what stands in it, or None (Y013, Y009)."""
    data = read_file(path, shown, diagnostics)
    if data is not None and len(data) > MAX_BYTES:
        from callgate.load.source import read_source

        read_source(shown, data, diagnostics)
        return None
    return None if data is None else RuleFile(shown, path, data)


def replace_file(file: RuleFile, text: str, diagnostics: Diagnostics) -> bool:
    """Put a text in a file's place, whole or not at all, with the mode that the file had.

    False (Y013) where that can't be, or where the file is no longer what was read.
    """
    try:
        if file.path.read_bytes() != file.data:
            raise OSError(0, "it has changed while it was formatted")
        replace_text(file.path, text)
    except OSError as error:
        message = f"the file can't be written: {reason_of(error)}"
        diagnostics.error("Y013", message, Span(file.shown, 1, 1, 1, 1))
        return False
    return True


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
