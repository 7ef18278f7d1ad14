"""The checks of `callgate ci`. What passed and has not changed since is not run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callgate.analysis.texts import counted
from callgate.cli.ci_result import Check
from callgate.cli.fmt_check import check_layout
from callgate.cli.lint_outcome import Bundle, Outcome, check_all
from callgate.cli.project import the_project
from callgate.model.diagnostic import Diagnostic, PolicyError, Severity
from callgate.policytest.summary import Summary
from callgate.storage.results import Results, bundle_key, engine_stamp, key_of

if TYPE_CHECKING:
    from callgate.cli.test_run import Outcome as Tested
    from callgate.policytest.coverage.summary import Figures
    from callgate.policytest.loaded import Loader

__all__ = ["Run", "run"]


@dataclass(frozen=True, slots=True)
class Run:
    """What all checks came to. `tests`: of the bundles whose tests were run now."""

    checks: tuple[Check, ...]
    lint: Outcome
    tests: tuple[Tested, ...]


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
    from callgate.policytest.loaded import shared_loader

    project = the_project()
    limit = project.fail_under if fail_under is None else fail_under
    # Read and compiled once: for lint and for the tests.
    loader = shared_loader()
    lint = check_all(paths, settings, mend=False, cache=cache, loader=loader)
    results = Results() if cache else None
    checks: list[Check] = [*_configuration(lint)]
    tests: list[Tested] = []
    for bundle in lint.bundles:
        where = bundle.where
        checks.append(_linted(bundle, lint))
        checks.append(_formatted(where))
        kept = None if tests_needed or results is None else _Kept(results, bundle).read()
        if kept is None:
            done, outcome = _tested(bundle, limit, loader)
            if outcome is not None:
                tests.append(outcome)
                if results is not None:
                    _Kept(results, bundle).write(outcome)
            checks += done
        else:
            checks += _again(where, kept, limit)
    return Run(tuple(checks), lint, tuple(tests))


def _configuration(lint: Outcome) -> list[Check]:
    """A check of the configuration, where something is found in it."""
    document = lint.project.document
    found = [
        item.diagnostic
        for item in lint.findings
        if document and item.diagnostic.span and item.diagnostic.span.file == document.file
    ]
    return [_check_of(document.file, "config", found)] if document and found else []


def _linted(bundle: Bundle, lint: Outcome) -> Check:
    config = lint.project.document.file if lint.project.document else ""
    found = [item.diagnostic for item in bundle.report.findings]
    own = [item for item in found if not (item.span and item.span.file == config)]
    return _check_of(bundle.where, "lint", own, bundle.cached)


def _check_of(where: str, name: str, found: Sequence[Diagnostic], cached: bool = False) -> Check:
    counts = Counter(item.severity for item in found)
    words = [counted(counts[severity], severity.value) for severity in Severity if counts[severity]]
    errors = tuple(
        (str(item.span or "-"), f"{item.code}: {item.message}")
        for item in found
        if item.severity is Severity.ERROR
    )
    data = {"findings": {severity.value: counts[severity] for severity in Severity}}
    return Check(where, name, not errors, ", ".join(words) or "no findings", errors, cached, data)


def _formatted(where: str) -> Check:
    layout = check_layout((where,))
    data = {"files": layout.files, "changed": list(layout.changed), "failed": list(layout.failed)}
    wrong = [(file, "another layout: `callgate fmt` puts it right") for file in layout.changed]
    wrong += [(file, "has errors") for file in layout.failed]
    if wrong:
        words = [f"{len(layout.changed)} in another layout"] if layout.changed else []
        words += [f"{len(layout.failed)} with errors"] if layout.failed else []
        summary = f"{counted(layout.files, 'file')}, {', '.join(words)}"
        return Check(where, "fmt", False, summary, tuple(wrong), data=data)
    return Check(where, "fmt", True, counted(layout.files, "file"), data=data)


def _tested(
    bundle: Bundle, limit: float | None, loader: Loader
) -> tuple[list[Check], Tested | None]:
    """Run the tests of a bundle: the checks of tests and coverage."""
    from callgate.cli.test_dots import Silent
    from callgate.cli.test_run import Choice, run_bundle
    from callgate.policytest.coverage.summary import figures
    from callgate.policytest.parallel import processors

    choice = Choice(jobs=processors(), coverage=True, cache=False)
    try:
        outcome = run_bundle(bundle.where, choice, Silent(), loader)
    except PolicyError:
        return [Check(bundle.where, "test", False, "the bundle can't be used; see lint")], None
    summary, report = outcome.summary, outcome.report
    failed = tuple(
        (f"{item.case.span.file}:{item.case.span.line}", item.case.name)
        for item in (report.failures if report else ())
    )
    checks = [_test_check(bundle.where, summary, failed)]
    if outcome.coverage is not None:
        from callgate.policytest.coverage.summary import missing

        never = tuple(
            (f"{one.place[0]}:{one.place[1]}", f"{one.item.name}: {one.words}")
            for one in missing(outcome.coverage)
            if one.kind != "part"
        )
        checks.append(_coverage_check(bundle.where, figures(outcome.coverage), limit, never))
    return checks, outcome


def _test_check(
    where: str, summary: Summary, failed: tuple[tuple[str, str], ...], cached: bool = False
) -> Check:
    words = [f"{summary.failed} failed"] if summary.failed else []
    words += [f"{summary.passed} passed", counted(summary.examples, "guard example")]
    data = {"passed": summary.passed, "failed": summary.failed, "examples": summary.examples}
    return Check(where, "test", not failed, ", ".join(words), failed, cached, data)


def _coverage_check(
    where: str,
    found: Figures | dict[str, Any],
    limit: float | None,
    never: tuple[tuple[str, str], ...] = (),
    cached: bool = False,
) -> Check:
    parts = found if isinstance(found, dict) else _plain(found)
    reached = parts["nodes"][0] + parts["branches"][0]
    total = parts["nodes"][1] + parts["branches"][1]
    words = [f"{_cut(reached, total)} % of nodes and branches"]
    words += [f"{_cut(*parts[name])} % of {name}" for name in ("nodes", "branches", "parts")]
    passed = limit is None or 100 * reached >= limit * total
    asked = "" if passed else f"; {limit:g} % is asked for"
    summary = f"{words[0]} ({', '.join(words[1:])}){asked}"
    data = {name: {"reached": n, "total": of} for name, (n, of) in parts.items()}
    return Check(where, "coverage", passed, summary, never, cached, data)


def _plain(found: Figures) -> dict[str, Any]:
    return {
        name: [getattr(found, name).reached, getattr(found, name).total]
        for name in ("nodes", "branches", "parts")
    }


def _cut(reached: int, total: int) -> str:
    """Per cent, never rounded up."""
    return f"{int(10_000 * reached / total) / 100:g}" if total else "100"


def _again(where: str, kept: tuple[Summary, dict[str, Any]], limit: float | None) -> list[Check]:
    summary, figures = kept
    never = (("-", "`callgate test --coverage` shows what is not reached"),)
    return [
        _test_check(where, summary, (), cached=True),
        _coverage_check(where, figures, limit, never, cached=True),
    ]


class _Kept:
    """The run of a bundle's tests that passed, with its coverage."""

    def __init__(self, results: Results, bundle: Bundle) -> None:
        from callgate.stdlib.zones import version

        files = [file for layer in bundle.layers for file in layer]
        self._results = results
        self._key = key_of("ci", engine_stamp(), str(version()), bundle_key(files))

    def read(self) -> tuple[Summary, dict[str, Any]] | None:
        """The run and its figures, or None where there is none."""
        kept = self._results.read(self._key)
        try:
            return None if kept is None else (Summary.of_json(kept["run"]), kept["figures"])
        except (LookupError, TypeError, ValueError):
            return None

    def write(self, outcome: Tested) -> None:
        """Keep a run in which everything passed."""
        if outcome.summary.failed or outcome.coverage is None:
            return
        from callgate.policytest.coverage.summary import figures

        figured = _plain(figures(outcome.coverage))
        self._results.write(self._key, {"run": outcome.summary.to_json(), "figures": figured})
