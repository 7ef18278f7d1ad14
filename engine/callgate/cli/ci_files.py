"""The reports of `callgate ci` for other programs."""

from __future__ import annotations

import secrets

from callgate.cli.ci_run import Run
from callgate.cli.junit import attribute, document
from callgate.cli.lint_github import command, github_text

__all__ = ["apart", "github_annotations", "junit_of", "lcov_of_all"]


def github_annotations(done: Run) -> str:
    """What failed, and the findings, as commands of GitHub."""
    told = [github_text(done.lint)]
    for check in done.checks:
        if check.passed or check.name in ("config", "lint"):
            continue
        if not check.details:
            told.append(command("error", {}, check.name, f"{check.bundle}: {check.summary}"))
        for place, text in check.details:
            file, _, line = place.rpartition(":")
            if not line.isdecimal():
                file, line = place, "1"
            told.append(command("error", {"file": file, "line": line}, check.name, text))
    return "".join(told)


def apart(text: str) -> str:
    """Text in which GitHub looks for no commands, whatever it says."""
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def junit_of(done: Run) -> str:
    """One document with a suite of the checks, and the suites of lint and of the tests."""
    from callgate.cli.lint_junit import junit_suites as of_lint
    from callgate.cli.test_junit import junit_suites as of_tests

    suites = [_checks(done), *of_lint(done.lint, "error"), *of_tests(done.tests)]
    return document("callgate ci", suites)


def _checks(done: Run) -> str:
    """A case for each check: in it fail layouts and coverage, too, which are no tests."""
    cases = []
    for check in done.checks:
        head = f"    <testcase classname={attribute(check.bundle)} name={attribute(check.name)}"
        told = f"      <failure message={attribute(check.summary)}/>\n"
        cases.append(f"{head}/>\n" if check.passed else f"{head}>\n{told}    </testcase>\n")
    failed = sum(not check.passed for check in done.checks)
    counts = f'tests="{len(cases)}" failures="{failed}"'
    return f'  <testsuite name="checks" {counts}>\n{"".join(cases)}  </testsuite>\n'


def lcov_of_all(done: Run) -> str:
    """One tracefile of all bundles."""
    from callgate.cli.coverage_lcov import lcov_of
    from callgate.policytest.coverage.lines import files_of

    return "".join(lcov_of(files_of(o.coverage)) for o in done.tests if o.coverage is not None)
