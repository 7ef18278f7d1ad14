"""Formatting the text of one rule file, and making sure that it still means the same."""

from __future__ import annotations

from typing import Final

from callgate.formatting.blocks import Blocks
from callgate.formatting.safety import same_data
from callgate.formatting.shapes import shape_of
from callgate.formatting.trivia import comments
from callgate.lang import ConditionError
from callgate.load.document import Document
from callgate.load.files import MANIFEST
from callgate.load.reader import guess_kind, read_document
from callgate.model.diagnostic import Diagnostic, Diagnostics

__all__ = ["STANDARD_INPUT", "FormatError", "format_text"]

STANDARD_INPUT: Final = "<stdin>"
"""The name of a text that stands in no file; it may be a manifest."""


class FormatError(Exception):
    """A text that is not formatted: `diagnostics` say what is wrong with it. Without any, the
    formatter is wrong: what it made would not have meant the same."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        self.diagnostics = diagnostics
        found = "; ".join(item.line for item in diagnostics)
        super().__init__(found or "internal error: the formatted text would not mean the same")


def format_text(file: str, text: str) -> str:
    """The canonical layout of a rule file.

    `file`: its path as shown to people; by its name a bundle's manifest is known. `text`: its
    content; a byte order mark and the line ends of other systems may stand in it. The result means
    the same: the digest of its bundle stays as it is. Raises FormatError.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found = Diagnostics()
    document = _read(file, text, found)
    if document is None or found.has_errors:
        raise FormatError(found.sorted())
    lines = Blocks(document.source, document.root, found).file(
        document.root, shape_of(document.kind)
    )
    if found.has_errors:
        raise FormatError(found.sorted())
    formatted = "\n".join(lines) + "\n"
    if formatted != text and not _same(document, formatted):
        raise FormatError([])
    return formatted


def _read(file: str, text: str, diagnostics: Diagnostics) -> Document | None:
    data = text.encode()
    manifest = file.replace("\\", "/").rpartition("/")[2] == MANIFEST
    if file == STANDARD_INPUT:
        manifest = guess_kind(data) == "bundle"
    return read_document(file, data, diagnostics, manifest)


def _same(old: Document, formatted: str) -> bool:
    found = Diagnostics()
    new = _read(old.file, formatted, found)
    if new is None or found.has_errors or new.kind != old.kind:
        return False
    try:
        if not same_data(old.root, new.root, shape_of(old.kind)):
            return False
    except ConditionError:
        return False
    return comments(old.source.text, old.root) == comments(formatted, new.root)
