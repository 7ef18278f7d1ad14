"""Running the tests of bundles for `callgate test`: load, choose, run, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Protocol

import click

from callgate.cli import exits
from callgate.policytest.summary import Summary

if TYPE_CHECKING:
    from callgate.load.files import BundleFiles
    from callgate.policytest.cached import PassedRuns
    from callgate.policytest.case import Case
    from callgate.policytest.coverage import Coverage
    from callgate.policytest.loaded import Loaded, Loader
    from callgate.policytest.run import Report

__all__ = ["Choice", "Outcome", "Progress", "nothing_selected", "run_bundle"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What to run, and how: see the options of `callgate test`."""

    expression: str = ""
    most_failures: int = 0
    jobs: int = 1
    coverage: bool = False
    cache: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a bundle. `report` and `loaded` are None where the run was not repeated.
    `refused`: why it can't be kept, in one line, or ""."""

    where: str
    summary: Summary
    report: Report | None = None
    loaded: Loaded | None = None
    coverage: Coverage | None = None
    refused: str = ""


class Progress(Protocol):
    """Is told how far the tests of a bundle are."""

    def loading(self, where: str) -> None:
        """A bundle is read."""

    def done(self, case: Case, passed: bool) -> None:
        """One more case was run."""

    def end(self) -> None:
        """All were."""


def run_bundle(
    where: str, choice: Choice, progress: Progress, loader: Loader | None = None
) -> Outcome:
    """Run the tests of the bundle at `where`. `loader`: loads what others check as well.

    Raises PolicyError when it can't be used, and click.UsageError for an expression that can't be
    read.
    """
    from callgate.load.files import read_layers
    from callgate.model.diagnostic import Diagnostics, PolicyError

    progress.loading(where)
    found = Diagnostics()
    layers = read_layers(where, found)
    cache = _cache(choice)
    if cache is not None and not found.has_errors:
        summary = cache.find(layers)
        if summary is not None:
            return Outcome(where, summary)
    if found.has_errors:
        raise PolicyError(found)
    return _run(where, layers, choice, progress, cache, loader)


def _cache(choice: Choice) -> PassedRuns | None:
    if not choice.cache or choice.coverage:
        return None
    from callgate.policytest.cached import PassedRuns
    from callgate.storage.results import Results

    return PassedRuns(Results(), choice.expression)


def _run(
    where: str,
    layers: Sequence[BundleFiles],
    choice: Choice,
    progress: Progress,
    cache: PassedRuns | None,
    loader: Loader | None,
) -> Outcome:
    import gc

    from callgate.policytest.loaded import load
    from callgate.policytest.run import run_tests
    from callgate.policytest.summary import summary_of

    loaded = (loader or load)(where, None, layers)
    loaded.usable()
    # What was loaded stays: there is no need to look for garbage in it again and again.
    gc.freeze()
    cases = _chosen(loaded, choice.expression)
    coverage = None
    if choice.coverage:
        from callgate.policytest.coverage import Coverage

        coverage = Coverage.of(loaded)
    report = run_tests(
        loaded,
        cases,
        coverage,
        progress.done,
        jobs=choice.jobs,
        most_failures=choice.most_failures,
    )
    progress.end()
    summary = summary_of(report, len(cases), len(loaded.cases))
    if cache is not None:
        cache.keep(layers, summary)
    return Outcome(where, summary, report, loaded, coverage, cache.refused if cache else "")


def _chosen(loaded: Loaded, expression: str) -> tuple[Case, ...]:
    if not expression:
        return loaded.cases
    from callgate.policytest.selection import SelectionError, selection

    try:
        selected = selection(expression)
    except SelectionError as error:
        raise click.UsageError(str(error)) from None
    return tuple(filter(selected, loaded.cases))


def nothing_selected(expression: str, outcomes: Sequence[Outcome]) -> NoReturn:
    """Say that an expression selects no case, and exit."""
    total = sum(outcome.summary.total for outcome in outcomes)
    click.echo(f"callgate: -k selects none of {total:,} cases: {expression}", err=True)
    raise click.exceptions.Exit(exits.FAILURE)
