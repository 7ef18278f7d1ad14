"""The run of a bundle's tests that passed, with its coverage: kept until something changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callgate.load.files import BundleFiles
from callgate.policytest.summary import Summary
from callgate.storage.results import Results, bundle_key, engine_stamp, key_of

if TYPE_CHECKING:
    from callgate.cli.test_run import Outcome as Tested
    from callgate.policytest.coverage import Coverage

__all__ = ["Again", "Details", "Kept", "Reached", "reached"]

Details = tuple[tuple[str, str], ...]
"""Places, each with what is to be said of it."""

Reached = tuple[int, int]
"""How many were reached, and how many there are."""

_FIGURES = ("nodes", "branches", "parts")


@dataclass(frozen=True, slots=True)
class Again:
    """A run that need not be repeated. `never`: the nodes and branches that it did not reach."""

    summary: Summary
    figures: dict[str, Reached]
    never: Details


def reached(coverage: Coverage) -> tuple[dict[str, Reached], Details]:
    """The figures of a coverage, and the nodes and branches that were not reached."""
    from callgate.policytest.coverage.summary import figures, missing

    found = figures(coverage)
    plain = {name: (getattr(found, name).reached, getattr(found, name).total) for name in _FIGURES}
    never = dict.fromkeys(
        (f"{one.place[0]}:{one.place[1]}", f"{one.item.name}: {one.words}")
        for one in missing(coverage)
        if one.kind != "part"
    )
    return plain, tuple(never)


class Kept:
    """What is kept of the run of the tests in these files."""

    def __init__(self, results: Results, layers: Sequence[BundleFiles]) -> None:
        from callgate.stdlib.zones import version

        self._results = results
        self._layers = layers
        self._key = key_of("ci", engine_stamp(), str(version()), *map(bundle_key, layers))

    def read(self) -> Again | None:
        """The run, or None where there is none."""
        kept = self._results.read(self._key)
        try:
            return None if kept is None else _again(kept)
        except (LookupError, TypeError, ValueError):
            return None

    def write(self, outcome: Tested) -> None:
        """Keep a run, if everything passed in it and it was one of these very files."""
        if outcome.summary.failed or outcome.coverage is None or outcome.loaded is None:
            return
        if list(outcome.loaded.files) != list(self._layers):
            return
        plain, never = reached(outcome.coverage)
        kept = {"run": outcome.summary.to_json(), "figures": plain, "never": never}
        self._results.write(self._key, kept)


def _again(kept: Any) -> Again:
    """Raises LookupError, TypeError or ValueError for what `write` did not write."""
    found = kept["figures"]
    figures = {name: (int(found[name][0]), int(found[name][1])) for name in _FIGURES}
    never = tuple((str(place), str(text)) for place, text in kept["never"])
    return Again(Summary.of_json(kept["run"]), figures, never)
