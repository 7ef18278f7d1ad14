"""The format of a call: which keys it may have, their types and defaults.

Source: the project's FORMATS (docs/formats.md). Everything that reads a call uses this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callgate.model.types import (
    BOOL,
    INT,
    JSON,
    STRING,
    TIME,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
)

__all__ = [
    "ANNOTATIONS",
    "CALL_KEYS",
    "CONTEXT_FIELDS",
    "DECLARED_FIELDS",
    "MAX_ARGS_DEPTH",
    "MAX_STRING",
    "OBSERVED_FIELDS",
]

MAX_ARGS_DEPTH: Final = 32
"""Containers nested deeper than this in a call decide deny."""

MAX_STRING: Final = 1_048_576
"""Strings longer than this many code points, in what the policy reads, decide deny."""

CALL_KEYS: Final = frozenset(
    {"id", "tool", "args", "declared", "context", "observed", "answers", "settings"}
)

CONTEXT_FIELDS: Final[Mapping[str, Field]] = {
    "channel": Field(STRING, "where the request came from", default=""),
    "sender_id": Field(STRING, "who sent it, as the channel names them", default=""),
    "origin": Field(
        STRING,
        "what started the turn: user, cron, inspection or worker",
        default="",
        known=("user", "cron", "inspection", "worker"),
    ),
    "unattended": Field(BOOL, "nobody is there to answer", default=False),
    "cron_authorized": Field(BOOL, "a person authorised this scheduled job", default=False),
    "nested": Field(BOOL, "called by a sub-agent", default=False),
    "session_key": Field(STRING, "the session; empty matches no grant", default=""),
    "user_id": Field(STRING, "the initiating user", default=""),
    "agent_id": Field(STRING, "the calling agent", default=""),
    "chat_id": Field(STRING, "the chat", default=""),
    "trace_id": Field(STRING, "end-to-end trace", default=""),
    "execution_id": Field(STRING, "this execution", default=""),
    "parent_execution_id": Field(Optional(STRING), "the execution that started it", default=None),
    "attempt_index": Field(INT, "retry index", default=0),
    "is_replay": Field(BOOL, "a replay, whose side effects are skipped", default=False),
    "idempotency_key": Field(STRING, "hash of trace, tool, index, parameters", default=""),
    "reply_to_id": Field(STRING, "the message to reply to", default=""),
    "inbound_event_id": Field(STRING, "the event that caused it", default=""),
    "memory_scope": Field(STRING, "the memory it may use", default=""),
    "allowed_tools": Field(
        Optional(ListOf(STRING)),
        "tools allowed in this execution; null: no restriction",
        default=None,
    ),
    "cwd": Field(STRING, "the working folder", default=""),
    "workspace": Field(STRING, "the agent's workspace", default=""),
    "home": Field(STRING, "the home folder; empty stays symbolic", default=""),
    "groups": Field(ListOf(STRING), "the sender's groups", default=()),
    "environment": Field(STRING, "production, staging …", default=""),
    "extra": Field(MapOf(JSON), "whatever else the host wants to say", default=None),
}
"""Fields of `context`, which conditions read as `call.<field>`."""

ANNOTATIONS: Final = Record(
    "annotations",
    {
        name: Field(Optional(BOOL), doc, default=None)
        for name, doc in {
            "destructiveHint": "the tool may destroy something",
            "readOnlyHint": "the tool changes nothing",
            "idempotentHint": "calling it twice is as calling it once",
            "openWorldHint": "the tool talks to the outside",
        }.items()
    },
)
"""MCP's tool annotations; other keys are let through unread."""

DECLARED_FIELDS: Final[Mapping[str, Field]] = {
    "risk_level": Field(STRING, "the risk the tool's class declares", default=""),
    "capabilities": Field(ListOf(STRING), "the capabilities it declares", default=()),
    "mcp_server": Field(STRING, "the MCP server it comes from", default=""),
    "annotations": Field(ANNOTATIONS, "MCP tool annotations", default=None),
}

OBSERVED_FIELDS: Final[Mapping[str, Field]] = {
    "dns": Field(MapOf(ListOf(STRING)), "host to addresses", default=None),
    "links": Field(MapOf(STRING), "path to where its links lead", default=None),
    "time": Field(TIME, "when the call is made", unknown=True, default=None),
    "missing": Field(ListOf(STRING), "what the host found missing, by its name", default=()),
}
