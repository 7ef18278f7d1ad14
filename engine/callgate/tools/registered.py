"""A tool as it was when it was registered: what counts of what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.runtime.masking import escape
from callgate.tools.parameters import Parameters
from callgate.tools.patterns import SchemaRefusedError
from callgate.tools.tool import Tool

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = [
    "Registered",
    "RegistrationError",
    "check_name",
    "readiness",
    "registered",
]

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", re.ASCII)
_LONGEST_TIMEOUT: Final = 86_400
_MOST_RETRIES: Final = 100


class RegistrationError(ValueError):
    """A tool that can't be registered, and why."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A tool with copies of what it says of itself. `risk_level` is None where the class leaves it
    at its default; `default_risk` is that default. `mcp_server`, `annotations`: what the host knows
    of where it comes from. `digest`: the sha256, in hex, of the description and the schema of a
    tool of an MCP server, which grants are bound to; "" of any other."""

    tool: Tool
    name: str
    description: str
    parameters: Parameters
    timeout_seconds: float
    max_retries: int
    stream_capable: bool
    capabilities: tuple[str, ...]
    risk_level: str | None
    default_risk: str
    mcp_server: str
    annotations: Mapping[str, Any]
    digest: str

    def declared(self, program: Program | None) -> dict[str, Any]:
        """The `declared` section of a call. `program`: the policy's, which knows some tools."""
        found: dict[str, Any] = {}
        risk = self.risk_level
        if risk is None and not self.mcp_server and not _known(program, self.name):
            risk = self.default_risk
        if risk:
            found["risk_level"] = risk
        if self.capabilities:
            found["capabilities"] = list(self.capabilities)
        if self.mcp_server:
            found["mcp_server"] = self.mcp_server
        if self.annotations:
            found["annotations"] = dict(self.annotations)
        return found


def registered(
    tool: Tool, mcp_server: str = "", annotations: Mapping[str, Any] | None = None
) -> Registered:
    """Check a tool and copy what it says. Raises RegistrationError."""
    if not isinstance(tool, Tool):
        what = f"the class {tool.__name__}" if isinstance(tool, type) else type(tool).__name__
        raise RegistrationError(f"a tool is an instance of Tool, not {what}")
    name = check_name(tool.name)
    shown = f"`{name}`"
    _demand(type(tool).execute is not Tool.execute, f"{shown} has no `execute`")
    streams = tool.stream_capable
    _demand(type(streams) is bool, f"{shown}: `stream_capable` is true or false")
    _demand(
        not streams or type(tool).stream is not Tool.stream,
        f"{shown} is `stream_capable` and has no `stream`",
    )
    _demand(isinstance(tool.description, str), f"{shown}: `description` is a text")
    seconds, retries = tool.timeout_seconds, tool.max_retries
    _demand(
        type(seconds) in (int, float) and 0 < seconds <= _LONGEST_TIMEOUT,
        f"{shown}: `timeout_seconds` is a number above 0, at most {_LONGEST_TIMEOUT}",
    )
    _demand(
        type(retries) is int and 0 <= retries <= _MOST_RETRIES,
        f"{shown}: `max_retries` is an integer from 0 to {_MOST_RETRIES}",
    )
    _demand(
        isinstance(tool.capabilities, tuple | list)
        and all(isinstance(item, str) and item for item in tool.capabilities),
        f"{shown}: `capabilities` is a tuple of names",
    )
    _demand(
        isinstance(tool.risk_level, str) and tool.risk_level != "",
        f"{shown}: `risk_level` is the name of a level",
    )
    try:
        parameters = Parameters(tool.parameters)
    except SchemaRefusedError as error:
        raise RegistrationError(f"{shown}: its schema can't be used: {error}") from None
    try:
        hints = orjson.loads(orjson.dumps(dict(annotations or {})))
    except TypeError:
        raise RegistrationError(f"{shown}: its annotations are not JSON") from None
    said = {"description": tool.description, "parameters": parameters.schema}
    digest = sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Registered(
        tool,
        name,
        tool.description,
        parameters,
        float(seconds),
        retries,
        streams,
        tuple(tool.capabilities),
        tool.risk_level if _says_risk(tool) else None,
        Tool.risk_level,
        mcp_server,
        hints,
        digest if mcp_server else "",
    )


def check_name(name: Any) -> str:
    """A name that models and policies can use; raises RegistrationError for any other."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        shown = escape(str(name))[:80]
        raise RegistrationError(
            f"`{shown}` is no name: letters, digits, `_`, `-` and `.`, at most 128 of them"
        )
    return name


def readiness(tool: Tool) -> tuple[bool, str]:
    """Whether a tool is ready by both its ways to say so, and why not. Never raises."""
    try:
        ready, why = tool.readiness_detail()
        return bool(ready) and bool(tool.is_ready()), str(why)
    except Exception as error:
        return False, f"its readiness could not be checked ({type(error).__name__})"


def _demand(holds: bool, message: str) -> None:
    if not holds:
        raise RegistrationError(message)


def _says_risk(tool: Tool) -> bool:
    """Whether the tool sets its risk level, be it to the default's value."""
    own = {} if not hasattr(tool, "__dict__") else vars(tool)
    classes = type(tool).__mro__
    above = classes[: classes.index(Tool)]
    return "risk_level" in own or any("risk_level" in vars(cls) for cls in above)


def _known(program: Program | None, name: str) -> bool:
    """Whether the policy's risk map knows a tool, by its name or an alias."""
    if program is None:
        return False
    document = program.graph.document
    risk = document["risk"]
    return risk is not None and document["aliases"].get(name, name) in risk["tools"]
