"""A small policy, a gate over it that answers from the policy alone, and a few tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from callgate.gate.approval import Approval
from callgate.gate.frozen_call import freeze
from callgate.model.catalogue import Tool as Known
from callgate.model.expr import And, Fact
from callgate.runtime.interpreter import Program
from callgate.tools import Tool, ToolExecutionContext, ToolRegistry, ToolResult, ToolRunner
from tests import small

T = TypeVar("T")
Execute = Callable[[dict[str, Any], ToolExecutionContext], Any]

RULES = (
    small.rule("locked", small.eq("call.channel", "locked"), "deny"),
    small.rule("nested", And((Fact("call.nested"), small.eq("risk", "exec"))), "deny"),
    small.rule("unattended", And((Fact("call.unattended"), small.eq("risk", "exec"))), "deny"),
    small.rule("low", small.among("risk", "read_only", "write"), "allow"),
    small.rule("cli", small.among("call.channel", "cli"), "allow"),
)


def policed() -> Program:
    """Reads and writes pass, `exec` passes on the channel cli, everything else asks."""
    tools = {name: Known(name) for name in small.TOOLS}
    tools["write_file"] = Known("write_file", aliases=("save",))
    return small.program(small.policy(*RULES, tools=tools))


class SmallGate:
    """A gate that knows a policy and nobody to ask. `calls`: what it was asked; `changed`: what its
    approvals say when they are looked at again; `hold`: waited for before answering."""

    def __init__(self, program: Program | None = None) -> None:
        self.program = program or policed()
        self.calls: list[dict[str, Any]] = []
        self.declarations: list[str] = []
        self.changed: list[str] = []
        self.hold: asyncio.Event | None = None

    async def check(self, call: dict[str, Any], /, *, declaration: str = "") -> Approval:
        self.calls.append(call)
        self.declarations.append(declaration)
        frozen = freeze(call, self.program.graph.document["aliases"])
        decision = self.program.decide(frozen.copy)
        if self.hold is not None:
            await self.hold.wait()
        if decision.decision != "allow":
            kind: Any = "approval_pending" if decision.decision == "ask" else "policy"
            return Approval(False, decision, frozen.call, reason=decision.reason, kind=kind)

        async def recheck() -> str:
            return self.changed.pop(0) if self.changed else ""

        return Approval(
            True,
            decision,
            frozen.call,
            frozenset({decision.frame.tool}),
            "auto",
            rechecker=recheck,
        )


class Made(Tool):
    """A tool that does what a function does. `seen`: the parameters and contexts that it got."""

    def __init__(self, name: str, execute: Execute | None = None, **attributes: Any) -> None:
        self.name = name
        self.seen: list[tuple[dict[str, Any], ToolExecutionContext]] = []
        self._does = execute
        for key, value in attributes.items():
            setattr(self, key, value)

    async def execute(
        self, params: dict[str, Any], ctx: ToolExecutionContext | None = None
    ) -> ToolResult:
        assert ctx is not None
        self.seen.append((params, ctx))
        if self._does is None:
            return ToolResult(True, output=f"{self.name} done")
        found = self._does(params, ctx)
        result: ToolResult = await found if asyncio.iscoroutine(found) else found
        return result


class House:
    """A registry, a gate and a runner of these tools."""

    def __init__(self, *tools: Tool, **options: Any) -> None:
        self.gate = SmallGate()
        self.registry = ToolRegistry(self.gate)
        for tool in tools:
            self.registry.register(tool)
        self.runner = ToolRunner(self.registry, self.gate, **options)

    def run(self, name: str, params: Any = None, context: Any = None, **options: Any) -> ToolResult:
        """One call, in an event loop of its own."""
        return run(self.runner.run(name, params or {}, context, **options))


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine."""
    return asyncio.run(asyncio.wait_for(work, 30))
