"""What settings checks may ask of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from callgate.compiler.build import settings_fold
from callgate.compiler.simplify import FALSE, TRUE, facts_of, simplify
from callgate.model.call import DECLARED_FIELDS
from callgate.model.catalogue import Tool
from callgate.model.expr import Const
from callgate.model.policy import AskLevel, Guard, GuardDecision, Policy
from callgate.model.types import REQUIRED

__all__ = ["SettingsCatalogue", "recognises"]

_ANYTHING: Final = frozenset({"shell", "code"})
"""Texts that are analysed, and may have effects of any kind."""


def recognises(policy: Policy) -> Callable[[str], bool]:
    """Whether a name outside the catalogue can be a tool's, going by the name alone."""
    known = {
        f"declared.{name}": Const(field.default)
        for name, field in DECLARED_FIELDS.items()
        if field.default is not REQUIRED
    }

    def recognised(name: str) -> bool:
        named = {**known, "call.tool": Const(name), "call.called_as": Const(name)}
        return any(simplify(tools.when.expr, named.get) == TRUE for tools in policy.dynamic)

    return recognised


class SettingsCatalogue:
    """The facts `soft_blocks`, the guards whose asks any approval lifts, and `catalogue`: tool →
    risk, capabilities, needs, whether it is reserved, and how many soft blocks may concern it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._asks = [
            guard
            for guard in policy.guards
            if guard.decide is GuardDecision.ASK
            and guard.approval is AskLevel.ANY
            and not guard.shadow
        ]
        self._reads = sorted(
            name.removeprefix("settings.")
            for guard in self._asks
            if guard.when is not None
            for name in facts_of(guard.when.expr)
            if name.startswith("settings.")
        )
        self._made: dict[str, Mapping[str, Const]] = {}

    def under(self, settings: Mapping[str, Any]) -> Mapping[str, Const]:
        """Both facts under settings: a guard that they switch off asks nothing."""
        key = repr([settings[name] for name in self._reads])
        if key not in self._made:
            fold = settings_fold(self._policy, settings)
            asks = [
                guard
                for guard in self._asks
                if guard.when is None or simplify(guard.when.expr, fold) != FALSE
            ]
            tools = self._policy.tools.values()
            self._made[key] = {
                "catalogue": Const({tool.name: self._entry(tool, asks) for tool in tools}),
                "soft_blocks": Const(tuple(guard.id for guard in asks)),
            }
        return self._made[key]

    def _entry(self, tool: Tool, asks: list[Guard]) -> dict[str, Any]:
        risk = self._policy.risk
        return {
            "capabilities": tuple(tool.capabilities),
            "needs": tuple(tool.needs),
            "reserved": tool.reserved,
            "soft_blocks": sum(_concerns(guard, tool) for guard in asks),
            "risk": None if risk is None else risk.tools.get(tool.name, risk.default),
        }


def _concerns(guard: Guard, tool: Tool) -> bool:
    """Whether a guard may fire on a tool's call, going by the effects that its arguments have."""
    if guard.tools is not None and tool.name not in guard.tools:
        return False
    if guard.each is not None:
        wanted = {guard.each[1]}
    else:
        facts = set() if guard.when is None else facts_of(guard.when.expr)
        wanted = {name.partition(".")[2] for name in facts if name.startswith("effects.")}
    return not wanted or any(
        effect.kind in _ANYTHING
        or effect.kind in wanted
        or (effect.kind == "paths" and effect.fields.get("as", ("const", ""))[1] in wanted)
        for effect in tool.effects
    )
