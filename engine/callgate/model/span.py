"""Where a piece of policy text stands in its file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Span"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of text: lines and columns count from 1, in code points; the end is exclusive.

    `file` is the path as shown to people: from the working directory where it can be.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
