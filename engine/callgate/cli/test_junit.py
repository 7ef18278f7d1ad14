"""What `callgate test` found as JUnit's XML: a suite per test file, and one for the invariants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from callgate.cli.junit import attribute, content, document
from callgate.cli.test_run import Outcome
from callgate.cli.test_show import stories_of
from callgate.policytest.summary import RanCase

if TYPE_CHECKING:
    from callgate.cli.case_report import FailureStory

__all__ = ["junit_suites", "junit_text"]

_Failures = dict[tuple[str, str], tuple[str, str]]
"""File and name of a failed case → its message and its text."""


def junit_text(outcomes: Sequence[Outcome]) -> str:
    """The document. A case that violates an invariant fails, and so does that invariant."""
    return document("callgate test", junit_suites(outcomes))


def junit_suites(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """The suites of that document."""
    for outcome in outcomes:
        yield from _suites(outcome)


def _suites(outcome: Outcome) -> Iterable[str]:
    summary, stories = outcome.summary, stories_of(outcome)
    failures: _Failures = {}
    broken: dict[str, list[str]] = defaultdict(list)
    for story in stories:
        case = story.failure.case
        failures[case.span.file, case.name] = _told(story)
        for name, _ in story.failure.violated:
            broken[name].append(f"{case.span.file}:{case.span.line}  {case.name}")
    by_file: dict[str, list[RanCase]] = defaultdict(list)
    for tested in summary.cases:
        by_file[tested.file].append(tested)
    for file, cases in by_file.items():
        texts = [_case(file, c.name, c.seconds, failures.get((file, c.name))) for c in cases]
        failed = sum((file, case.name) in failures for case in cases)
        yield _suite(file, texts, failed, sum(case.seconds for case in cases))
    name = f"{summary.bundle}: invariants"
    texts = []
    for id_, title in summary.invariants:
        by = broken.get(id_)
        failure = None if by is None else (f"{title}: violated", "\n".join(by))
        texts.append(_case(name, id_, 0.0, failure))
    if texts:
        yield _suite(name, texts, len(broken), 0.0)


def _told(story: FailureStory) -> tuple[str, str]:
    from callgate.cli.case_report import failure_lines

    failure = story.failure
    wrong = [f"{m.key}: expected {m.expected}, got {m.actual}" for m in failure.mismatches]
    wrong += [f"invariant {name} is violated" for name, _ in failure.violated]
    lines = failure_lines(story, lambda _: None, 100)
    text = "\n".join("".join(piece for piece, _ in line).rstrip() for line in lines)
    return failure.problem or "; ".join(wrong), text


def _suite(name: str, cases: list[str], failed: int, seconds: float) -> str:
    head = (
        f'name={attribute(name)} tests="{len(cases)}" failures="{failed}" errors="0" '
        f'time="{seconds:.4f}"'
    )
    return f"  <testsuite {head}>\n{''.join(cases)}  </testsuite>\n"


def _case(suite: str, name: str, seconds: float, failure: tuple[str, str] | None) -> str:
    head = f'classname={attribute(suite)} name={attribute(name)} time="{seconds:.4f}"'
    if failure is None:
        return f"    <testcase {head}/>\n"
    message, text = failure
    inner = f"      <failure message={attribute(message)}>{content(text)}</failure>\n"
    return f"    <testcase {head}>\n{inner}    </testcase>\n"
