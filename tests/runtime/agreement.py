"""What the tests that compare the two evaluators share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis import strategies as st

from callgate.effects import match
from callgate.engine import Engine
from callgate.lang import parse_pattern
from callgate.model.decision import Decision
from callgate.model.effect import Effect, EffectSet
from callgate.model.pattern import CommandPattern
from callgate.model.values import Unknown
from callgate.runtime.interpreter import Program
from callgate.runtime.reference import Outcome
from tests.strategies import SEED, Files, calls, effect_sets

__all__ = [
    "Story",
    "asked",
    "fits",
    "loaded",
    "long_test",
    "say_seed",
    "story_of",
    "told",
    "walked",
]

_SHRINK = bool(os.environ.get("CALLGATE_SHRINK"))
_TIMES = float(os.environ.get("CALLGATE_TIMES") or 1)


def fits(run: Effect, pattern: CommandPattern | str, strict: bool) -> bool | Unknown:
    """What the engine says of a command and a pattern, which the settings give as text."""
    return match(run, parse_pattern(pattern) if isinstance(pattern, str) else pattern, strict)


def long_test(examples: int) -> Any:
    """A decorator for a property: that many examples (times `CALLGATE_TIMES`), by `SEED`. A failure
    is made small only with `CALLGATE_SHRINK`, as that takes minutes."""

    def decorate(test: Any) -> Any:
        limits = settings(
            max_examples=max(1, int(examples * _TIMES)),
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink) if _SHRINK else (Phase.generate,),
        )
        return seed(SEED)(limits(test))

    return decorate


def say_seed() -> None:
    """Print the seed when the example fails."""
    note(f"reproduce with CALLGATE_SEED={SEED}, make small with CALLGATE_SHRINK=1")


class Story(NamedTuple):
    """What both evaluators must agree on."""

    decision: str
    rule: str
    step: str
    pending: str | None
    matched: tuple[tuple[str, str, str | None, bool, str | None], ...]
    risk: str | None
    capabilities: tuple[str, ...]
    error: str | None


def told(outcome: Outcome) -> Story:
    """The reference's story."""
    return Story(
        outcome.decision.value,
        outcome.rule,
        outcome.step,
        outcome.pending and outcome.pending.value,
        tuple(
            (m.rule, m.decide.value, m.approval and m.approval.value, m.shadow, m.exception)
            for m in outcome.matched
        ),
        outcome.risk,
        tuple(sorted(outcome.capabilities)),
        outcome.error,
    )


def story_of(decision: Decision) -> Story:
    """The engine's story, as it tells it to others."""
    form = decision.to_dict()
    return Story(
        form["decision"],
        form["rule"],
        form["step"],
        form["pending"] and form["pending"]["consult"],
        tuple(
            (m["rule"], m["decide"], m["approval"], "enforce" in m, m.get("exception"))
            for m in form["matched"]
        ),
        form["risk"],
        tuple(sorted(form["capabilities"])),
        form["error"] and form["error"]["code"],
    )


def walked(program: Program, call: Mapping[str, Any], effects: EffectSet) -> Decision:
    """The engine's decision for a call that has these effects."""
    frame = program.checker.frame(call)
    program.classifier.classify(frame)
    frame.effects = effects
    return program.walk(frame)


class Asked(list[Any]):
    """Many calls with effects; shown only as their number, as a failure names the one at fault."""

    def __repr__(self) -> str:
        return f"<{len(self)} calls>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def asked(count: int) -> st.SearchStrategy[Asked]:
    """Calls, each with a set of effects."""
    pairs = st.tuples(calls(), effect_sets())
    return st.lists(pairs, min_size=count, max_size=count).map(Asked)


def loaded(bundle: Files, values: Mapping[str, Any] | None = None) -> Engine:
    """The engine of a bundle's text, by the whole way from files to graph."""
    with tempfile.TemporaryDirectory() as folder:
        return Engine.load(bundle.write(Path(folder)), values)
