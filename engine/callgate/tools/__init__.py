"""Tools of an agent, and what runs them through a gate.

`Tool` is what a tool inherits from, `ToolRegistry` holds the tools, `ToolRunner` runs a call: every
check, the gate, and then the tool. See docs/tools.md.
"""

from __future__ import annotations

from callgate.tools.context import Host, ToolExecutionContext
from callgate.tools.execution import Execution, Gate, current_execution
from callgate.tools.kinds import ErrorKind, ToolError
from callgate.tools.registered import RegistrationError
from callgate.tools.registry import ToolRegistry
from callgate.tools.replay import ReplayMemory, idempotency_key
from callgate.tools.responses import kind_of_response
from callgate.tools.runner import ToolRunner
from callgate.tools.tool import Tool, ToolResult

__all__ = [
    "ErrorKind",
    "Execution",
    "Gate",
    "Host",
    "RegistrationError",
    "ReplayMemory",
    "Tool",
    "ToolError",
    "ToolExecutionContext",
    "ToolRegistry",
    "ToolResult",
    "ToolRunner",
    "current_execution",
    "idempotency_key",
    "kind_of_response",
]
