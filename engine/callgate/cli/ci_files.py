"""The reports of `callgate ci` for other programs."""

from __future__ import annotations

from callgate.cli.ci_run import Run
from callgate.cli.lint_github import command, github_text

__all__ = ["github_annotations", "junit_of", "lcov_of_all"]

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def github_annotations(done: Run) -> str:
    """Findings, failed cases and layouts as commands of GitHub."""
    told = [github_text(done.lint)]
    for check in done.checks:
        if not check.passed and check.name in ("fmt", "test"):
            for place, text in check.details:
                file, _, line = place.partition(":")
                told.append(command("error", {"file": file, "line": line or "1"}, check.name, text))
    return "".join(told)


def junit_of(done: Run) -> str:
    """One document with the suites of lint and of the tests."""
    from callgate.cli.lint_junit import junit_text as lint_junit
    from callgate.cli.test_junit import junit_text as test_junit

    suites = [lint_junit(done.lint, "error"), test_junit(done.tests)]
    inner = "".join(text.split("\n", 2)[2].rpartition("</testsuites>")[0] for text in suites)
    return f'{_HEAD}<testsuites name="callgate ci">\n{inner}</testsuites>\n'


def lcov_of_all(done: Run) -> str:
    """One tracefile of all bundles."""
    from callgate.cli.coverage_lcov import lcov_of
    from callgate.policytest.coverage.lines import files_of

    return "".join(lcov_of(files_of(o.coverage)) for o in done.tests if o.coverage is not None)
