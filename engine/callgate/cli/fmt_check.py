"""Whether rule files are in their canonical layout; those that were are known by their digests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from callgate.cli.fmt_files import find_files, read_rule_file
from callgate.cli.paint import Painter
from callgate.model.diagnostic import Diagnostics

if TYPE_CHECKING:
    from callgate.storage.results import Results

__all__ = ["Kept", "Layout", "check_layout", "formatted_text"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Of how many files the layout was looked at, in which it is another, and which have errors."""

    files: int
    changed: tuple[str, ...]
    failed: tuple[str, ...]


def check_layout(paths: Sequence[str], cache: bool = True) -> Layout:
    """The layout of the rule files at these paths (see `find_files`). `cache`: files that were
    found to be formatted before are not looked at again."""
    found = Diagnostics()
    kept = Kept(tuple(paths)) if cache else None
    changed, clean = [], []
    files = find_files(paths, found)
    for shown, path in files:
        file = read_rule_file(shown, path, found)
        if file is None:
            continue
        if kept is not None and file.digest in kept.digests:
            clean.append(file.digest)
            continue
        text = formatted_text(shown, file.data, found, {})
        if text is not None and text.encode() == file.data:
            clean.append(file.digest)
        elif text is not None:
            changed.append(shown)
    if kept is not None:
        kept.write(clean)
    failed = dict.fromkeys(item.span.file for item in found.sorted() if item.span)
    return Layout(len(files), tuple(changed), tuple(failed))


class Kept:
    """The digests of the files below some paths that were found to be formatted already."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        from callgate.storage.results import Results, engine_stamp, key_of

        places = sorted({str(Path(path).absolute()) for path in paths})
        self._results: Results = Results()
        self._key = key_of("fmt", engine_stamp(), *places)
        known = self._results.read(self._key)
        self.digests = frozenset(known if isinstance(known, list) else ())

    def write(self, digests: list[str]) -> None:
        """Keep the digests for the next run."""
        if self.digests != set(digests):
            self._results.write(self._key, digests)


def formatted_text(
    shown: str, data: bytes, found: Diagnostics, texts: dict[str, str]
) -> str | None:
    """A file's text in its canonical layout, or None where it has errors."""
    from callgate.compiler.collector import without_collector
    from callgate.formatting import FormatError, format_text
    from callgate.load.source import read_source

    texts[shown] = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if read_source(shown, data, known := Diagnostics()) is None:
        found.items += known.items
        return None
    try:
        with without_collector():
            return format_text(shown, data.decode())
    except FormatError as error:
        found.items += error.diagnostics
        if not error.diagnostics:
            told = f"callgate: `{shown}` is left as it is: {error}"
            Painter(sys.stderr).write([[(told, "")]])
        return None
