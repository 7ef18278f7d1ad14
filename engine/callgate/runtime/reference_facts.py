"""What the facts of a call are: names, tool, risk and capabilities, settings, effects.

Precondition: the call is valid (docs/formats.md): known keys, right types, every required
argument that the policy reads. An invalid call is denied before any rule is looked at; that check
is not written a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callgate.model.call import CONTEXT_FIELDS, DECLARED_FIELDS
from callgate.model.catalogue import DynamicTools, Tool
from callgate.model.effect import EFFECT_SOURCES, EffectSet
from callgate.model.policy import AskLevel, Policy
from callgate.model.types import REQUIRED, Field, ListOf, MapOf, Record
from callgate.model.values import UNKNOWN
from callgate.runtime.reference_conditions import Matches, truth
from callgate.runtime.reference_values import EvaluationError, apply

__all__ = ["CallFacts"]


@dataclass
class CallFacts:
    """The facts of one call; calling it with a name gives the value.

    `asks` is the strongest ask that the guards have raised so far: the walk sets it.
    """

    policy: Policy
    settings: Mapping[str, Any]
    call: Mapping[str, Any]
    effects: EffectSet
    matches: Matches
    asks: AskLevel = AskLevel.NONE

    def __call__(self, name: str) -> Any:
        """The value of a fact by its dotted name; None where it is absent.

        Raises `EvaluationError` for a name that does not exist.
        """
        root, _, rest = name.partition(".")
        match root:
            case "call":
                return self._call(rest)
            case "args":
                return _section(self.call, "args").get(rest)
            case "declared" if rest in DECLARED_FIELDS:
                return _read(_section(self.call, "declared"), rest, DECLARED_FIELDS[rest])
            case "observed":
                return self._observed(rest)
            case "tool" if rest in ("needs", "reserved"):
                known = self.policy.tools.get(self.tool, Tool(self.tool))
                return getattr(known, rest)
            case "settings" if rest in self.settings:
                return self.settings[rest]
            case "effects" if rest == "complete":
                return self.effects.complete
            case "effects" if rest in EFFECT_SOURCES:
                return list(self.effects.of(rest))
            case "guards" if rest == "asks":
                return str(self.asks)
            case "risk":
                return self.risk
            case "capabilities":
                return self.capabilities
            case "profiles":
                return self.policy.profiles
            case "security_profiles":
                return self.policy.security_profiles
        raise EvaluationError(f"no fact `{name}`")

    @property
    def tool(self) -> str:
        """The tool's name in the catalogue, where the call uses an alias; else as called.

        Names are exact: `EXEC` is not `exec`.
        """
        called_as: str = self.call["tool"]
        if called_as in self.policy.tools:
            return called_as
        for tool in self.policy.tools.values():
            if called_as in tool.aliases:
                return tool.name
        return called_as

    @property
    def dynamic(self) -> list[DynamicTools]:
        """The entries of `dynamic` that recognise the tool, or may do so; for a tool of the
        catalogue only those that say they are about such tools, too."""
        return [
            entry
            for entry in self.policy.dynamic
            if (entry.listed or self.tool not in self.policy.tools)
            and truth(entry.when.expr, self, self.matches) is not False
        ]

    @property
    def capabilities(self) -> list[str]:
        """What the tool can do: as the catalogue says, and what it declares on top of that."""
        known = self.policy.tools.get(self.tool)
        found = list(known.capabilities) if known else []
        for entry in self.dynamic:
            found += entry.capabilities
        return list(dict.fromkeys([*found, *self("declared.capabilities")]))

    @property
    def risk(self) -> str:
        """The strictest level that any source gives: the tool's own, the declared one, the first
        of the `declared` rules that holds, and (upwards only) every `raise` rule that holds.
        Where none of the first three speaks: the default.

        What is unknown never lowers the risk: a rule that may hold counts, and so does what would
        count if it did not."""
        risk = self.policy.risk
        if risk is None:
            raise EvaluationError("the policy has no risk map")
        order = list(risk.levels.members)
        levels = []
        if self.tool in risk.tools:
            levels.append(risk.tools[self.tool])
        if self("declared.risk_level") in order:
            levels.append(self("declared.risk_level"))
        spoken = bool(levels)
        for rule in risk.declared:
            holds = self._applies(rule.tools) and self._truth(rule.when.expr)
            if holds is not False:
                levels.append(rule.level)
            if holds is True:
                spoken = True
                break
        if not spoken:
            levels.append(risk.default)
        for rule in risk.raises:
            if self._applies(rule.tools) and self._truth(rule.when.expr) is not False:
                levels.append(rule.level)
        return max(levels, key=order.index)

    def _applies(self, tools: tuple[str, ...] | None) -> bool:
        return tools is None or self.tool in tools

    def _truth(self, expr: Any) -> Any:
        return truth(expr, self, self.matches)

    def _call(self, name: str) -> Any:
        if name == "tool":
            return self.tool
        if name == "called_as":
            return self.call["tool"]
        if name not in CONTEXT_FIELDS:
            raise EvaluationError(f"no fact `call.{name}`")
        field = self.policy.vocabulary.call.get(name, CONTEXT_FIELDS[name])
        return _read(_section(self.call, "context"), name, field)

    def _observed(self, name: str) -> Any:
        """What the host saw. Nobody knows the time when it was not observed."""
        observed = _section(self.call, "observed")
        if name in ("dns", "links"):
            return observed.get(name) or {}
        if name == "missing":
            return observed.get(name) or []
        if name == "time":
            text = observed.get("time")
            return UNKNOWN if text is None else apply("time", (text,))
        raise EvaluationError(f"no fact `observed.{name}`")


def _section(call: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of the call; leaving it out, or null, is the same as leaving it empty."""
    return call.get(name) or {}


def _read(section: Mapping[str, Any], name: str, field: Field) -> Any:
    """A field's value; its default where it is absent (JSON null is absent)."""
    found = section.get(name)
    if found is not None:
        return found
    if field.default is REQUIRED:
        return None
    if field.default is None and isinstance(field.type, MapOf | Record):
        return {}
    if field.default is None and isinstance(field.type, ListOf):
        return ()
    return field.default
