"""Error tables as text: source, carets under what is wrong, and the expected error below.

    a && b
      ^^
    P004 `&&` has no meaning here: conditions are joined with `and`
    help write `and`

Chunks are separated by lines of `---`. In the source `␤` stands for a line feed, `⟨202e⟩` for the
character with that number, `⟨⟩` for nothing; carets count the characters that are meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from callgate.lang import ConditionError

__all__ = ["Chunk", "assert_error", "chunks"]

_WRITTEN = re.compile("⟨([0-9a-f]*)⟩")


@dataclass(frozen=True)
class Chunk:
    """A source text and the error expected for it."""

    source: str
    start: int
    end: int
    code: str
    message: str
    help: str

    def __str__(self) -> str:
        return self.source


def chunks(table: str) -> list[Chunk]:
    """The chunks of a table. A chunk without carets expects an empty range at the start."""
    found = []
    for chunk in table.strip("\n").split("\n---\n"):
        source, carets, error, *rest = chunk.split("\n")
        code, message = error.split(" ", 1)
        start = len(carets) - len(carets.lstrip())
        help = rest[0].removeprefix("help ") if rest else ""
        source = _WRITTEN.sub(_character, source.replace("␤", "\n"))
        found.append(Chunk(source, start, len(carets), code, message, help))
    return found


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else ""


def assert_error(error: ConditionError, chunk: Chunk) -> None:
    """The error is the chunk's, in every part."""
    assert (error.code, error.message, error.help) == (chunk.code, chunk.message, chunk.help)
    assert (error.start, error.end) == (chunk.start, chunk.end)
