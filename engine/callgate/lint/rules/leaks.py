"""Reasons that print what the agent wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.trees import chain
from callgate.lint.written import Reason
from callgate.model.catalogue import ToolEffect
from callgate.model.effect import EFFECT_KINDS
from callgate.model.syntax import Lookup, Otherwise, Syntax, Value

__all__ = ["LeakingReason"]

_BOUNDS: Final = frozenset({"enum", "const", "pattern", "format", "maxLength"})
"""What says of a text in a JSON Schema that it can't be anything."""


_FREE_FIELDS: Final = {
    "environment": frozenset({"value"}),
    "run": frozenset({"operands", "words"}),
    "schedule": frozenset({"text"}),
}
"""Fields of effects in which anything may stand: values, and whole commands."""

_EACH: Final = re.compile(r"\s*(\w+)\s+in\s+effects\.(\w+)\s*")


class LeakingReason(Rule):
    """A reason that shows a whole argument, or a part of an effect, in which anything may stand.

    It ends up in messages, prompts and records, where a key or an instruction to whoever reads it
    would stand as well.
    """

    code = "L304"
    name = "leaking-reason"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        free = _free_arguments(subject)
        names = tuple(name.lower() for name in subject.policy.masking.names)
        for reason in subject.reasons:
            if reason.document.kind == "settings-checks":
                continue
            rule = _rule(reason)
            tools = frozenset(rule["tools"]) if "tools" in rule else None
            bound = _EACH.fullmatch(str(rule.get("each", "")))
            for tree, positions in reason.slots:
                shown = _shown(tree)
                why = _why(shown, free, tools, names) or _why_of_effect(shown, bound)
                if why:
                    yield self.found(
                        f"the reason shows `{shown}`, {why}",
                        reason.span(*positions[tree.at]),
                        "name the tool, a path or a host, or say it in words",
                    )


def _shown(tree: Syntax) -> str:
    """The name whose whole value a slot shows; "" where it shows something made of values."""
    while isinstance(tree, Otherwise):
        tree = tree.base
    if isinstance(tree, Lookup) and isinstance(tree.key, Value):
        return f"{chain(tree.base)}.{tree.key.value}"
    return chain(tree)


def _why(
    shown: str,
    free: Mapping[str, set[str]],
    tools: frozenset[str] | None,
    names: tuple[str, ...],
) -> str:
    root, _, rest = shown.partition(".")
    if root == "args":
        if not rest:
            return "all arguments of the call"
        if any(name in rest.lower() for name in names):
            return "which is masked by its name"
        if free.get(rest, set()) & (tools if tools is not None else free.get(rest, set())):
            return "in which the agent may write anything"
    if root == "settings" and any(name in rest.lower() for name in names):
        return "which is masked by its name"
    return ""


def _why_of_effect(shown: str, bound: re.Match[str] | None) -> str:
    binder, _, name = shown.partition(".")
    if bound is None or binder != bound[1] or name not in _FREE_FIELDS.get(bound[2], ()):
        return ""
    return "in which the agent may write anything"


def _rule(reason: Reason) -> dict[str, Any]:
    """The rule, or what else of its file, that gives a reason."""
    rule: Any = reason.document.data
    for step in reason.path[:-1]:
        rule = rule[step]
    return rule if isinstance(rule, dict) else {}


def _free_arguments(subject: Subject) -> dict[str, set[str]]:
    """Argument → the tools that take any text in it."""
    free: dict[str, set[str]] = {}
    for name, tool in subject.policy.tools.items():
        read, named = _of_effects(tool.effects)
        properties = tool.parameters.get("properties") or {}
        for argument, schema in properties.items():
            if isinstance(schema, Mapping) and schema.get("type") == "string":
                if argument not in named and not _BOUNDS & schema.keys():
                    free.setdefault(argument, set()).add(name)
        for argument in read:
            free.setdefault(argument, set()).add(name)
    return free


def _of_effects(effects: tuple[ToolEffect, ...]) -> tuple[set[str], set[str]]:
    """Arguments that are read as commands, code and patches, and those that name something."""
    read: set[str] = set()
    named: set[str] = set()
    for effect in effects:
        for field, value in effect.fields.items():
            if value[0] == "arg":
                free = field == "text" and effect.kind not in EFFECT_KINDS
                (read if free else named).add(value[1])
    return read, named
