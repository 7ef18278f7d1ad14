"""Runs that passed and of which nothing has changed since: they need not be run again."""

from __future__ import annotations

from collections.abc import Sequence

from callgate.load.files import BundleFiles
from callgate.policytest.summary import Summary
from callgate.stdlib.zones import version
from callgate.storage.results import Results, bundle_key, engine_stamp, key_of

__all__ = ["PassedRuns"]


class PassedRuns:
    """The cache of one selection of cases: `expression` is what `-k` says, or ""."""

    def __init__(self, results: Results, expression: str = "") -> None:
        self._results = results
        self._expression = expression

    @property
    def refused(self) -> str:
        """Why nothing can be kept, in one line, or ""."""
        return self._results.refused

    def find(self, layers: Sequence[BundleFiles]) -> Summary | None:
        """The run of the tests in these files that passed, or None where there was none."""
        kept = self._results.read(self._key(layers))
        try:
            return None if kept is None else Summary.of_json(kept)
        except (LookupError, TypeError, ValueError):
            return None

    def keep(self, layers: Sequence[BundleFiles], summary: Summary) -> None:
        """Keep a run, if all cases that it chose ran and passed."""
        if not summary.failed and len(summary.cases) == summary.chosen:
            self._results.write(self._key(layers), summary.to_json())

    def _key(self, layers: Sequence[BundleFiles]) -> str:
        files = [file for layer in layers for file in layer]
        zones = str(version())
        return key_of("test", engine_stamp(), zones, bundle_key(files), self._expression)
