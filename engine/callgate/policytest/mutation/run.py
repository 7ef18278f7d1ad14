"""Try the mutants of a bundle, in several processes that begin as copies of this one."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from callgate.policytest.loaded import Loaded
from callgate.policytest.mutation.mutant import Mutant, accepted
from callgate.policytest.mutation.mutants import mutants_of
from callgate.policytest.mutation.rebuild import Rebuilder
from callgate.policytest.mutation.recorded import Recorded
from callgate.policytest.mutation.spellings import Spellings
from callgate.policytest.mutation.telling import Around, Telling, telling_call
from callgate.policytest.mutation.trial import KILLED, REFUSED, SURVIVED, Trial, Verdict
from callgate.policytest.parallel import can_fork

__all__ = ["FailingError", "Report", "Tried", "mutate"]

_CHUNK: Final = 16


class FailingError(Exception):
    """The policy does not pass its own tests; the argument is the names of the cases."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant and what came of it. `telling`: of a survivor, a call that tells it from the policy;
    `reason`: why the policy's authors accept that it survives."""

    mutant: Mutant
    verdict: Verdict
    telling: Telling | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All mutants that were tried, in the order of the files, of `found` in all."""

    tried: tuple[Tried, ...]
    found: int

    def count(self, status: str, operator: str | None = None) -> int:
        """How many mutants, of an operator or of all, have a status."""
        return sum(
            one.verdict.status == status and operator in (None, one.mutant.operator)
            for one in self.tried
        )

    @property
    def score(self) -> float:
        """The share of killed ones among those that count, in per cent; 100 where none counts."""
        killed, survived = self.count(KILLED), self.count(SURVIVED)
        return 100.0 * killed / (killed + survived) if killed + survived else 100.0

    @property
    def survivors(self) -> list[Tried]:
        """Those that no test noticed."""
        return [one for one in self.tried if one.verdict.status == SURVIVED]


def mutate(
    loaded: Loaded,
    *,
    jobs: int = 1,
    limit: int | None = None,
    seed: int = 0,
    only: Sequence[str] = (),
    around: Around | None = None,
    done: Callable[[int, int, Tried], None] = lambda number, total, tried: None,
) -> Report:
    """Try every mutant of a bundle's own files.

    `jobs`: processes; `limit`: at most so many mutants, chosen by `seed`; `only`: those of these
    operators, rules or files (`*` stands for anything); `around`: calls like a given one; `done` is
    told of each mutant as it is tried, with its number and how many there are. Raises PolicyError
    for a bundle that can't be used, FailingError for one that does not pass its own tests.
    """
    engine = loaded.usable()
    assert loaded.bundle is not None
    rebuilder = Rebuilder(loaded.bundle, engine.policy)
    spellings = Spellings(engine.program.extractor.programs)
    mutants = mutants_of(
        engine.policy, loaded.documents, loaded.own_files, rebuilder.enums, spellings
    )
    if only:
        mutants = [mutant for mutant in mutants if _is_meant(mutant, only)]
    found = len(mutants)
    if limit is not None and limit < found:
        chosen = sorted(random.Random(seed).sample(range(found), limit))
        mutants = [mutants[number] for number in chosen]
    recorded = Recorded(engine, loaded.cases)
    if recorded.failing:
        raise FailingError(recorded.failing)
    texts = {document.file: document.source.text for document in loaded.documents}
    worker = _Worker(rebuilder, Trial(recorded), mutants, around)
    results: list[Tried | None] = [None] * len(mutants)
    for count, (number, verdict, telling) in enumerate(_verdicts(worker, jobs), 1):
        mutant = mutants[number]
        reason = accepted(texts[mutant.file], mutant) if verdict.status == SURVIVED else ""
        results[number] = tried = Tried(mutant, verdict, telling, reason)
        done(count, len(mutants), tried)
    return Report(tuple(one for one in results if one is not None), found)


def _is_meant(mutant: Mutant, only: Sequence[str]) -> bool:
    names = (mutant.operator, mutant.rule, mutant.file)
    return any(
        fnmatchcase(name, word) or mutant.file.endswith(f"/{word}")
        for word in only
        for name in names
    )


_Result = tuple[int, Verdict, Telling | None]


@dataclass(slots=True)
class _Worker:
    rebuilder: Rebuilder
    trial: Trial
    mutants: Sequence[Mutant]
    around: Around | None

    def run(self, number: int) -> _Result:
        """What comes of a mutant."""
        mutant = self.mutants[number]
        policy = self.rebuilder.policy_of(mutant)
        if policy is None:
            return number, Verdict(REFUSED), None
        variant = self.trial.variant(policy)
        verdict = self.trial.verdict(mutant, variant)
        if verdict.status == KILLED:
            return number, verdict, None
        telling = telling_call(mutant, variant, self.trial.recorded, self.around)
        if telling is not None and verdict.status != SURVIVED:
            verdict = Verdict(SURVIVED)  # settings that no test uses make a difference
        return number, verdict, telling


def _verdicts(worker: _Worker, jobs: int) -> Iterator[_Result]:
    total = len(worker.mutants)
    if jobs < 2 or total < 2 * _CHUNK or not can_fork():
        yield from map(worker.run, range(total))
        return
    chunks = [range(at, min(at + _CHUNK, total)) for at in range(0, total, _CHUNK)]
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("fork"), initializer=_begin, initargs=(worker,)
    )
    try:
        for future in as_completed([pool.submit(_run, chunk) for chunk in chunks]):
            yield from future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_here: dict[str, Any] = {}
"""What a process that tries mutants was given when it began."""


def _begin(worker: _Worker) -> None:
    _here["worker"] = worker


def _run(chunk: range) -> list[_Result]:
    worker: _Worker = _here["worker"]
    return [worker.run(number) for number in chunk]
