"""The tools that there are, and what of them a model gets to see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import orjson

from callgate.tools.context import Host, ToolExecutionContext, call_context
from callgate.tools.registered import (
    Registered,
    RegistrationError,
    check_name,
    readiness,
    registered,
)
from callgate.tools.tool import Tool

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["Policy", "ToolRegistry"]

_NOTHING: Final = Host()


class Policy(Protocol):
    """What has a policy's current program: an Engine, or a LivePolicy."""

    @property
    def program(self) -> Program:
        """The program to judge by."""
        ...


class ToolRegistry:
    """Tools by name. `policy` hides tools from the model, and its aliases are understood; without
    one, nothing is hidden. Names are exact: `EXEC` is not `exec`. Raises TypeError for a
    policy that is none."""

    def __init__(self, policy: Policy | None = None) -> None:
        if policy is not None and (isinstance(policy, type) or not hasattr(policy, "program")):
            given = f"{policy!r:.80}" if isinstance(policy, str) else type(policy).__name__
            raise TypeError(f"`policy` is an Engine or a LivePolicy, or None, not {given}")
        self._policy = policy
        self._tools: dict[str, Registered] = {}
        self._aliases: dict[str, str] = {}

    @property
    def program(self) -> Program | None:
        """The policy's current program, if there is a policy."""
        return None if self._policy is None else self._policy.program

    def register(
        self,
        tool: Tool,
        *,
        aliases: Iterable[str] = (),
        mcp_server: str = "",
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a tool. `aliases`: other names for it. `mcp_server`, `annotations`: for a tool of an
        MCP server, which one, and its tool annotations. Raises RegistrationError if the name is
        taken, or the tool is not as the contract says."""
        entry = registered(tool, mcp_server, annotations)
        if isinstance(aliases, str):
            raise RegistrationError(f"`{entry.name}`: `aliases` is a list of names, not a text")
        others = tuple(check_name(alias) for alias in aliases)
        _check_risk(entry, self.program)
        names = (entry.name, *others)
        for name in names:
            if name in self._tools or name in self._aliases or names.count(name) > 1:
                raise RegistrationError(f"there is already a tool called `{name}`")
        # New dicts, so that whoever walks the old ones is not disturbed.
        self._tools = {**self._tools, entry.name: entry}
        self._aliases = {**self._aliases, **dict.fromkeys(others, entry.name)}

    def unregister(self, name: str) -> None:
        """Take a tool away, by its own name, with its aliases. Raises KeyError if there is none."""
        if name not in self._tools:
            raise KeyError(f"there is no tool `{name}`")
        self._tools = {key: entry for key, entry in self._tools.items() if key != name}
        self._aliases = {key: own for key, own in self._aliases.items() if own != name}

    def get(self, name: str) -> Tool | None:
        """The tool of a name or alias, or None."""
        entry = self.find(name)
        return None if entry is None else entry.tool

    def names(self) -> tuple[str, ...]:
        """The names of all tools, sorted, without aliases."""
        return tuple(sorted(self._tools))

    def find(self, name: str) -> Registered | None:
        """A tool as it was registered, by its name, its alias, or the policy's alias for it."""
        return self._tools.get(self.own_name(name))

    def own_name(self, name: str) -> str:
        """The name that a tool is registered under, for its name or alias; any other is itself."""
        if name in self._tools:
            return name
        if name in self._aliases:
            return self._aliases[name]
        program = self.program
        if program is not None:
            other = program.graph.document["aliases"].get(name)
            if other in self._tools:
                return str(other)
        return name

    def allows(self, context: ToolExecutionContext, name: str) -> bool:
        """Whether a context's `allowed_tools` hold a tool, by any of its names."""
        allowed = context.allowed_tools
        if allowed is None or name in allowed:
            return True
        own = self.own_name(name)
        return any(self.own_name(item) == own for item in allowed)

    def told(self, context: ToolExecutionContext, host: Host) -> dict[str, Any]:
        """The `context` of a call: see `call_context`. Of allowed tools their own names."""
        found = call_context(context, host)
        if "allowed_tools" in found:
            found["allowed_tools"] = sorted(
                {self.own_name(name) for name in found["allowed_tools"]}
            )
        return found

    def schemas(
        self,
        context: ToolExecutionContext | None = None,
        *,
        host: Host = _NOTHING,
        form: Literal["openai", "anthropic"] = "openai",
        missing: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """The tools to offer to a model in a context, in the form of its API: those that
        `allowed_tools` holds, that are ready, and that the policy does not hide. `missing`: what
        the host found missing of what the catalogue says tools need. Fresh copies, by name."""
        if form not in _FORMS:
            raise ValueError(f"the form is one of {', '.join(sorted(_FORMS))}")
        context = context or ToolExecutionContext()
        program = self.program
        told = self.told(context, host)
        found = []
        for name in self.names():
            entry = self._tools[name]
            if not self.allows(context, name) or not readiness(entry.tool)[0]:
                continue
            if program is None or _shown(program, entry, told, missing):
                found.append(_FORMS[form](entry))
        return found


def _check_risk(entry: Registered, program: Program | None) -> None:
    """Raise RegistrationError for a level that the policy does not have: it would count as none."""
    risk = None if program is None else program.graph.document["risk"]
    level = entry.risk_level
    if risk is not None and level is not None and level not in risk["levels"]:
        known = ", ".join(f"`{name}`" for name in risk["levels"])
        raise RegistrationError(f"`{entry.name}`: `risk_level` is one of {known}")


def _shown(
    program: Program, entry: Registered, context: dict[str, Any], missing: Sequence[str]
) -> bool:
    call: dict[str, Any] = {
        "tool": entry.name,
        "declared": entry.declared(program),
        "context": context,
        "observed": {"missing": list(missing)},
    }
    decision = program.visibility(call)
    return decision is None or decision.decision != "deny"


def _openai(entry: Registered) -> dict[str, Any]:
    function = {
        "name": entry.name,
        "description": entry.description,
        "parameters": _copy(entry.parameters.schema),
    }
    return {"type": "function", "function": function}


def _anthropic(entry: Registered) -> dict[str, Any]:
    return {
        "name": entry.name,
        "description": entry.description,
        "input_schema": _copy(entry.parameters.schema),
    }


def _copy(schema: dict[str, Any]) -> Any:
    return orjson.loads(orjson.dumps(schema))


_FORMS: Final = {"openai": _openai, "anthropic": _anthropic}
