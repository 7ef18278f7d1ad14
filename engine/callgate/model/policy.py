"""A whole policy, typed but not yet specialised: what the checker makes of a bundle's documents.

The reference evaluator runs on this; the compiler turns it, with settings, into a DecisionGraph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

from callgate.model.catalogue import DynamicTools, Masking, Risk, Tool, Vocabulary
from callgate.model.condition import Condition
from callgate.model.diagnostic import Severity
from callgate.model.expr import Expr
from callgate.model.gate import GateRules
from callgate.model.inheritance import Base, Replacement
from callgate.model.span import Span
from callgate.model.template import Template

__all__ = [
    "ANSWERS",
    "Answer",
    "AskLevel",
    "Consult",
    "Consultant",
    "Decide",
    "Example",
    "Flow",
    "Guard",
    "GuardDecision",
    "Invariant",
    "Members",
    "Next",
    "Policy",
    "Rule",
    "RuleException",
    "SettingsCheck",
    "SettingsExample",
    "Step",
    "Verdict",
    "Visibility",
]


class Verdict(StrEnum):
    """A decision's value, least strict first."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class GuardDecision(StrEnum):
    """What a guard does when it fires; a `note` decides nothing."""

    DENY = "deny"
    ASK = "ask"
    NOTE = "note"


class AskLevel(StrEnum):
    """How strong the asks are that a call carries, and how strong an allow must be to lift them."""

    NONE = "none"
    ANY = "any"
    PERSON = "person"


class Consultant(StrEnum):
    """Who is consulted."""

    GRANT = "grant"
    REVIEWER = "reviewer"
    HUMAN = "human"


ANSWERS: Final[Mapping[Consultant, tuple[str, ...]]] = {
    Consultant.GRANT: ("granted", "none"),
    Consultant.REVIEWER: ("approve", "deny", "escalate", "unavailable"),
    Consultant.HUMAN: ("once", "session", "session-all", "always", "deny", "timeout"),
}
"""Every answer that each of them may give."""


@dataclass(frozen=True, slots=True)
class Decide:
    """An outcome that ends the walk. An allow is taken only while the asks that are carried are at
    most `despite`; else the walk goes on."""

    effect: Verdict
    reason: Template | None = None
    despite: AskLevel = AskLevel.NONE


@dataclass(frozen=True, slots=True)
class Next:
    """An outcome that goes on with the next rule."""


Answer = Decide | Next


@dataclass(frozen=True, slots=True)
class Consult:
    """A question to somebody outside the walk, with an outcome for every answer (`ANSWERS`).

    `unavailable_when`: RE2 patterns; a reviewer's reply that one of them finds is no reply.
    """

    who: Consultant
    answers: Mapping[str, Answer]
    unavailable_when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleException:
    """Calls that a rule leaves alone for some time. It counts only where `when` is surely true and
    `observed.time` is known and before `until` (microseconds since 1970 UTC; `expires` is the text
    that says it)."""

    id: str
    when: Condition | None
    until: int
    expires: str
    owner: str = ""
    reason: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a flow. `tools`: only for calls of these tools (canonical names; None: all).
    `shadow`: what it would decide is put on record, and the walk goes on."""

    id: str
    title: str
    when: Condition | None
    then: Decide | Consult
    tools: tuple[str, ...] | None = None
    span: Span | None = field(default=None, compare=False)
    shadow: bool = False
    exceptions: tuple[RuleException, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a flow: where `when` holds, its rules in order, then `otherwise`.

    `guards`: the guard set is walked here, before the rules; `asks_become_deny` turns the asks it
    carries into a deny. `show`: a fact put into the trace, e.g. `risk`. `when` is never unknown.
    """

    id: str
    title: str
    rules: tuple[Rule, ...] = ()
    when: Condition | None = None
    otherwise: Decide | None = None
    guards: bool = False
    asks_become_deny: Condition | None = None
    show: Expr | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Flow:
    """Steps in order, and what is decided when none of them did."""

    steps: tuple[Step, ...]
    otherwise: Decide
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Visibility:
    """The second flow: which tools the model gets to see. Its rules deny where they hide, and its
    last word allows.

    `codes`: rule id → the reason code of what it hides. `passing`: ids of the rules that hide a
    tool and let calls of it pass.
    """

    flow: Flow
    codes: Mapping[str, str] = field(default_factory=dict)
    passing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Example:
    """A call that a guard must match (`fires`) or must pass, as the call's JSON."""

    call: Mapping[str, Any]
    fires: bool
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Guard:
    """A rule on effects. `each`: (binder, effect kind). `unresolved`: what it does where its
    condition is unknown; "ask" asks a person when the guard would deny. `shadow`: what it would do
    is put on record, and decides nothing. Exceptions are tried on every effect."""

    id: str
    title: str
    decide: GuardDecision
    when: Condition | None
    each: tuple[str, str] | None = None
    tools: tuple[str, ...] | None = None
    approval: AskLevel = AskLevel.ANY
    unresolved: Literal["ask", "deny", "pass"] = "ask"
    reason: Template | None = None
    examples: tuple[Example, ...] = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False)
    shadow: bool = False
    exceptions: tuple[RuleException, ...] = ()


@dataclass(frozen=True, slots=True)
class Invariant:
    """What must never be possible: a decision `never` for a call for which `when` holds."""

    id: str
    title: str
    never: Verdict
    when: Condition
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Members:
    """What a settings check goes over: the elements of a list or the keys of a map, by a name, of
    which those count for which `where` holds (None: all)."""

    name: str
    source: Expr
    where: Expr | None = None


@dataclass(frozen=True, slots=True)
class SettingsExample:
    """Settings that a check must find something in (`found`), or nothing."""

    settings: Mapping[str, Any]
    found: bool
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SettingsCheck:
    """A finding about an operator's settings, which the settings and the catalogue decide alone.

    `at`: the setting or section that it points to. `each`: it is tried for each of these members,
    and points to that entry. `select`: what it looks up first, under the name `selected`.
    """

    id: str
    title: str
    severity: Severity
    at: str
    message: Template
    help: Template
    each: Members | None = None
    select: Members | None = None
    when: Condition | None = None
    examples: tuple[SettingsExample, ...] = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Policy:
    """A bundle, typed. Guards are in bundle order. `extends`: the bundles that it builds on, the
    nearest first; `replacements`: what it and they replace in what they build on, without tests."""

    name: str
    version: str
    title: str
    vocabulary: Vocabulary
    flow: Flow
    tools: Mapping[str, Tool] = field(default_factory=dict)
    dynamic: tuple[DynamicTools, ...] = ()
    risk: Risk | None = None
    guards: tuple[Guard, ...] = ()
    programs: Mapping[str, Any] = field(default_factory=dict)
    languages: Mapping[str, Any] = field(default_factory=dict)
    masking: Masking = field(default_factory=Masking)
    profiles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    security_profiles: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()
    visibility: Visibility | None = None
    settings_checks: tuple[SettingsCheck, ...] = ()
    gate: GateRules = field(default_factory=GateRules)
    extends: tuple[Base, ...] = ()
    replacements: tuple[Replacement, ...] = ()
