"""What a test run came to, without the policy: what is shown, and what a cache keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from callgate.policytest.run import Report

__all__ = ["RanCase", "Summary", "summary_of"]


class RanCase(NamedTuple):
    """A case that ran: its name and place, the seconds that it took, whether somebody confirmed
    it."""

    name: str
    file: str
    line: int
    seconds: float
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """A run of one bundle's tests. `examples`: guard examples, checked by loading; `invariants`: id
    and title; `cases`: those that ran, in order; `chosen`: how many of the bundle's `total` were
    to run; `failed`: how many are not as expected. `cached`: it was not run again."""

    bundle: str
    examples: int
    invariants: tuple[tuple[str, str], ...]
    cases: tuple[RanCase, ...]
    chosen: int
    total: int
    failed: int = 0
    cached: bool = False

    @property
    def passed(self) -> int:
        """How many cases are as expected."""
        return len(self.cases) - self.failed

    @property
    def proposed(self) -> int:
        """How many of the cases nobody has confirmed."""
        return sum(not case.confirmed for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """A run in which all passed, for a cache."""
        return {
            "bundle": self.bundle,
            "examples": self.examples,
            "invariants": [list(item) for item in self.invariants],
            "cases": [list(case) for case in self.cases],
            "total": self.total,
        }

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Summary:
        """What `to_json` gave. Raises LookupError, TypeError or ValueError for anything else."""
        cases = tuple(RanCase(*case) for case in kept["cases"])
        invariants = tuple((str(id_), str(title)) for id_, title in kept["invariants"])
        bundle, examples, total = kept["bundle"], kept["examples"], kept["total"]
        return cls(bundle, examples, invariants, cases, len(cases), total, 0, True)


def summary_of(report: Report, chosen: int, total: int) -> Summary:
    """The summary of a run of `chosen` of a bundle's `total` cases."""
    return Summary(
        report.policy.name,
        report.examples,
        tuple((item.id, item.title) for item in report.policy.invariants),
        tuple(_tested(report)),
        chosen,
        total,
        len(report.failures),
    )


def _tested(report: Report) -> Iterable[RanCase]:
    for case, seconds in zip(report.cases, report.seconds, strict=True):
        yield RanCase(case.name, case.span.file, case.span.line, seconds, case.confirmed)
