"""Calls from files, standard input and the command line, one at a time and in constant memory.

A file is JSON Lines: one call per line. A file whose first line is a lone `{` or `[`, or begins a
JSON document that goes on below, is one document: a call, or a list of calls.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from errno import ENOENT
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

from callgate.cli.strict_json import JsonError, goes_on, parse, parse_items
from callgate.model.diagnostic import Diagnostic
from callgate.model.span import Span

__all__ = ["Item", "read_calls", "total_bytes"]

MAX_LINE: Final = 16 * 1024 * 1024
"""Longer lines are no calls; they are skipped, not read into memory."""

MAX_DOCUMENT: Final = 64 * 1024 * 1024
"""Bytes of a file that is one JSON document."""

MAX_GUESS: Final = 4 * 1024 * 1024
"""Bytes of such a file when its first line is no lone bracket, so that it may be JSON Lines."""

STDIN: Final = "-"
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Item:
    """One call as it was read: its value, or the diagnostic that says why there is none."""

    file: str
    line: int
    value: Any = None
    problem: Diagnostic | None = None


def total_bytes(sources: Sequence[str]) -> int | None:
    """How many bytes the sources hold; None when that can't be known before reading."""
    total = 0
    for source in sources:
        path = Path(source)
        if source == STDIN or not path.is_file():
            return None
        total += path.stat().st_size
    return total


def read_calls(
    sources: Sequence[str], advanced: Callable[[int], None] | None = None
) -> Iterator[Item]:
    """All calls of the sources in order: paths, `-` for standard input, or a call's JSON text.

    `advanced` is told how many more bytes were read. Raises OSError for a file that can't be read.
    """
    for source in sources:
        if source.lstrip()[:1] == "{":
            yield _item("<call>", 1, source)
        elif source == STDIN:
            yield from _read("<stdin>", sys.stdin.buffer, advanced)
        else:
            with _opened(source) as stream:
                yield from _read(source, stream, advanced)


def _opened(source: str) -> IO[bytes]:
    try:
        return Path(source).open("rb")
    except ValueError:  # a NUL in it
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), source) from None


def _read(file: str, stream: IO[bytes], advanced: Callable[[int], None] | None) -> Iterator[Item]:
    raw = stream.readline(MAX_LINE)
    first = raw.removeprefix(_BOM)
    if first.strip() in (b"{", b"["):
        yield from _document(file, first + stream.read(MAX_DOCUMENT), MAX_DOCUMENT)
        return
    lines = iter(lambda: stream.readline(MAX_LINE), b"")
    if not first.endswith(b"\n") or not goes_on(first):
        yield from _lines(file, chain([raw], lines), advanced)
        return
    rest = stream.read(MAX_GUESS)
    items = list(_document(file, first + rest, MAX_GUESS))
    # A `{` that comes to nothing is a broken line; a `[` begins no call, so it was meant as a list.
    if rest.strip() and (first.lstrip()[:1] == b"[" or items[0].problem is None):
        yield from items
        return
    rest += stream.readline(MAX_LINE)
    above = iter(BytesIO(rest))
    yield from _lines(file, chain([raw], above, lines), advanced)


def _lines(
    file: str, lines: Iterator[bytes], advanced: Callable[[int], None] | None
) -> Iterator[Item]:
    for number, raw in enumerate(lines, start=1):
        if advanced is not None:
            advanced(len(raw))
        if number == 1:
            raw = raw.removeprefix(_BOM)
        if len(raw) > MAX_LINE or (len(raw) == MAX_LINE and not raw.endswith(b"\n")):
            yield _broken(file, number, f"line longer than {MAX_LINE // 2**20} MiB", "R004")
            while raw and not raw.endswith(b"\n"):
                raw = next(lines, b"")
        elif raw.strip():
            yield _line_item(file, number, raw)


def _line_item(file: str, number: int, raw: bytes) -> Item:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        return _broken(file, number, "not UTF-8", "R001", error.start + 1)
    return _item(file, number, text.rstrip("\r\n"))


def _item(file: str, number: int, text: str) -> Item:
    try:
        return Item(file, number, parse(text, file, number))
    except JsonError as error:
        return Item(file, number, problem=error.diagnostic)


def _document(file: str, raw: bytes, limit: int) -> Iterator[Item]:
    if len(raw) > limit:
        help = "write one call per line (JSON Lines); such files may be of any length"
        yield _broken(file, 1, f"longer than {limit // 2**20} MiB", "R004", help=help)
        return
    try:
        items = parse_items(raw.decode(), file)
    except UnicodeDecodeError:
        yield _broken(file, 1, "not UTF-8", "R001")
    except JsonError as error:
        yield Item(
            file, error.diagnostic.span.line if error.diagnostic.span else 1, None, error.diagnostic
        )
    else:
        for number, value in items:
            yield Item(file, number, value)


def _broken(file: str, line: int, message: str, code: str, column: int = 1, help: str = "") -> Item:
    span = Span(file, line, column, line, column + 1)
    return Item(file, line, problem=Diagnostic(code, message, span, help))
