"""Where a call comes from, as the tool and the gate are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final

__all__ = ["Host", "ToolExecutionContext", "call_context", "inherit"]


# What a wrong value of a field is told to be.
_FIELDS: Final[tuple[tuple[str, Any, str], ...]] = (
    *(
        (name, str, "a text")
        for name in (
            *("execution_id", "trace_id", "session_key", "memory_scope", "user_id", "agent_id"),
            *("idempotency_key", "approval_source", "channel", "chat_id", "reply_to_id"),
            "inbound_event_id",
        )
    ),
    *((name, bool, "True or False") for name in ("is_replay", "unattended", "cron_authorized")),
    ("attempt_index", int, "a number"),
    ("parent_execution_id", (str, type(None)), "a text or None"),
    ("credentials", Mapping, "a mapping"),
)


@dataclass(frozen=True, slots=True)
class ToolExecutionContext:
    """The origin and the permissions of one execution. Frozen; made by the runner from what the
    host gives, which leaves the fields of the execution itself (`execution_id`, `attempt_index`,
    `idempotency_key`, `approved_actions`, `approval_source`) at their defaults.

    `allowed_tools`: None is no restriction, an empty set is none at all. `approval_source`:
    "human" only if a person approved this very call, "auto" for every other pass, "" before the
    gate has answered. `credentials` are copied, can't be changed here, and never show in the
    context's text. Raises TypeError for a field of another type, and for `allowed_tools` that are
    no collection of names.
    """

    execution_id: str = ""
    trace_id: str = ""
    session_key: str = ""
    memory_scope: str = ""
    user_id: str = ""
    agent_id: str = ""
    attempt_index: int = 0
    idempotency_key: str = ""
    is_replay: bool = False
    parent_execution_id: str | None = None
    credentials: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    approved_actions: frozenset[str] = frozenset()
    approval_source: str = ""
    allowed_tools: frozenset[str] | None = None
    channel: str = ""
    chat_id: str = ""
    reply_to_id: str = ""
    unattended: bool = False
    cron_authorized: bool = False
    inbound_event_id: str = ""

    def __post_init__(self) -> None:
        for name, wanted, said in _FIELDS:
            value = getattr(self, name)
            if not isinstance(value, wanted):
                raise TypeError(f"`{name}` is {said}, not {type(value).__name__}")
        object.__setattr__(self, "credentials", MappingProxyType({**self.credentials}))
        allowed: Any = self.allowed_tools
        if allowed is None or type(allowed) is frozenset:
            return
        if not isinstance(allowed, set | frozenset | list | tuple):
            raise TypeError("`allowed_tools` is a set of names, or None for no restriction")
        object.__setattr__(self, "allowed_tools", frozenset(allowed))

    @property
    def nested(self) -> bool:
        """Whether another execution made this call."""
        return self.parent_execution_id is not None

    def child(self, allowed_tools: Iterable[str] | None = None) -> ToolExecutionContext:
        """The context for calls that this execution makes. `allowed_tools` can only narrow what is
        allowed here; None leaves it as it is."""
        wanted = None if allowed_tools is None else frozenset(allowed_tools)
        return inherit(self, ToolExecutionContext(allowed_tools=wanted))


_INHERITED: Final = (
    "trace_id",
    "session_key",
    "memory_scope",
    "user_id",
    "agent_id",
    "channel",
    "chat_id",
    "reply_to_id",
    "cron_authorized",
    "inbound_event_id",
)


def inherit(parent: ToolExecutionContext, given: ToolExecutionContext) -> ToolExecutionContext:
    """The context of a call that an execution makes, whatever it says of itself: where it comes
    from is the parent's, its tools are those that both allow, and nothing is approved yet."""
    held, wanted = parent.allowed_tools, given.allowed_tools
    both = wanted if held is None else held if wanted is None else held & wanted
    return ToolExecutionContext(
        **{name: getattr(parent, name) for name in _INHERITED},
        parent_execution_id=parent.execution_id,
        is_replay=parent.is_replay or given.is_replay,
        credentials=given.credentials,
        allowed_tools=both,
        unattended=parent.unattended or given.unattended,
    )


@dataclass(frozen=True, slots=True)
class Host:
    """What the host says of a turn beyond the context: the rest of a call's `context`, which rules
    read and tools need not know. See docs/formats.md for the fields."""

    sender_id: str = ""
    origin: str = ""
    cwd: str = ""
    workspace: str = ""
    home: str = ""
    groups: tuple[str, ...] = ()
    environment: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


# What is the tool's alone, or the gate's to say.
_NOT_TOLD: Final = frozenset({"credentials", "approved_actions", "approval_source"})
_DEFAULTS: Final = {
    item.name: None if item.default is MISSING else item.default
    for item in fields(ToolExecutionContext)
    if item.name not in _NOT_TOLD
}


def call_context(context: ToolExecutionContext, host: Host) -> dict[str, Any]:
    """The `context` of a call in the format of docs/formats.md; defaults are left out."""
    told: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(context, name)
        if value != default:
            told[name] = sorted(value) if name == "allowed_tools" else value
    if context.nested:
        told["nested"] = True
    for item in fields(Host):
        value = getattr(host, item.name)
        if value:
            told[item.name] = _plain(value)
    return told


def _plain(value: Any) -> Any:
    """A list or dict in place of a tuple or another mapping."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
