"""How far `callgate ci` is: a line on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from callgate.cli.progress import Progress
from callgate.runtime.masking import escape

if TYPE_CHECKING:
    from callgate.policytest.case import Case

__all__ = ["Working"]


class Working:
    """Says what is being done, and of tests that take long how many were run."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._cases = Progress(None, "cases")

    def at(self, what: str) -> None:
        """Something else is being done."""
        self.clear()
        if self._on:
            sys.stderr.write(f"{escape(what)} …")
            sys.stderr.flush()

    def loading(self, where: str) -> None:
        """See `callgate.cli.test_run.Progress`."""
        self.at(f"test {where}")

    def done(self, case: Case, passed: bool) -> None:
        """See `callgate.cli.test_run.Progress`."""
        self._cases.called()

    def end(self) -> None:
        """See `callgate.cli.test_run.Progress`."""
        self.clear()

    def clear(self) -> None:
        """Remove the line, so that something else can be written."""
        if self._on:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
