"""What settings checks may ask of tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from callgate.compiler.build import settings_fold
from callgate.compiler.settings_outcomes import UNDECLARED, SettingsOutcomes, ToolOutcomes
from callgate.compiler.simplify import FALSE, TRUE, simplify
from callgate.model.catalogue import Tool
from callgate.model.condition import Condition
from callgate.model.expr import Const, Expr, Fact, children, facts_of
from callgate.model.policy import AskLevel, Guard, GuardDecision, Policy

__all__ = ["SettingsCatalogue", "recognises"]

_ANYTHING: Final = frozenset({"shell", "code"})
"""Texts that are analysed, and may have effects of any kind."""

_PATCHES: Final = frozenset({"read", "write", "delete"})


def recognises(policy: Policy) -> Callable[[str], bool]:
    """Whether a name outside the catalogue can be a tool's, going by the name alone."""

    def holding(name: str) -> set[str]:
        named = {**UNDECLARED, "call.tool": Const(name), "call.called_as": Const(name)}
        return {
            tools.id for tools in policy.dynamic if simplify(tools.when.expr, named.get) == TRUE
        }

    # What holds of any name, even of none, tells nothing about it.
    any_name = holding("") | holding("-")
    return lambda name: bool(holding(name) - any_name)


class SettingsCatalogue:
    """The facts `soft_blocks`, the guards whose asks any approval lifts, and `catalogue`: tool →
    risk, capabilities, needs, whether it is reserved, how many soft blocks may concern it, which
    reason code hides it and which rule denies all its calls.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._asks = [
            guard
            for guard in policy.guards
            if guard.decide is GuardDecision.ASK
            and guard.approval is AskLevel.ANY
            and not guard.shadow
        ]
        self._outcomes = SettingsOutcomes(policy)
        conditions = [guard.when for guard in self._asks if guard.when is not None]
        of_asks, of_outcomes = _read_by(conditions), _read_by(self._outcomes.conditions)
        self._depends = {"soft_blocks": of_asks, "hidden": of_outcomes, "denied": of_outcomes}
        self._made: dict[str, Mapping[str, Const]] = {}

    def under(self, settings: Mapping[str, Any]) -> Mapping[str, Const]:
        """Both facts under settings: a guard that they switch off asks nothing."""
        every = frozenset().union(*self._depends.values())
        key = repr([settings[name] for name in sorted(every)])
        if key not in self._made:
            fold = settings_fold(self._policy, settings)
            asks = [
                guard
                for guard in self._asks
                if guard.when is None or simplify(guard.when.expr, fold) != FALSE
            ]
            outcomes = self._outcomes.under(fold)
            tools = self._policy.tools
            entries = {name: self._entry(tool, asks, outcomes) for name, tool in tools.items()}
            self._made[key] = {
                "catalogue": Const(entries),
                "soft_blocks": Const(tuple(guard.id for guard in asks)),
            }
        return self._made[key]

    def reads(self, expr: Expr) -> frozenset[str]:
        """The settings on which an expression depends by what it asks of these facts."""
        found: frozenset[str] = frozenset()
        todo = [expr]
        while todo:
            node = todo.pop()
            name = node.name if isinstance(node, Fact) else getattr(node, "field", "")
            found |= self._depends.get(name, found)
            todo.extend(children(node))
        return found

    def _entry(self, tool: Tool, asks: list[Guard], outcomes: ToolOutcomes) -> _Entry:
        risk = self._policy.risk
        return _Entry(
            {
                "capabilities": lambda: tuple(tool.capabilities),
                "needs": lambda: tuple(tool.needs),
                "reserved": lambda: tool.reserved,
                "soft_blocks": lambda: sum(_concerns(guard, tool) for guard in asks),
                "risk": lambda: risk and risk.tools.get(tool.name, risk.default),
                "hidden": lambda: outcomes.hidden(tool),
                "denied": lambda: outcomes.denied(tool),
            }
        )


class _Entry(Mapping[str, Any]):
    """What is known of a tool, found out when it is asked for: a check asks of few tools."""

    def __init__(self, fields: Mapping[str, Callable[[], Any]]) -> None:
        self._fields = fields
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            self._found[name] = self._fields[name]()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


def _read_by(conditions: Iterable[Condition]) -> frozenset[str]:
    names = {name for condition in conditions for name in facts_of(condition.expr)}
    return frozenset(n.removeprefix("settings.") for n in names if n.startswith("settings."))


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
        or (effect.kind == "patch" and not wanted.isdisjoint(_PATCHES))
        for effect in tool.effects
    )
