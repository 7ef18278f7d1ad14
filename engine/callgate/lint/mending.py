"""Mending a bundle in memory: fixes are applied, and what is then found, until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from callgate.formatting import FormatError, format_text
from callgate.lint.fixing import Fixed, apply_fixes
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
    have had new errors; the others are mended all the same. `later`: how many
    of `done` showed only when others were mended."""

    report: Report
    files: Mapping[str, bytes] = field(default_factory=dict)
    done: tuple[Finding, ...] = ()
    spoilt: tuple[Finding, ...] = ()
    later: int = 0


def mend(layers: Sequence[BundleFiles], check: Check) -> Mended:
    """Mend what can be mended in a bundle's own files, which are the first of `layers`. A file that
    was in the canonical layout (`callgate fmt`) stays in it."""
    report = check(layers)
    start = dict(layers[0]) if layers else {}
    files = dict(start)
    done: list[Finding] = []
    spoilt: dict[object, Finding] = {}

    def mended(findings: Sequence[Finding]) -> tuple[Fixed, dict[str, bytes], Report]:
        fixed = apply_fixes(findings, files)
        tidy = {file: _laid_out(file, data, start[file]) for file, data in fixed.files.items()}
        after = {**files, **tidy}
        told = check([list(after.items()), *layers[1:]]) if tidy else report
        return fixed, after, told

    at_first = sum(bool(item.fix) for item in report.findings)
    rounds = 0
    while rounds < _MOST_ROUNDS:
        wanted = [item for item in report.findings if item.fix and _key(item) not in spoilt]
        fixed, after, told = mended(wanted)
        if not fixed.files:
            break
        if _errors(told) > _errors(report):
            culprit = fixed.done[_first_bad(fixed.done, lambda part: mended(part)[2], report)]
            spoilt[_key(culprit)] = culprit
            continue
        rounds += 1
        files, report = after, told
        done.extend(fixed.done)
    left = [replace(item, fix=()) if _key(item) in spoilt else item for item in report.findings]
    report = replace(report, findings=tuple(left))
    later = max(0, len(done) - at_first + len(spoilt))
    changed = _changed(start, files)
    return Mended(report, changed, tuple(done), tuple(spoilt.values()), later)


def _first_bad(
    findings: Sequence[Finding], told: Callable[[Sequence[Finding]], Report], before: Report
) -> int:
    """The position of the fix with which, after those before it, the bundle has new errors."""
    good, bad = 0, len(findings)
    while bad - good > 1:
        middle = (good + bad) // 2
        if _errors(told(findings[:middle])) > _errors(before):
            bad = middle
        else:
            good = middle
    return good


def _key(item: Finding) -> object:
    """What a finding is about, wherever it stands."""
    found = item.diagnostic
    file = found.span.file if found.span else ""
    return found.code, file, found.message, tuple(edit.text for edit in item.fix)


def _laid_out(file: str, data: bytes, start: bytes) -> bytes:
    """A file in the canonical layout, where it was in it at the start, else as it is."""
    try:
        if format_text(file, start.decode()).encode() == start:
            return format_text(file, data.decode()).encode()
    except (FormatError, UnicodeDecodeError):
        pass  # a file with errors is left as it is
    return data


def _errors(report: Report) -> int:
    """How many errors there are that keep the bundle from loading."""
    return sum(
        item.diagnostic.severity is Severity.ERROR and not item.diagnostic.code.startswith("L")
        for item in report.findings
    )


def _changed(start: Mapping[str, bytes], now: Mapping[str, bytes]) -> dict[str, bytes]:
    return {file: data for file, data in now.items() if start[file] != data}
