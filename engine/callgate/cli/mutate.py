"""`callgate test --mutate`: change the policy in one small way at a time, and see whether its tests
notice."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from callgate.analysis.candidates import candidates, changed
from callgate.analysis.texts import counted
from callgate.cli import exits
from callgate.cli.mutate_report import show_mutation, told_mutation
from callgate.cli.paint import Painter
from callgate.cli.writers import write_json
from callgate.model.decision import Decision
from callgate.policytest.loaded import Loaded
from callgate.policytest.mutation.run import FailingError, Report, Tried, mutate
from callgate.policytest.mutation.trial import KILLED, SURVIVED
from callgate.runtime.interpreter import Program

__all__ = ["run"]

_MOST: Final = 40
_EVERY: Final = 0.1
_CELLS: Final = 30


def run(
    *,
    loaded: Loaded,
    painter: Painter,
    format_: str = "pretty",
    jobs: int = 1,
    limit: int | None = None,
    only: Sequence[str] = (),
    fail_under: float | None = None,
    seed: int = 0,
) -> int:
    """Try the mutants of a bundle that can be used, and show the score and the survivors.

    `format_`: `pretty` or `json`; `jobs`: processes; `limit`: at most so many mutants, chosen by
    `seed`; `only`: those of these operators, rules or files; `fail_under`: the least score, in per
    cent. The exit code: 3 when the score is less or the bundle does not pass its own tests, else 0.
    """
    bar = _Bar()
    bar.draw("running the policy's own tests …")
    try:
        report = mutate(
            loaded, jobs=jobs, limit=limit, seed=seed, only=only, around=_around, done=bar.done
        )
    except FailingError as error:
        bar.clear()
        names = error.args[0]
        many = counted(len(names), "case")
        told = f"the policy fails {many} of its own, such as `{names[0]}`: mend that first"
        Painter(sys.stderr).write([[(told, "deny")]])
        return exits.FINDINGS
    bar.clear()
    texts = {document.file: document.source.text for document in loaded.documents}
    if format_ == "json":
        write_json(told_mutation(report, texts))
    else:
        show_mutation(painter, report, texts, loaded.where)
    return exits.FINDINGS if _short(report, fail_under) else exits.OK


def _short(report: Report, fail_under: float | None) -> bool:
    return fail_under is not None and report.score < fail_under


def _around(
    program: Program, call: Mapping[str, Any], decision: Decision
) -> Iterable[Mapping[str, Any]]:
    """Calls like this one, with one fact changed."""
    return _changed(program, call, decision)


def _changed(
    program: Program, call: Mapping[str, Any], decision: Decision
) -> Iterator[Mapping[str, Any]]:
    for change in islice(candidates(program, call, decision), _MOST):
        yield changed(call, change)


class _Bar:
    """A progress bar on standard error, with what was found so far; only on a terminal."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._start = self._drawn = time.monotonic()
        self._killed = self._survived = 0

    def done(self, number: int, total: int, tried: Tried) -> None:
        """One more mutant was tried."""
        self._killed += tried.verdict.status == KILLED
        self._survived += tried.verdict.status == SURVIVED
        now = time.monotonic()
        if number == 1:  # what came before was the policy's own tests
            self._start = now
        if now - self._drawn > _EVERY:
            self._drawn = now
            self.draw(self.text(number, total, now - self._start))

    def draw(self, text: str) -> None:
        """Show a line in the bar's place."""
        if self._on:
            sys.stderr.write("\r\x1b[2K" + text)
            sys.stderr.flush()

    def text(self, number: int, total: int, seconds: float) -> str:
        """The bar after so many seconds."""
        filled = round(number / total * _CELLS)
        left = round(seconds / number * (total - number))
        return (
            f"[{'█' * filled}{'░' * (_CELLS - filled)}] {number:,} of {total:,} mutants, "
            f"{self._killed:,} killed, {self._survived:,} survived, "
            f"{left // 60}:{left % 60:02} left"
        )

    def clear(self) -> None:
        """Remove the bar."""
        self.draw("")
