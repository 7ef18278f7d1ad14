"""`callgate test --watch`: run again whenever a file of a bundle, or of one it extends, changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from callgate.analysis.texts import counted
from callgate.cli import exits
from callgate.cli.case_report import failure_lines, story_of_failure
from callgate.cli.paint import Line, Painter
from callgate.cli.reports import diagnostic_lines, source_lines
from callgate.cli.test_dots import Silent
from callgate.cli.test_run import Choice, Outcome, run_bundle
from callgate.load.bundle import bundle_lines
from callgate.load.files import bundle_folders
from callgate.model.diagnostic import Diagnostic, PolicyError, Severity
from callgate.policytest.watch import changes

__all__ = ["Watch", "watch"]

_SECONDS: Final = 0.4
_CLEAR: Final = "\x1b[2J\x1b[H"

_Shown = dict[tuple[str, str], str]
"""Bundle and name of a case that failed → what was shown of it."""


def watch(
    paths: Sequence[str],
    choice: Choice,
    painter: Painter,
    wait: Callable[[], None] = lambda: time.sleep(_SECONDS),
) -> int:
    """Run the tests of bundles, and again whenever one of their files changes, until somebody
    presses Ctrl-C; gives the exit code. `wait`: passes the time between two looks."""
    own = Watch(paths, choice, painter)
    try:
        for changed in changes(own.folders, wait):
            own.run(changed)
    except KeyboardInterrupt:
        painter.stream.write("\n")
    return exits.OK


class Watch:
    """Shows of each run only what is not as in the run before."""

    def __init__(self, paths: Sequence[str], choice: Choice, painter: Painter) -> None:
        self._paths = paths
        self._choice = choice
        self._painter = painter
        self._failed: _Shown = {}

    def folders(self) -> Iterable[Path]:
        """The folders of the bundles, and of those that they extend."""
        return [folder for path in self._paths for folder in bundle_folders(path)]

    def run(self, changed: frozenset[str]) -> None:
        """Run everything once. `changed`: the files because of which it is run."""
        painter = self._painter
        if painter.terminal:
            painter.stream.write(_CLEAR)
        if changed:
            first, *others = sorted(changed)
            more = f" and {counted(len(others), 'other file')}" if others else ""
            painter.write([[(f"changed: {first}{more}", "dim")]])
        failed: _Shown = {}
        for path in self._paths:
            try:
                outcome = run_bundle(path, self._choice, Silent())
            except PolicyError as error:
                self._unusable(path, error.diagnostics)
                failed |= {key: text for key, text in self._failed.items() if key[0] == path}
                continue
            failed |= self._show(outcome)
        self._failed = failed
        painter.write([[("waiting for changes; Ctrl-C ends it", "dim")]])
        painter.stream.flush()

    def _unusable(self, path: str, diagnostics: Sequence[Diagnostic]) -> None:
        lines = source_lines([path], None)
        errors = [item for item in diagnostics if item.severity is Severity.ERROR]
        for item in errors:
            self._painter.write([*diagnostic_lines(item, lines), []])
        self._painter.write([[(f"{path} can't be used: {counted(len(errors), 'error')}", "deny")]])

    def _show(self, outcome: Outcome) -> _Shown:
        """Show what is new, and give all that failed."""
        from callgate.cli.test_show import totals

        failed: _Shown = {}
        same = 0
        report, loaded = outcome.report, outcome.loaded
        files = [file for layer in loaded.files for file in layer] if loaded else []
        sources = bundle_lines(files)
        for failure in report.failures if report else ():
            assert report is not None
            story = story_of_failure(failure, report.policy)
            lines = failure_lines(story, sources, self._painter.width)
            key = (outcome.where, failure.case.name)
            failed[key] = _plain(lines)
            if self._failed.get(key) == failed[key]:
                same += 1
            else:
                self._painter.write([*lines, []])
        for key in self._failed.keys() - failed.keys():
            if key[0] == outcome.where:
                self._painter.write([[("PASSES NOW ", "allow"), (key[1], "")]])
        if same:
            text = f"{counted(same, 'case')} as before: not shown again"
            self._painter.write([[(text, "deny")]])
        self._painter.write([totals(outcome.summary)])
        return failed


def _plain(lines: Iterable[Line]) -> str:
    return "\n".join("".join(text for text, _ in line) for line in lines)
