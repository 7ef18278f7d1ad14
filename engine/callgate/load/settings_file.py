"""Reading a settings file: the runtime's own config.yaml, or one with Callgate's keys alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from callgate.load.document import Document
from callgate.load.nodes import Mapping, to_data
from callgate.load.one_file import read_file
from callgate.load.reader import parse_yaml
from callgate.load.source import read_source
from callgate.load.words import found
from callgate.model.diagnostic import Diagnostics

__all__ = ["MAX_BYTES", "parse_settings", "read_settings_file"]

MAX_BYTES: Final = 2**20
"""What a settings file may hold; one of a few kilobytes is large."""

_TOO_LARGE: Final = "is this the settings file? they are a few kilobytes"


def read_settings_file(path: str | Path, diagnostics: Diagnostics) -> Document | None:
    """The document (kind `settings`) in a YAML file, or None when it can't be used (Y001 …, E002).

    Whether its keys and values are right is for `callgate.load.settings.load_settings` to say.
    """
    file = os.fspath(path).encode("utf-8", "backslashreplace").decode()
    data = read_file(Path(path), file, diagnostics, any_kind=True)
    return None if data is None else parse_settings(file, data, diagnostics)


def parse_settings(file: str, data: bytes, diagnostics: Diagnostics) -> Document | None:
    """The document in a settings file's bytes; `file` is its path as shown to people."""
    source = read_source(file, data, diagnostics, MAX_BYTES, _TOO_LARGE)
    if source is None:
        return None
    root = parse_yaml(source, diagnostics, aliases=True, conditions=False)
    if root is None:
        return None
    if not isinstance(root, Mapping):
        message = f"expected a mapping of settings, found {found(to_data(root))}"
        span = source.span(root.start, root.start + 1)
        diagnostics.error("E002", message, span, "for example `tools: {}`")
        return None
    return Document("settings", source, root)
