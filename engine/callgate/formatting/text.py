"""Formatting the text of one rule file, and making sure that it still means the same."""

from __future__ import annotations

from typing import Final

from callgate.formatting.blocks import Blocks, OffError
from callgate.formatting.safety import same_data
from callgate.formatting.shapes import shape_of
from callgate.formatting.trivia import FORMAT_OFF, comments
from callgate.lang import ConditionError
from callgate.load.document import Document
from callgate.load.files import MANIFEST
from callgate.load.ignore_comments import covered
from callgate.load.reader import guess_kind, read_document
from callgate.model.diagnostic import Diagnostic, Diagnostics

__all__ = ["STANDARD_INPUT", "FormatError", "format_text"]

STANDARD_INPUT: Final = "<stdin>"
"""The name of a text that stands in no file; it may be a manifest."""


_INTERNAL: Final = "internal error: the formatted text would not mean the same"
_IGNORE: Final = (
    "the comment that ignores {} would count for something else; "
    "put it alone above what it is about"
)
_OFF: Final = (
    "`# fmt: off` would count for something else; put it alone between entries that begin lines"
)


class FormatError(Exception):
    """A text that is not formatted: `diagnostics` say what is wrong with it. Without any, the
    message says why."""

    def __init__(self, diagnostics: list[Diagnostic], why: str = _INTERNAL) -> None:
        self.diagnostics = diagnostics
        super().__init__("; ".join(item.line for item in diagnostics) or why)


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
    try:
        lines = Blocks(document.source, document.root, found).file(
            document.root, shape_of(document.kind)
        )
    except OffError:
        raise FormatError([], _OFF) from None
    if found.has_errors:
        raise FormatError(found.sorted())
    formatted = "\n".join(lines) + "\n"
    if formatted != text:
        _check(document, formatted)
    return formatted


def _read(file: str, text: str, diagnostics: Diagnostics) -> Document | None:
    data = text.encode()
    manifest = file.replace("\\", "/").rpartition("/")[2] == MANIFEST
    if file == STANDARD_INPUT:
        manifest = guess_kind(data) == "bundle"
    return read_document(file, data, diagnostics, manifest)


def _check(old: Document, formatted: str) -> None:
    """Make sure that what was made of a document means the same. Raises FormatError."""
    found = Diagnostics()
    new = _read(old.file, formatted, found)
    if new is None or found.has_errors or new.kind != old.kind:
        raise FormatError([])
    shape = shape_of(old.kind)
    try:
        if not same_data(old.root, new.root, shape):
            raise FormatError([])
    except ConditionError:
        raise FormatError([]) from None
    if comments(old.source.text, old.root) != comments(formatted, new.root):
        raise FormatError([])
    moved = covered(old) - covered(new)
    for words, *_ in (said for said, _ in moved):
        raise FormatError([], _IGNORE.format(", ".join(f"`{word}`" for word in words)))
    if FORMAT_OFF in formatted:
        again = Blocks(new.source, new.root, found).file(new.root, shape)
        if "\n".join(again) + "\n" != formatted:
            raise FormatError([], _OFF)
