"""`callgate eval --compare`: what another policy would change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callgate.cli import exits
from callgate.cli.calls import Item
from callgate.cli.compare_input import Given, Sources
from callgate.cli.compare_options import Comparing
from callgate.cli.log_store import told_record_errors
from callgate.cli.options import loaded

if TYPE_CHECKING:
    from callgate.analysis.compare import Comparison
    from callgate.engine import Engine
    from callgate.model.decision import Decision

__all__ = ["compare"]


def compare(
    comparing: Comparing,
    bundle: str,
    settings: Path | None,
    given: dict[str, Any] | None,
    sources: tuple[str, ...],
    format_: str,
) -> int:
    """Decide each call by both policies and write what changes; returns the exit code. `bundle`,
    `settings`: the policy as it is; `given`: the one call of the command line, if any; else
    `sources`: where the calls are."""
    from callgate.analysis.compare import Comparison
    from callgate.cli.compare_report import write_report
    from callgate.cli.progress import Progress

    before = loaded(bundle, settings, cache=True)
    after = loaded(comparing.bundle, comparing.settings or settings, cache=True)
    origin = Sources(sources)
    comparison = Comparison(comparing.limit)
    progress = Progress(origin.total())
    invalid = 0
    with told_record_errors():
        calls = (
            origin.calls(progress.advanced)
            if given is None
            else iter([Given(Item("<call>", 1, given), "the call")])
        )
        for each in calls:
            if not _compared(each, before, after, comparison):
                progress.clear()
                invalid += 1
            progress.called()
    progress.clear()
    write_report(comparison, before, after, origin.skipped, invalid, format_)
    sys.stdout.flush()
    if invalid or origin.damaged:
        return exits.FAILURE
    worse = comparison.counts["allowed"] if comparing.fail_on == "allow" else comparison.changed
    return exits.FINDINGS if comparing.fail_on and worse else exits.OK


def _compared(each: Given, before: Engine, after: Engine, comparison: Comparison) -> bool:
    """Whether what was given is a call; then it is compared."""
    from callgate.cli.judging import complain, problem_of, tell

    decisions = [_decided(each, engine) for engine in (before, after)]
    if all(decision.failure is not None for decision in decisions):
        problem = problem_of(each.item, tell(each.item, decisions[0]))
        if problem is not None:
            complain(problem)
            return False
    comparison.add(each.name, each.item.value, *decisions)
    return True


def _decided(each: Given, engine: Engine) -> Decision:
    from callgate.cli.judging import judge

    return engine.program.decide(each.item.value, True) if each.live else judge(engine, each.item)
