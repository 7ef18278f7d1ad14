"""Hypothesis strategies for the language and the engine.

`bundles()` draws a whole bundle: the text of its rule files, and the policy that they mean. Both
are drawn together, so what the loader and the checker make of the text can be compared with what
was meant. `settings_values()`, `calls()`, `effect_sets()` draw what such a policy is asked about;
`conditions(scope_of(…))` draws a well-typed condition.

`SEED` is the seed of the long tests: `CALLGATE_SEED` in the environment, else random. Failures
print it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from callgate.model.catalogue import Derived, DynamicTools, Risk, ToolEffect, Vocabulary
from callgate.model.condition import Condition
from callgate.model.expr import Apply, Const, Fact, Not
from callgate.model.policy import Decide, Flow, Guard, Policy, Step, Verdict
from callgate.model.types import BOOL, Enum
from tests.strategies_outcomes import Written
from tests.strategies_pick import Pick, picked
from tests.strategies_rules import FOCUS, Phase, Style, focused_step, guard, risk_map, step
from tests.strategies_scope import EnumWords, Scope, Term, literal
from tests.strategies_terms import EFFECT_NAMES, condition, conditions, effect_terms
from tests.strategies_text import MCP, Files, forms_of
from tests.strategies_values import (
    calls,
    effect_set,
    effect_sets,
    effects,
    known_value,
    matches,
    nested,
    settings_values,
)
from tests.strategies_visibility import hidden_step, known_to_hiding, visibility
from tests.strategies_world import (
    CALL_FIELDS,
    ENUMS,
    HOMES,
    LEVELS,
    LISTS,
    SETTINGS,
    TOOLS,
    scope_of,
)

__all__ = [
    "FOCUS",
    "SEED",
    "Bundle",
    "EnumWords",
    "Files",
    "Scope",
    "Style",
    "Term",
    "bundles",
    "calls",
    "conditions",
    "effect_conditions",
    "effect_set",
    "effect_sets",
    "effects",
    "forms_of",
    "guard_conditions",
    "known_value",
    "literal",
    "matches",
    "nested",
    "scope_of",
    "settings_values",
    "with_defaults",
    "world",
]

SEED: Final = int(os.environ.get("CALLGATE_SEED") or random.SystemRandom().randrange(2**32))


@dataclass(frozen=True, repr=False)
class Bundle(Files):
    """A bundle's files, and the policy that they mean."""

    policy: Policy


def with_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of the world: those given, the others with their defaults; maps merge."""
    merged = {s.name: s.field.default for s in SETTINGS.values()}
    for name, value in values.items():
        merged[name] = {**merged[name], **value} if isinstance(value, dict) else value
    return merged


def _mcp_tools() -> DynamicTools:
    """The tools of servers: they declare one."""
    expr = Not(Apply("eq", (Fact("declared.mcp_server"), Const(""))))
    effect = ToolEffect("paths", {"as": ("const", "write")})
    return DynamicTools("mcp", Condition(MCP["when"], expr), ("can.call",), (effect,), listed=True)


VOCABULARY: Final = Vocabulary(ENUMS, CALL_FIELDS, SETTINGS, {}, LISTS, homes=HOMES)


def world(
    guards: tuple[Guard, ...],
    steps: tuple[Step, ...],
    otherwise: Verdict = Verdict.DENY,
    risk: Risk | None = None,
) -> Policy:
    """A policy of these rules over the small world's vocabulary and tools."""
    return Policy(
        "generated",
        "1.0.0",
        "Generated",
        VOCABULARY,
        Flow(steps, Decide(otherwise)),
        TOOLS,
        (_mcp_tools(),),
        risk or Risk(Enum("risk", LEVELS, ordered=True), {}, LEVELS[0]),
        guards,
    )


def _defined(pick: Pick, names: tuple[str, ...]) -> list[tuple[str, Term]]:
    """Named conditions, which read no effects and are never unknown."""
    scope = scope_of().reading(unknown=False)
    return [(name, condition(pick, scope, depth=1)) for name in names if pick.flip()]


def _bundle(pick: Pick, style: Style | None = None, guard_count: int = 5) -> Bundle:
    """A bundle of vocabulary, tools, risk map, guards and flow."""
    style = style or Style()
    derived = [] if style.focused else _defined(pick, ("busy", "calm"))
    defined = [] if style.focused else _defined(pick, ("quiet", "loud"))
    known = tuple(Term(name, term.expr) for name, term in derived)
    in_flow = tuple(Term(name, term.expr) for name, term in (*derived, *defined))
    guard_style, flow_style = replace(style, defined=known), replace(style, defined=in_flow)
    risk = risk_map(pick)
    count = pick.number(1 if style.focused else 0, guard_count)
    guard_rules = [guard(pick, f"g{n}", guard_style) for n in range(count)]
    if style.focused:
        guards = Step("guards", "guards", guards=True)
        form = {"id": "guards", "title": "guards", "guards": "all"}
        walked = [Written(form, guards), focused_step(pick, style)]
    else:
        phases: list[tuple[str, Phase]] = [("early", "before")] if count and pick.flip() else []
        phases += [("guards", "here")] if count else []
        phases += [(f"s{n}", "after" if count else "without") for n in range(pick.number(1, 3))]
        walked = [step(pick, name, flow_style, phase) for name, phase in phases]
    hiding = None
    if not style.focused and pick.flip():
        hiding = visibility(pick, known_to_hiding(derived))
        walked = [hidden_step(hiding), *walked]
    last = pick.of(("deny", "deny", "ask"))
    forms = forms_of(
        [rule.form for rule in guard_rules],
        [part.form for part in walked],
        last,
        risk.form,
        {name: term.text for name, term in derived},
        {name: term.text for name, term in defined},
        hiding and hiding.form,
    )
    policy = replace(
        world(
            tuple(rule.model for rule in guard_rules),
            tuple(part.model for part in walked),
            Verdict(last),
            risk.model,
        ),
        visibility=hiding and hiding.model,
        vocabulary=replace(
            VOCABULARY,
            derived={
                name: Derived(name, term.expr, BOOL, text=term.text) for name, term in derived
            },
        ),
    )
    return Bundle(forms, policy)


def _guard_condition(pick: Pick) -> tuple[str, str, Term]:
    """A tool (none: any), an effect kind, and a condition on an effect `e` of the kind."""
    tool = pick.of(("", *TOOLS))
    kind = pick.of((*EFFECT_NAMES, "run", "run"))
    scope = scope_of((tool,) if tool else None, args=pick.flip()).reading("up")
    return tool, kind, condition(pick, effect_terms(scope, kind, "e"), depth=2)


def _effect_condition(pick: Pick) -> Term:
    """A condition that reads effects in any direction."""
    scope = scope_of(args=pick.flip())
    return condition(pick, scope.daring(), depth=3)


bundles = picked(_bundle)
guard_conditions = picked(_guard_condition)
effect_conditions = picked(_effect_condition)
