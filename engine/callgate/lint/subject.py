"""What lint rules look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeVar

from callgate.lint.locating import Locator
from callgate.lint.parts import Part, parts_of
from callgate.lint.written import (
    Reason,
    RuleEntry,
    Written,
    conditions_in,
    names_read_in,
    reasons_in,
    rules_in,
)
from callgate.load.document import Document
from callgate.model.condition import Condition
from callgate.model.policy import Consult, Decide, Guard, Policy, Rule, RuleException, Step, Verdict
from callgate.model.span import Span
from callgate.policytest.cases import Case
from callgate.policytest.loaded import Loaded

__all__ = ["Place", "Role", "Subject", "may_allow"]

T = TypeVar("T")

Role = Literal["guard", "rule", "step", "asks-become", "exception", "invariant"]
"""What a condition belongs to: a guard, a rule or a step of a flow, what turns asks into denies, an
exception of a rule, an invariant."""


@dataclass(frozen=True, slots=True)
class Place:
    """A condition and what it belongs to.

    `owner`: the id of the rule, step, exception or invariant. `allows`: where it holds, a call may
    get through that otherwise would not. `each`: the binder and effect kind of a guard's `each`.
    """

    role: Role
    owner: str
    condition: Condition
    allows: bool = False
    each: tuple[str, str] | None = None
    tools: tuple[str, ...] | None = None

    @property
    def span(self) -> Span | None:
        """Where the condition stands."""
        return self.condition.span


@dataclass(frozen=True)
class Subject:
    """A bundle as rules look at it, at a moment (`now`, with a zone). Rules read `policy` only if
    they need one (`Rule.needs_policy`)."""

    loaded: Loaded
    now: datetime
    _memory: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, make: Callable[[Subject], T]) -> T:
        """What a function makes of the subject; made once, for all rules that need it."""
        if make not in self._memory:
            self._memory[make] = make(self)
        found: T = self._memory[make]
        return found

    @property
    def policy(self) -> Policy:
        """The typed policy. Raises ValueError where the bundle does not load."""
        policy = self.loaded.policy
        if policy is None:
            raise ValueError("the bundle does not load")
        return policy

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The bundle's own files, the manifest first."""
        bundle, own = self.loaded.bundle, self._own_files
        if bundle is None:
            return ()
        return (bundle.manifest, *(d for d in bundle.documents if d.file in own))

    def of_kind(self, kind: str) -> list[Document]:
        """Its own files of a kind."""
        return [document for document in self.documents if document.kind == kind]

    @property
    def cases(self) -> tuple[Case, ...]:
        """The policy tests, inherited ones too."""
        return self.loaded.cases

    def own(self, span: Span | None) -> bool:
        """Whether a place is in one of the bundle's own files."""
        return span is not None and span.file in self._own_files

    @cached_property
    def _own_files(self) -> frozenset[str]:
        return self.loaded.own_files

    @cached_property
    def names_read(self) -> frozenset[str]:
        """The words and dotted names that anything reads, in inherited files too: what is inherited
        may read what replaces it."""
        others = [item for item in self.loaded.documents if item.file not in self._own_files]
        return frozenset(
            names_read_in(
                (*self.written, *conditions_in(others)), (*self.reasons, *reasons_in(others))
            )
        )

    @cached_property
    def written(self) -> tuple[Written, ...]:
        """Every condition and expression of its own files, as it was written."""
        return tuple(conditions_in(self.documents))

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """Every reason of its own files, and the texts of its settings checks."""
        return tuple(reasons_in(self.documents))

    @cached_property
    def entries(self) -> tuple[RuleEntry, ...]:
        """The rules of its own files, as they were written."""
        return tuple(rules_in(self.documents))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps of both flows; those that both have, once."""
        policy = self.policy
        second = policy.visibility.flow.steps if policy.visibility else ()
        return tuple({id(step): step for step in (*policy.flow.steps, *second)}.values())

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of both flows, in order; those that both have, once."""
        found = (rule for step in self.steps for rule in step.rules)
        return tuple({rule.id: rule for rule in found}.values())

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every condition of guards, flows, exceptions and invariants, also inherited ones.

        Conditions of the vocabulary's facts and of `define:` are inlined where they are used.
        """
        return tuple(self._places())

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The comparisons and other parts of its own places."""
        return tuple(p for place in self.places if self.own(place.span) for p in parts_of(place))

    @cached_property
    def locator(self) -> Locator:
        """Where the literals of its conditions stand."""
        return Locator(self.written)

    def _places(self) -> Iterator[Place]:
        for guard in self.policy.guards:
            if guard.when is not None:
                yield Place("guard", guard.id, guard.when, False, guard.each, guard.tools)
            yield from _excepted(guard)
        for step in self.steps:
            if step.when is not None:
                yield Place("step", step.id, step.when)
            if step.asks_become_deny is not None:
                yield Place("asks-become", step.id, step.asks_become_deny)
        for rule in self.rules:
            if rule.when is not None:
                yield Place("rule", rule.id, rule.when, may_allow(rule), None, rule.tools)
            yield from _excepted(rule)
        for item in self.policy.invariants:
            yield Place("invariant", item.id, item.when)


def _excepted(rule: Guard | Rule) -> Iterator[Place]:
    each = rule.each if isinstance(rule, Guard) else None
    items: tuple[RuleException, ...] = rule.exceptions
    for item in items:
        if item.when is not None:
            yield Place("exception", item.id, item.when, True, each, rule.tools)


def may_allow(rule: Rule) -> bool:
    """Whether a rule of a flow can let a call through, at once or by somebody's answer."""
    outcomes = rule.then.answers.values() if isinstance(rule.then, Consult) else (rule.then,)
    return any(isinstance(o, Decide) and o.effect is Verdict.ALLOW for o in outcomes)
