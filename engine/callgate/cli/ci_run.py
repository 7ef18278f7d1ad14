"""The run of `callgate ci`. What passed and has not changed since is not run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from callgate.cli import ci_checks
from callgate.cli.ci_kept import Kept
from callgate.cli.ci_progress import Working
from callgate.cli.ci_result import Check
from callgate.cli.lint_outcome import Bundle, Outcome, check_all
from callgate.lint.rule import Finding
from callgate.load.project import find_project
from callgate.model.diagnostic import Diagnostics, PolicyError, Severity
from callgate.storage.results import Results

if TYPE_CHECKING:
    from callgate.cli.test_run import Outcome as Tested
    from callgate.load.files import BundleFiles
    from callgate.policytest.loaded import Loaded, Loader

__all__ = ["Run", "run"]


@dataclass(frozen=True, slots=True)
class Run:
    """What all checks came to. `tests`: of the bundles whose tests were run now."""

    checks: tuple[Check, ...]
    lint: Outcome
    tests: tuple[Tested, ...] = ()


def run(
    paths: Sequence[str],
    settings: Path | None,
    fail_under: float | None,
    *,
    cache: bool,
    tests_needed: bool,
) -> Run:
    """Check bundles. `tests_needed`: the tests are run even where nothing has changed, because a
    report needs what they saw."""
    found = Diagnostics()
    project = find_project(found)
    if found.has_errors:  # nobody knows what it would have said of bundles
        lint = Outcome((), tuple(map(Finding, found.sorted())), 0, settings, project)
        return Run(tuple(ci_checks.configuration(lint)), lint)
    limit = project.fail_under if fail_under is None else fail_under
    working = Working()
    working.at("lint")
    loader = _Loading()
    lint = check_all(paths, settings, mend=False, cache=cache, loader=loader)
    results = Results() if cache else None
    checks = ci_checks.configuration(lint)
    tests: list[Tested] = []
    for bundle in lint.bundles:
        working.at(f"fmt {bundle.where}")
        checks += [ci_checks.linted(bundle, lint), ci_checks.formatted(bundle.where, cache)]
        kept = None if results is None or not _usable(bundle) else Kept(results, bundle.layers)
        again = None if kept is None or tests_needed else kept.read()
        if again is not None:
            checks += ci_checks.repeated(bundle.where, again, limit)
            continue
        outcome = _tested(bundle, loader, working)
        if outcome is None:
            checks.append(ci_checks.unusable(bundle.where))
            continue
        tests.append(outcome)
        checks += ci_checks.tested(bundle.where, outcome, limit)
        if kept is not None:
            kept.write(outcome)
    working.clear()
    return Run(tuple(checks), lint, tuple(tests))


class _Loading:
    """Loads a bundle once, for lint and for the tests; imports what that takes when it has to."""

    def __init__(self) -> None:
        self._loader: Loader | None = None

    def __call__(self, where: str, settings: Path | None, layers: Sequence[BundleFiles]) -> Loaded:
        if self._loader is None:
            from callgate.policytest.loaded import shared_loader

            self._loader = shared_loader()
        return self._loader(where, settings, layers)


def _usable(bundle: Bundle) -> bool:
    """Whether lint found no error of loading: a run of other files may not stand for these."""
    found = [item.diagnostic for item in bundle.report.findings]
    errors = [item for item in found if item.severity is Severity.ERROR and not item.of_settings]
    return all(item.code[0] == "L" for item in errors)


def _tested(bundle: Bundle, loader: Loader, working: Working) -> Tested | None:
    """What the tests of a bundle came to; None where it can't be used."""
    from callgate.cli.test_run import Choice, run_bundle
    from callgate.policytest.parallel import processors

    choice = Choice(jobs=processors(), coverage=True, cache=False)
    try:
        return run_bundle(bundle.where, choice, working, loader)
    except PolicyError:
        return None
