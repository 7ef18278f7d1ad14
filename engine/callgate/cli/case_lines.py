"""The lines of a case that failed, with marks below what is not as expected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from callgate.cli.paint import Line, cells, cut
from callgate.cli.reports import SourceLines
from callgate.policytest.run import Failure
from callgate.runtime.masking import MASK, escape

__all__ = ["case_lines"]

_MOST: Final = 6


def case_lines(
    failure: Failure, lines: SourceLines, width: int, secrets: Iterable[str] = ()
) -> list[Line]:
    """The first lines of a failed case; of those that hold a wrong expectation, what is wrong has
    carets below it. None where the file is not at hand. `secrets`: texts that are not shown."""
    span = failure.case.span
    text = lines(span.file)
    if text is None:
        return []
    secrets = tuple(secrets)
    last = span.end_line if span.end_column > 1 else span.end_line - 1
    numbers = range(span.line, min(max(last, span.line), len(text)) + 1)
    open_ = {number: _without(text[number - 1], secrets) for number in numbers}
    marked = {number: _mark(failure, line) for number, line in open_.items()}
    shown = [number for number in numbers if marked[number]][:_MOST]
    shown = sorted({*shown, *list(numbers)[: max(0, _MOST - len(shown))]})
    gutter = len(str(shown[-1])) if shown else 0
    found: list[Line] = []
    for number in shown:
        line = escape(open_[number].rstrip().replace("\t", " "))
        found.append(
            [(f"  {number:>{gutter}} | ", "dim"), (cut(line, max(20, width - gutter - 5)), "")]
        )
        place = marked[number]
        if place is not None:
            before, wrong = line[: place[0]], line[place[0] : place[1]]
            blank = " " * (gutter + 2) + " | " + " " * cells(before)
            found.append([(blank, "dim"), ("^" * max(1, cells(wrong)), "deny")])
    return found


def _without(line: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        line = line.replace(secret, MASK)
    return line


def _mark(failure: Failure, line: str) -> tuple[int, int] | None:
    """Where in a line a wrong expectation stands: behind its key, or, as in a table, by itself."""
    for item in failure.mismatches:
        if isinstance(item.expected, list | dict):
            found = re.search(rf"\b{item.key}:\s*", line)
            if found is not None:
                return found.start(), len(line.rstrip())
            continue
        value = re.escape(_plain(item.expected))
        found = re.search(rf"\b{item.key}:\s*[\"']?({value})(?![\w.-])", line)
        found = found or re.search(rf"(?<![\w.:-])({value})(?![\w.-])(?!\s*:)", line)
        if found is not None:
            return found.span(1)
    return None


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
