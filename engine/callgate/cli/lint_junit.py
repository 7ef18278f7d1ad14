"""What lint found as JUnit's XML: a suite per file, a case per finding."""

from __future__ import annotations

from collections import defaultdict

from callgate.cli.junit import attribute, content, document
from callgate.cli.lint_outcome import Outcome
from callgate.model.diagnostic import Diagnostic, Severity

__all__ = ["junit_suites", "junit_text"]


def junit_text(outcome: Outcome, fail_on: str) -> str:
    """The document. Findings at the level `fail_on` or above are failures; a bundle in which there
    is nothing to tell is a case that passes."""
    return document("callgate lint", junit_suites(outcome, fail_on))


def junit_suites(outcome: Outcome, fail_on: str) -> list[str]:
    """The suites of that document."""
    least = Severity(fail_on).rank
    by_file: dict[str, list[Diagnostic]] = defaultdict(list)
    for finding in outcome.findings:
        item = finding.diagnostic
        by_file[item.span.file if item.span else "-"].append(item)
    suites = [_suite(file, items, least) for file, items in by_file.items()]
    if not outcome.findings:
        cases = "".join(_case(bundle.where, "lint", "") for bundle in outcome.bundles)
        count = len(outcome.bundles)
        head = f'name="lint" tests="{count}" failures="0"'
        suites = [f"  <testsuite {head}>\n{cases}  </testsuite>\n"]
    return suites


def _suite(file: str, items: list[Diagnostic], least: int) -> str:
    failed = sum(item.severity.rank <= least for item in items)
    cases = "".join(_finding(file, item, item.severity.rank <= least) for item in items)
    head = f'name={attribute(file)} tests="{len(items)}" failures="{failed}"'
    return f"  <testsuite {head}>\n{cases}  </testsuite>\n"


def _finding(file: str, item: Diagnostic, failure: bool) -> str:
    place = f"{item.span.line}:{item.span.column} " if item.span else ""
    told = f"{item.span or '-'}: {item.severity}[{item.code}]: {item.message}"
    told += f"\nhelp: {item.help}" if item.help else ""
    text = content(told)
    if failure:
        attributes = f'message={attribute(item.message)} type="{item.severity}"'
        inner = f"      <failure {attributes}>{text}</failure>\n"
    else:
        inner = f"      <system-out>{text}</system-out>\n"
    return _case(file, f"{place}{item.code}", inner)


def _case(suite: str, name: str, inner: str) -> str:
    head = f"    <testcase classname={attribute(suite)} name={attribute(name)}"
    return f"{head}>\n{inner}    </testcase>\n" if inner else f"{head}/>\n"
