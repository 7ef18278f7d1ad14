"""Mending a bundle in memory: fixes are applied, and what is then found, until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from callgate.lint.fixing import apply_fixes
from callgate.lint.report import Report
from callgate.lint.rule import Finding
from callgate.load.files import BundleFiles
from callgate.model.diagnostic import Severity

__all__ = ["Mended", "mend"]

_MOST_ROUNDS: Final = 20

Check = Callable[[Sequence[BundleFiles]], Report]
"""What lint tells of a bundle, given by its files (see `read_layers`)."""


@dataclass(frozen=True, slots=True)
class Mended:
    """`report`: what is left. `files`: new bytes of the files that change, by path. `done`: what
    was mended. `spoilt`: findings that may be mended by hand only: with their fix, the bundle would
    have had new errors."""

    report: Report
    files: Mapping[str, bytes] = field(default_factory=dict)
    done: tuple[Finding, ...] = ()
    spoilt: tuple[Finding, ...] = ()


def mend(layers: Sequence[BundleFiles], check: Check) -> Mended:
    """Mend what can be mended in a bundle's own files, which are the first of `layers`."""
    report = check(layers)
    start = dict(layers[0]) if layers else {}
    files = dict(start)
    done: list[Finding] = []
    for _ in range(_MOST_ROUNDS):
        fixed = apply_fixes(report.findings, files)
        if not fixed.files:
            break
        after = {**files, **fixed.files}
        told = check([list(after.items()), *layers[1:]])
        if _errors(told) > _errors(report):
            return Mended(report, _changed(start, files), tuple(done), fixed.done)
        files, report = after, told
        done.extend(fixed.done)
    return Mended(report, _changed(start, files), tuple(done))


def _errors(report: Report) -> int:
    """How many errors there are that keep the bundle from loading."""
    return sum(
        item.diagnostic.severity is Severity.ERROR and not item.diagnostic.code.startswith("L")
        for item in report.findings
    )


def _changed(start: Mapping[str, bytes], now: Mapping[str, bytes]) -> dict[str, bytes]:
    return {file: data for file, data in now.items() if start[file] != data}
