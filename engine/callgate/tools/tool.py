"""The contract of a tool: what it says of itself, and what it gives back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from callgate.tools.context import ToolExecutionContext

__all__ = ["Tool", "ToolResult"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to.

    `output`: for the agent, where it succeeded. `error`: why it failed, in words for the agent.
    `error_kind`: a value of `ErrorKind`, or a word of the tool's own; "" where it succeeded.
    `metadata`: whatever else there is to say, for the host.
    """

    success: bool
    output: str = ""
    error: str = ""
    error_kind: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


class Tool:
    """What all tools inherit from. The attributes are set on the class, or on the instance before
    it is registered; a later change does not count.

    `name`: unique. `description`: what it does, for the model. `parameters`: a JSON Schema of an
    object. `timeout_seconds`: how long one attempt may take. `max_retries`: how many further
    attempts there are after one that failed. `stream_capable`: it has `stream`. `capabilities`:
    added to those that the policy knows it has. `risk_level`: counts where it is stricter than what
    the policy says; left at its default, it counts only for a tool that the policy does not know.
    """

    name: str = ""
    description: str = ""
    parameters: dict[str, Any] = {}  # noqa: RUF012 - the contract's default; never changed in place
    timeout_seconds: float = 30
    max_retries: int = 0
    stream_capable: bool = False
    capabilities: tuple[str, ...] = ()
    risk_level: str = "write"

    def is_ready(self) -> bool:
        """Whether what the tool depends on is there, such as a key or a service."""
        return True

    def readiness_detail(self) -> tuple[bool, str]:
        """Whether the tool is ready, and why not, in words."""
        return self.is_ready(), ""

    async def execute(
        self, params: dict[str, Any], ctx: ToolExecutionContext | None = None
    ) -> ToolResult:
        """Do it. `params` fit `parameters` and are the tool's own to change. An exception becomes a
        failed result; `ToolError` says of which kind."""
        raise NotImplementedError

    def stream(
        self, params: dict[str, Any], ctx: ToolExecutionContext | None = None
    ) -> AsyncIterator[str]:
        """Do it and give the output piece by piece: an async generator of texts (`async def` with
        `yield`), for a tool that is `stream_capable`."""
        raise NotImplementedError
