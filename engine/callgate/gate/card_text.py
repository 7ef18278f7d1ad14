"""Lines of a card that show where they begin and end, however a screen breaks them.

An agent that fills a line with blanks could make its own words begin the next line of a screen, as
if the card said them. So a line is broken here, each piece behind a mark, and long runs of blanks
are told by their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import east_asian_width

from callgate.gate.brief_text import safe_line

__all__ = ["FEW_BLANKS", "SOME_BLANKS", "card_line", "hung", "with_told_blanks"]

FEW_BLANKS: Final = 2
"""How many blanks in a row stand for themselves in a line that is no text of its own."""
SOME_BLANKS: Final = 16
"""How many in a text of several lines, where they may be its form."""
_WIDTH: Final = 72
"""Of a piece of a line, in a terminal's cells; with its mark it fits a usual terminal."""
_BLANK: Final = "␠"
_MORE: Final = "  ┆ "


def card_line(text: str) -> str:
    """`safe_line` of a text, with runs of more than two blanks told by their number."""
    return with_told_blanks(safe_line(text), FEW_BLANKS)


def with_told_blanks(text: str, most: int) -> str:
    """A text with each run of more than `most` blanks written as `␠×75`."""
    text = text.replace(_BLANK, f"\\u{ord(_BLANK):04x}")
    if " " * (most + 1) not in text:
        return text
    return re.sub(f" {{{most + 1},}}", lambda found: f"{_BLANK}×{len(found[0])}", text)


def hung(lines: Iterable[str], mark: str) -> Iterator[str]:
    """Lines, each behind `mark`, in pieces of which every further one has a mark that begins no
    line of a card's own."""
    for line in lines:
        first, *more = _pieces(line)
        yield mark + first
        yield from (_MORE + piece for piece in more)


def _pieces(line: str) -> list[str]:
    if line.isascii():
        return [line[at : at + _WIDTH] for at in range(0, max(1, len(line)), _WIDTH)]
    pieces: list[str] = []
    start = used = 0
    for at, char in enumerate(line):
        # Some terminals write ambiguous ones wide, too.
        size = 2 if east_asian_width(char) in "WFA" else 1
        if used + size > _WIDTH:
            pieces.append(line[start:at])
            start, used = at, 0
        used += size
    return [*pieces, line[start:]]
