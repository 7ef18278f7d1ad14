"""A call on which a policy and its mutant decide differently: what a test would have to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import orjson

from callgate.model.decision import Decision
from callgate.model.diagnostic import PolicyError
from callgate.model.types import BOOL, Enum
from callgate.policytest.mutation.mutant import Mutant
from callgate.policytest.mutation.recorded import Group, Recorded, decide_again, seen_of
from callgate.policytest.mutation.samples import (
    commands_of,
    literals_of,
    with_command,
    with_words,
)
from callgate.policytest.mutation.variants import Variant
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program

__all__ = ["Around", "Telling", "telling_call"]

_BUDGET: Final = 60
_NEAR: Final = 12
_AROUND: Final = 3
_ANOTHER: Final[Mapping[str, Any]] = {"tool": "another"}
"""A call of a tool that hardly any policy knows: it comes to what is decided otherwise."""

Around = Callable[[Program, Mapping[str, Any], Decision], Iterable[Mapping[str, Any]]]
"""Calls like this one, but for one fact that a condition of the policy could tell apart."""

_Call = tuple[Mapping[str, Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Telling:
    """A call, with its `settings` where it needs some, and what both policies make of it: the
    decision and its rule."""

    call: Mapping[str, Any]
    before: tuple[str, str]
    after: tuple[str, str]


def telling_call(
    mutant: Mutant, variant: Variant, recorded: Recorded, around: Around | None
) -> Telling | None:
    """The first call tried that the two decide differently, or of which other guards take notice;
    None where there is none among those tried. `around`: calls near a given one, as far as somebody
    knows such."""
    second: Telling | None = None
    seen: set[bytes] = set()
    calls = _calls(mutant, variant, recorded, around)
    for call, overlay in islice(calls, _BUDGET * 2):
        key = orjson.dumps([call, overlay], default=str, option=orjson.OPT_NON_STR_KEYS)
        if key in seen or len(seen) >= _BUDGET:
            continue
        seen.add(key)
        try:
            group = recorded.group(overlay)
        except PolicyError:
            continue
        before = group.program.decide(dict(call))
        effects = before.frame.effects if isinstance(before.frame, Frame) else None
        after = decide_again(variant.program(group), call, effects)
        if before.failure is not None or seen_of(before) == seen_of(after):
            continue
        whole = {**call, "settings": overlay} if overlay else dict(call)
        found = Telling(whole, (before.decision, before.rule), (after.decision, after.rule))
        if before.decision != after.decision:
            return found
        second = second or found
    return second


def _calls(
    mutant: Mutant, variant: Variant, recorded: Recorded, around: Around | None
) -> Iterator[_Call]:
    near = list(islice(_near(mutant, variant, recorded), _NEAR))
    yield from near
    yield _ANOTHER, near[0][1] if near else {}
    vocabulary = recorded.policy.vocabulary
    tool, argument = vocabulary.example_tool, vocabulary.example_argument
    bases: list[_Call] = near[:_AROUND] or [({}, {})]
    if tool and argument:
        for text in (mutant.old, mutant.new):
            for command in commands_of(text):
                for call, overlay in bases[:2]:
                    yield with_command(call, tool, argument, command), overlay
    words = list(dict.fromkeys(w for text in (mutant.old, mutant.new) for w in literals_of(text)))
    for call, overlay in bases:
        for other in with_words(call, words[:6]):
            yield other, overlay
    others = list(islice(_other_settings(variant), _AROUND * 2))
    for call, overlay in near[:2]:
        yield from ((call, {**overlay, **other}) for other in others)
    if around is not None:
        for call, overlay in near[:_AROUND]:
            program = recorded.group(overlay).program
            for changed in around(program, call, program.decide(dict(call))):
                yield changed, overlay


def _near(mutant: Mutant, variant: Variant, recorded: Recorded) -> Iterator[_Call]:
    """Calls at hand on which the change might show."""
    for id_ in variant.changed[:3]:
        tried = sorted(recorded.examples.get(id_, ()), key=lambda one: not one.fires)
        yield from ((one.call, one.group.overlay) for one in tried)
    if variant.only_guards:
        return
    groups: list[Group] = sorted(recorded.groups.values(), key=lambda group: -len(group.cases))
    for exact in (True, False):
        for group in groups:
            for shown in group.cases:
                if (mutant.rule in (shown.rule, shown.step)) is exact:
                    yield shown.case.call, group.overlay


def _other_settings(variant: Variant) -> Iterator[Mapping[str, Any]]:
    """Settings that what was changed reads, one at a time with another value than the default."""
    known = variant.policy.vocabulary.settings
    for name in variant.settings_read():
        setting = known.get(name)
        if setting is None:
            continue
        kind, values = setting.field.type, list[Any]()
        if kind == BOOL:
            values = [True, False]
        elif isinstance(kind, Enum):
            values = list(kind.members)
        for value in values:
            if value != setting.field.default:
                overlay: Any = value
                for key in reversed(name.split(".")):
                    overlay = {key: overlay}
                yield overlay
