"""How far a test run is: a line per test file, with a dot or an F per case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from callgate.cli.paint import Painter, shown

if TYPE_CHECKING:
    from callgate.policytest.case import Case

__all__ = ["Dots", "Silent"]


class Silent:
    """Shows nothing while tests run."""

    def loading(self, where: str) -> None:
        """See `Progress`."""

    def done(self, case: Case, passed: bool) -> None:
        """See `Progress`."""

    def end(self) -> None:
        """See `Progress`."""


class Dots:
    """A line per test file: its name, and a dot or an F per case, `p` for one that was proposed."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._file = ""
        self._column = 0
        self._waiting = False

    def loading(self, where: str) -> None:
        """A bundle is read: on a terminal, that is said until there is something to show."""
        if self._painter.terminal:
            self._waiting = True
            self._put(f"loading {shown(where)} …")

    def done(self, case: Case, passed: bool) -> None:
        """One more case was run."""
        self._one(case.span.file, "F" if not passed else "." if case.confirmed else "p")

    def again(self, cases: Iterable[tuple[str, bool]]) -> None:
        """Cases that passed before: their files, and whether somebody confirmed them."""
        for file, confirmed in cases:
            self._one(file, "." if confirmed else "p")
        self.end()

    def _one(self, file: str, mark: str) -> None:
        self._no_more_waiting()
        if file != self._file:
            self.end()
            self._file = file
            self._put(f"{shown(file)} ")
        if self._column >= self._painter.width:
            self._put("\n" + " " * 4)
        self._put(mark)

    def end(self) -> None:
        """End the line."""
        self._no_more_waiting()
        if self._file:
            self._put("\n")
            self._file = ""

    def _no_more_waiting(self) -> None:
        if self._waiting:
            self._waiting = False
            self._painter.stream.write("\r\x1b[2K")
            self._column = 0

    def _put(self, text: str) -> None:
        self._painter.stream.write(text)
        self._painter.stream.flush()
        after = text.rpartition("\n")[2]
        self._column = len(after) if "\n" in text else self._column + len(text)
