"""What lint, layout, tests and coverage of a bundle came to, as the checks of `callgate ci`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from callgate.analysis.texts import counted
from callgate.cli.ci_kept import Again, Details, Reached, reached
from callgate.cli.ci_result import Check
from callgate.cli.fmt_check import check_layout
from callgate.cli.lint_outcome import Bundle, Outcome
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.policytest.summary import Summary

if TYPE_CHECKING:
    from callgate.cli.test_run import Outcome as Tested

__all__ = ["configuration", "formatted", "linted", "repeated", "tested", "unusable"]


def configuration(lint: Outcome) -> list[Check]:
    """A check of the configuration, where something is found in it."""
    file = lint.project.document.file if lint.project.document else ""
    known = {item.diagnostic for bundle in lint.bundles for item in bundle.report.findings}
    found = [
        item.diagnostic
        for item in lint.findings
        if _of_file(item.diagnostic, file) or item.diagnostic not in known
    ]
    return [_findings(file or "configuration", "config", found)] if found else []


def linted(bundle: Bundle, lint: Outcome) -> Check:
    """What lint found in a bundle."""
    config = lint.project.document.file if lint.project.document else ""
    found = [item.diagnostic for item in bundle.report.findings]
    own = [item for item in found if not _of_file(item, config)]
    return _findings(bundle.where, "lint", own, bundle.cached)


def _of_file(item: Diagnostic, file: str) -> bool:
    return bool(file) and item.span is not None and item.span.file == file


def _findings(where: str, name: str, found: Sequence[Diagnostic], cached: bool = False) -> Check:
    counts = Counter(item.severity for item in found)
    words = [counted(counts[severity], severity.value) for severity in Severity if counts[severity]]
    errors = tuple(
        (str(item.span or "-"), f"{item.code}: {item.message}")
        for item in found
        if item.severity is Severity.ERROR
    )
    data = {"findings": {severity.value: counts[severity] for severity in Severity}}
    return Check(where, name, not errors, ", ".join(words) or "no findings", errors, cached, data)


def formatted(where: str, cache: bool) -> Check:
    """Whether the files of a bundle are in their canonical layout."""
    layout = check_layout((where,), cache)
    data = {"files": layout.files, "changed": list(layout.changed), "failed": list(layout.failed)}
    wrong = [(file, "another layout: `callgate fmt` puts it right") for file in layout.changed]
    wrong += [(file, "can't be formatted: see lint") for file in layout.failed]
    words = [counted(layout.files, "file")]
    words += [f"{len(layout.changed)} in another layout"] if layout.changed else []
    words += [f"{len(layout.failed)} that can't be formatted"] if layout.failed else []
    return Check(where, "fmt", not wrong, ", ".join(words), tuple(wrong), data=data)


def unusable(where: str) -> Check:
    """The tests of a bundle that can't be used."""
    return Check(where, "test", False, "the bundle can't be used; see lint")


def tested(where: str, outcome: Tested, limit: float | None) -> list[Check]:
    """Tests and coverage of a bundle. `limit`: the least that has to be reached, in per cent."""
    failed = tuple(
        (f"{item.case.span.file}:{item.case.span.line}", item.case.name)
        for item in (outcome.report.failures if outcome.report else ())
    )
    checks = [_test(where, outcome.summary, failed, False)]
    if outcome.coverage is not None:
        checks.append(_coverage(where, *reached(outcome.coverage), limit, False))
    return checks


def repeated(where: str, again: Again, limit: float | None) -> list[Check]:
    """The same of a run that passed before."""
    return [
        _test(where, again.summary, (), True),
        _coverage(where, again.figures, again.never, limit, True),
    ]


def _test(where: str, summary: Summary, failed: Details, cached: bool) -> Check:
    words = [f"{summary.failed} failed"] if summary.failed else []
    words.append(f"{summary.passed} passed")
    words += [f"{summary.proposed} of them proposed"] if summary.proposed else []
    words.append(counted(summary.examples, "guard example"))
    data = {"tests": {"passed": summary.passed, "failed": summary.failed}}
    data["tests"] |= {"proposed": summary.proposed, "examples": summary.examples}
    return Check(where, "test", not failed, ", ".join(words), failed, cached, data)


def _coverage(
    where: str, found: Mapping[str, Reached], never: Details, limit: float | None, cached: bool
) -> Check:
    both = [found[name] for name in ("nodes", "branches")]
    there = sum(count for count, _ in both)
    total = sum(of for _, of in both)
    passed = limit is None or 100 * there >= limit * total
    parts = ", ".join(f"{_per_cent(*figure)} % of {name}" for name, figure in found.items())
    asked = "" if passed else f"; {limit:g} % is asked for"
    summary = f"{_per_cent(there, total)} % of nodes and branches ({parts}){asked}"
    data = {name: {"reached": count, "total": of} for name, (count, of) in found.items()}
    return Check(where, "coverage", passed, summary, never, cached, {"coverage": data})


def _per_cent(count: int, total: int) -> str:
    """Never rounded up."""
    return f"{10_000 * count // total / 100:g}" if total else "100"
