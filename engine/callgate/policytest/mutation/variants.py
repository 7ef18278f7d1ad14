"""Programs of policies that differ from a recorded one in a few rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import orjson

from callgate.compiler.build import Settled, compile_policy, guard_form, settings_fold, settle
from callgate.compiler.memo import Memo, settings_read
from callgate.model.expr import Expr, facts_of
from callgate.model.graph import DecisionGraph, SourceMap, as_json
from callgate.model.policy import Guard, Policy
from callgate.policytest.mutation.recorded import Group
from callgate.runtime.guards import GuardSet
from callgate.runtime.interpreter import Program
from callgate.runtime.parts import PartsStore

__all__ = ["Base", "Variant", "alone", "reads"]

_FOLDED: Final = frozenset({"settings", "profiles", "security_profiles"})


def reads(guard: Guard) -> frozenset[str]:
    """The first words of the facts that a guard reads."""
    return frozenset(name.partition(".")[0] for expr in _exprs(guard) for name in facts_of(expr))


def _exprs(guard: Guard) -> Iterator[Expr]:
    """The expressions of a guard."""
    if guard.when is not None:
        yield guard.when.expr
    yield from (item.when.expr for item in guard.exceptions if item.when is not None)
    if guard.reason is not None:
        yield from (part for part in guard.reason.parts if isinstance(part, Expr))


class Base:
    """A policy whose variants are made, with what they share."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.settled: Settled = settle(policy)
        self.store = PartsStore()
        self.guards: Mapping[str, Guard] = {guard.id: guard for guard in policy.guards}


class Variant:
    """A policy that differs from another one in few of its rules."""

    def __init__(self, base: Base, policy: Policy) -> None:
        self.base = base
        self.policy = policy
        old = base.policy
        self.tables_changed = (
            policy.profiles != old.profiles or policy.security_profiles != old.security_profiles
        )
        self.risk_changed = policy.risk != old.risk
        self.invariants_changed = policy.invariants != old.invariants
        self.only_guards = not (
            self.tables_changed
            or self.risk_changed
            or self.invariants_changed
            or policy.flow != old.flow
            or policy.visibility != old.visibility
        )
        self.guards = {guard.id: guard for guard in policy.guards}
        self._reads: dict[str, tuple[str, ...]] = {}
        self._forms: dict[Any, dict[str, Any] | None] = {}
        self._graphs: dict[int, tuple[DecisionGraph, SourceMap]] = {}
        self._programs: dict[int, Program] = {}
        shared = not (self.changed or self.risk_changed or self.tables_changed)
        self._store = base.store if shared else PartsStore()

    @cached_property
    def changed(self) -> list[str]:
        """The ids of guards that are not as they were, or that may come to something else."""
        again = frozenset[str]()
        if self.risk_changed:
            again |= {"risk"}
        if self.tables_changed:
            again |= {"profiles", "security_profiles"}
        found = []
        for id_, guard in self.base.guards.items():
            other = self.guards.get(id_)
            if (guard is not other and guard != other) or (again and reads(guard) & again):
                found.append(id_)
        return found

    @property
    def same(self) -> bool:
        """Whether nothing that decides is different."""
        return self.only_guards and not self.changed and len(self.guards) == len(self.base.guards)

    @cached_property
    def first_step(self) -> int:
        """How many steps of the flow come before the first one that is not as it was; -1 where more
        than the flow is changed, so that any case may come to something else."""
        old, new = self.base.policy, self.policy
        if self.changed or self.risk_changed or self.tables_changed or self.invariants_changed:
            return -1
        if old.visibility != new.visibility:
            return -1
        pairs = zip(old.flow.steps, new.flow.steps, strict=False)
        return next(
            (n for n, (was, step) in enumerate(pairs) if was is not step and was != step),
            min(len(old.flow.steps), len(new.flow.steps)),
        )

    def settings_read(self) -> tuple[str, ...]:
        """The settings that changed guards and steps read."""
        exprs: list[Expr] = []
        for id_ in self.changed:
            for guards in (self.guards, self.base.guards):
                exprs += _exprs(guards[id_]) if id_ in guards else ()
        old, new = self.base.policy.flow.steps, self.policy.flow.steps
        for step in [step for step in (*old, *new) if step not in old or step not in new]:
            conditions = (step.when, step.asks_become_deny, *(rule.when for rule in step.rules))
            exprs += [condition.expr for condition in conditions if condition is not None]
        return settings_read(exprs)

    def form(self, id_: str, group: Group) -> dict[str, Any] | None:
        """A guard as it stands in the graph under a group's settings; None where it is not."""
        guard = self.guards.get(id_)
        if guard is None:
            return None
        names = self._reads.get(id_)
        if names is None:
            names = self._reads[id_] = settings_read(_exprs(guard))
        values = group.values
        key = (id_, *(orjson.dumps(values.get(name), dict) for name in names))
        if key not in self._forms:
            form = guard_form(guard, settings_fold(self.policy, values))
            self._forms[key] = None if form is None else as_json(form)
        return self._forms[key]

    def reads_settings(self, id_: str) -> bool:
        """Whether what a guard comes to is a matter of settings."""
        guards = (self.guards.get(id_), self.base.guards[id_])
        return any(guard is not None and bool(reads(guard) & _FOLDED) for guard in guards)

    def graph(self, group: Group) -> DecisionGraph:
        """The graph under a group's settings."""
        return self._compiled(group)[0]

    def program(self, group: Group) -> Program:
        """The policy under a group's settings, ready to run."""
        found = self._programs.get(id(group))
        if found is None:
            graph, sources = self._compiled(group)
            extractor = group.program.extractor
            found = Program(graph, sources, extractor=extractor, store=self._store)
            self._programs[id(group)] = found
        return found

    def _compiled(self, group: Group) -> tuple[DecisionGraph, SourceMap]:
        found = self._graphs.get(id(group))
        if found is None:
            found = compile_policy(self.policy, group.values, self._settled)
            self._graphs[id(group)] = found
        return found

    @cached_property
    def _settled(self) -> Settled:
        """What is the same under all settings: all that is not of what was changed."""
        known, memo = self.base.settled.memo, Memo()
        if not self.tables_changed:
            gone = {"guards", *(("guard", id_) for id_ in self.changed)}
            if self.risk_changed:
                gone.add("risk")
            memo.parts = {key: part for key, part in known.parts.items() if key[0] not in gone}  # type: ignore[index]
            memo.reads = {key: names for key, names in known.reads.items() if key not in gone}
            guards = (self.guards[id_] for id_ in self.changed if id_ in self.guards)
            exprs = (expr for guard in guards for expr in _exprs(guard))
            # Of a guard that is gone or reads less, more is known than is needed.
            of_guards = {*known.reads.get("guards", ()), *settings_read(exprs)}
            memo.reads["guards"] = tuple(sorted(of_guards))
        return replace(self.base.settled, memo=memo)


def alone(form: Mapping[str, Any] | None, group: Group) -> GuardSet | None:
    """A guard set of one guard, or None for none."""
    return None if form is None else GuardSet([form], group.program.codegen)
