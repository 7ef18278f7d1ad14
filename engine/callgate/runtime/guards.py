"""The guard set: indexed by effect kind and tool, walked in bundle order.

The first deny ends the walk; otherwise every ask is collected and carried on. An effect that was
not understood is a built-in ask that only a person lifts; one that was too much to read, a built-in
deny.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from callgate.model.effect import EFFECT_GROUPS, EffectSet
from callgate.runtime.codegen import Codegen
from callgate.runtime.frame import Frame, IdleMatch, Match
from callgate.runtime.guard_index import Mentioned
from callgate.runtime.guard_memory import Silent, of_path
from callgate.runtime.live_guard import LiveGuard
from callgate.runtime.quiet import Quiet, Tests

__all__ = ["ASK_RANK", "BOUNDS_RULE", "OPAQUE_RULE", "GuardSet", "built_in_rule"]

ASK_RANK: Final[Mapping[str, int]] = {"none": 0, "any": 1, "person": 2}
OPAQUE_RULE: Final = "builtin.opaque"
BOUNDS_RULE: Final = "builtin.bounds"
_MAX_CACHED: Final = 4096


class _Selected:
    """The guards that could fire on calls of one sort, those of them that only note, the functions
    for those that look at the call as a whole (see Quiet), and, where all hang on a path alone, the
    calls on which they were silent. `loud`: one of them had something to
    say last time, so it may again, and they are better walked at once."""

    __slots__ = ("guards", "loud", "notes", "of_call", "silent")

    def __init__(self, guards: list[LiveGuard], of_call: Tests, silent: Silent | None) -> None:
        self.guards = guards
        self.of_call = of_call
        self.notes = [guard for guard in guards if guard.decide == "note"]
        self.silent = silent
        self.loud = False


class GuardSet:
    """All guards of a graph."""

    def __init__(self, forms: Sequence[Mapping[str, Any]], codegen: Codegen) -> None:
        self.forms = forms
        self._guards = [LiveGuard(index, form, codegen) for index, form in enumerate(forms)]
        self._named = frozenset[str]().union(*(g.tools for g in self._guards if g.tools))
        self._groups = [
            name for name in EFFECT_GROUPS if any(guard.kind == name for guard in self._guards)
        ]
        self._by_id = {form["id"]: guard for form, guard in zip(forms, self._guards, strict=True)}
        self._mentioned = Mentioned([name for guard in self._guards for name in guard.mentions])
        self._quiet = Quiet(self._guards, codegen, self._named, self._mentioned)
        self._selected: dict[object, _Selected] = {}

    def _kinds(self, effects: EffectSet) -> Mapping[str, list[Any]]:
        """The effects by kind, and by the groups that a guard looks at."""
        for group in self._groups:
            effects.of(group)
        return effects.by_kind

    def run(self, frame: Frame, effects: EffectSet) -> str | None:
        """Walk the guards; sets `frame.matches` and `frame.asks`. Gives the id of the guard that
        denies, or None."""
        kinds = self._kinds(effects)
        matches: list[Match] = []
        frame.matches = matches
        asks = "none"
        selected = self._select(frame.tool, kinds)
        silent = selected.silent
        key = None if silent is None else silent.key(frame, effects)
        if silent is not None and key is not None and silent.on(key):
            return None
        quiet = not selected.loud and self._quiet.surely(frame, kinds, selected.of_call)
        guards = selected.notes if quiet else selected.guards
        selected.loud = not quiet
        for guard in guards:
            kind = guard.kind
            if kind is not None and len(kinds[kind]) == 1:
                # `_value`, written out for what nearly every call comes to.
                effect = kinds[kind][0]
                value = guard.test(frame, effect)
            else:
                effect, value = self._value(guard, frame, kinds)
            if value is False:
                continue
            match = _match(guard, effect, value is not True)
            if guard.mild:
                match = self._mildly(guard, frame, kinds)
                if match is not None and not match.stands:
                    matches.append(match)
                    continue
            if match is None:
                continue
            matches.append(match)
            if match.decide == "deny":
                return str(self.forms[guard.index]["id"])
            if match.decide == "ask" and ASK_RANK[match.approval] > ASK_RANK[asks]:
                asks = match.approval
        for effect in kinds.get("opaque", ()):
            match = _not_understood(effect)
            matches.append(match)
            if match.decide == "deny":
                return BOUNDS_RULE
            asks = match.approval
        frame.asks = asks
        if len(matches) <= len(selected.notes):
            selected.loud = False
        if silent is not None and key is not None and not matches:
            silent.remember(key)
        return None

    def fires(self, guard: str, frame: Frame, effects: EffectSet) -> bool:
        """Whether a guard does anything on a call, judged alone."""
        kinds = self._kinds(effects)
        found = self._by_id.get(guard)
        if found is None or not found.concerns(frame.tool, kinds, _names(kinds)):
            return False
        effect, value = self._value(found, frame, kinds)
        if value is False:
            return False
        if found.exceptions:
            match = self._mildly(found, frame, kinds)
            return match is not None and not _excepted(match)
        # A note about something unknown is still silence.
        return value is True or _match(found, effect, True) is not None

    def every(self, frame: Frame, effects: EffectSet) -> Iterator[Match]:
        """What every guard comes to on every effect of its kind, each for itself, whatever decides
        the call. Counts no work but that of the conditions; raises TooMuchWorkError."""
        kinds = self._kinds(effects)
        for guard in self._select(frame.tool, kinds).guards:
            for bound in [()] if guard.kind is None else zip(kinds[guard.kind]):
                value = guard.test(frame, *bound)
                if value is False:
                    continue
                match = _match(guard, bound[0] if bound else None, value is not True)
                if match is None:
                    continue
                tests = guard.exceptions
                held = next((id_ for id_, test in tests if test(frame, *bound) is True), None)
                yield IdleMatch(match, guard.shadow, held) if guard.shadow or held else match
        for effect in kinds.get("opaque", ()):
            yield _not_understood(effect)

    @staticmethod
    def _value(guard: LiveGuard, frame: Frame, kinds: Mapping[str, list[Any]]) -> tuple[Any, Any]:
        """The effect that a guard fires on, or else the first it can't judge, and the value."""
        test = guard.test
        if guard.kind is None:
            return None, test(frame)
        doubtful: tuple[Any, Any] = (None, False)
        effects = kinds[guard.kind]
        frame.spend(len(effects))
        for effect in effects:
            value = test(frame, effect)
            if value is True:
                return effect, value
            if value is not False and doubtful[1] is False:
                doubtful = (effect, value)
        return doubtful

    @staticmethod
    def _mildly(guard: LiveGuard, frame: Frame, kinds: Mapping[str, list[Any]]) -> Match | None:
        """What a shadow, or a guard with exceptions, comes to: the first effect that it surely
        fires on, or else the first that it can't judge, or else the first that is excepted."""
        doubtful: Match | None = None
        held_back: Match | None = None
        effects = [()] if guard.kind is None else [(effect,) for effect in kinds[guard.kind]]
        frame.spend(len(effects) * len(guard.exceptions))
        for bound in effects:
            value = guard.test(frame, *bound)
            if value is False:
                continue
            match = _match(guard, bound[0] if bound else None, value is not True)
            if match is None:
                continue
            for id_, test in guard.exceptions:
                if test(frame, *bound) is True:
                    held_back = held_back or IdleMatch(match, guard.shadow, id_)
                    break
            else:
                match = IdleMatch(match, True, None) if guard.shadow else match
                if value is True:
                    return match
                doubtful = doubtful or match
        return doubtful or held_back

    def _select(self, tool: str, kinds: Mapping[str, list[Any]]) -> _Selected:
        """What concerns a tool's call with these kinds of effect and programs."""
        runs = kinds.get("run", ())
        programs: object = None
        # Only names that a guard speaks of: there is no end of others.
        if len(runs) == 1:
            programs = self._mentioned.of(runs[0].fields["program"])
        elif runs:
            programs = frozenset([self._mentioned.of(run.fields["program"]) for run in runs])
        key = (tool if tool in self._named else "", frozenset(kinds), programs)
        selected = self._selected.get(key)
        if selected is None:
            names = _names(kinds)
            guards = [guard for guard in self._guards if guard.concerns(tool, kinds, names)]
            active = [guard for guard in guards if guard.decide != "note"]
            of_call = self._quiet.of_call(active, kinds.keys(), set(map(self._mentioned.of, names)))
            selected = _Selected(guards, of_call, self._silent(guards, kinds))
            if len(self._selected) >= _MAX_CACHED:
                self._selected.clear()
            self._selected[key] = selected
        return selected

    def _silent(self, guards: list[LiveGuard], kinds: Iterable[str]) -> Silent | None:
        conditions = []
        for guard in guards:
            if guard.kind is None or not of_path(guard.when, guard.binder):
                return None
            conditions.append(guard.when)
        return Silent(kinds, conditions)


def _not_understood(effect: Any) -> Match:
    """What comes of an opaque effect: a deny where a bound was passed, else an ask."""
    return Match(-1, "deny" if effect.fields["bound"] else "ask", "person", effect, False)


def built_in_rule(match: Match) -> str:
    """The id of the built-in rule behind a match that is no guard's."""
    return BOUNDS_RULE if match.decide == "deny" else OPAQUE_RULE


def _names(kinds: Mapping[str, list[Any]]) -> set[Any]:
    return {effect.fields["program"] for effect in kinds.get("run", ())}


def _excepted(match: Match) -> bool:
    return isinstance(match, IdleMatch) and match.exception is not None


def _match(guard: LiveGuard, effect: Any, unresolved: bool) -> Match | None:
    if not unresolved:
        return Match(guard.index, guard.decide, guard.approval, effect, False)
    if guard.unresolved == "pass" or guard.decide == "note":
        return None
    if guard.unresolved == "deny":
        return Match(guard.index, "deny", guard.approval, effect, True)
    # What would be denied if it were known is not for a machine to wave through.
    approval = "person" if guard.decide == "deny" else guard.approval
    return Match(guard.index, "ask", approval, effect, True)
