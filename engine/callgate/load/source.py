"""A file's text with its places: from bytes to text, and from offsets to lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

from callgate.load.one_file import MAX_BYTES
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span

__all__ = ["Source", "empty_file", "read_source"]


_BOM: Final = b"\xef\xbb\xbf"
_BREAK: Final = re.compile(r"\r\n|\r|\n")
_MAX_REPORTED: Final = 10

# What YAML does not allow, and the three characters that YAML 1.1, but not 1.2, takes for the end
# of a line: no two programs would agree on where a rule ends.
_REFUSED: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_ESCAPES: Final = {"\x85": r"\N", "\u2028": r"\L", "\u2029": r"\P"}


class Source:
    """The text of a file. `file` is its path as shown to people; offsets count code points.

    The text is without a BOM; its line ends are those of the file (LF, CRLF or CR).
    """

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of an offset in the text."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int | None:
        """The offset of a line and column, both from 1; None where the text has no such place."""
        if not 0 < line <= len(self._starts) or column < 1:
            return None
        offset = self._starts[line - 1] + column - 1
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        return offset if offset <= end else None

    def span(self, start: int, end: int) -> Span:
        """The span of the text between two offsets."""
        return Span(self.file, *self.place(start), *self.place(max(start, end)))

    def line_range(self, offset: int) -> tuple[int, int]:
        """Start and end of the line that `offset` lies in, without its line end."""
        line, _ = self.place(offset)
        start = self._starts[line - 1]
        ending = _BREAK.search(self.text, start)
        return start, ending.start() if ending else len(self.text)

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return _BREAK.split(self.text)


def read_source(
    file: str,
    data: bytes,
    diagnostics: Diagnostics,
    limit: int = MAX_BYTES,
    too_large: str = "split it into several files",
) -> Source | None:
    """The text of a YAML file, or None (Y007, Y008, Y009) when it can't be used.

    `limit`: how many bytes are read; `too_large`: what to do about a file with more.
    Characters that YAML does not allow are reported (Y001) and stand as U+FFFD in the result, so
    that the rest of the file can be checked all the same.
    """
    start = Span(file, 1, 1, 1, 1)
    if len(data) > limit:
        message = f"the file is larger than {limit // 2**20} MiB"
        diagnostics.error("Y009", message, start, too_large)
        return None
    try:
        text = data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        _not_utf8(file, data, error, diagnostics)
        return None
    source = Source(file, text)
    if _REFUSED.search(text):
        source = Source(file, _refuse_characters(source, diagnostics))
    if not text.strip():
        empty_file(file, diagnostics)
        return None
    return source


def empty_file(file: str, diagnostics: Diagnostics) -> None:
    """Report that a file holds nothing but white space and comments (Y008)."""
    help = "write the rules, or remove the file; settings that say nothing are `{}`"
    diagnostics.error("Y008", "the file is empty", Span(file, 1, 1, 1, 1), help)


def _not_utf8(file: str, data: bytes, error: UnicodeDecodeError, diagnostics: Diagnostics) -> None:
    valid = error.object[: error.start].decode()
    line, column = Source(file, valid).place(len(valid))
    byte = error.object[error.start]
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    diagnostics.error(
        "Y007",
        f"the byte `0x{byte:02x}` is not UTF-8",
        Span(file, line, column, line, column + 1),
        "the file is UTF-16; save it as UTF-8" if wide else "save the file as UTF-8",
    )


def _refuse_characters(source: Source, diagnostics: Diagnostics) -> str:
    found = list(_REFUSED.finditer(source.text))
    for match in found[:_MAX_REPORTED]:
        character = match[0]
        escape = _ESCAPES.get(character, f"\\u{ord(character):04x}")
        diagnostics.error(
            "Y001",
            f"the invisible character U+{ord(character):04X} may not stand in a file",
            source.span(match.start(), match.end()),
            f"remove it, or write it as `{escape}` in a text in double quotes",
        )
    return _REFUSED.sub("�", source.text)
