"""The small world that generated policies speak of: its vocabulary and tools, as model objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from callgate.model.catalogue import Setting, Tool, ToolEffect
from callgate.model.expr import Apply, Const, Expr, Fact, Get
from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    PATH,
    STRING,
    Enum,
    Field,
    ListOf,
    MapOf,
    Scalar,
    Type,
)
from tests.strategies_scope import EnumWords, Scope, Term

__all__ = ["CALL_FIELDS", "ENUMS", "LEVELS", "LISTS", "SETTINGS", "TOOLS", "scope_of"]

LEVELS: Final = ("read_only", "write", "exec", "dangerous")

ENUMS: Final[Mapping[str, Enum]] = {
    "mode": Enum("mode", ("off", "smart", "manual")),
    "channel": Enum("channel", ("cli", "telegram", "web"), open=True),
    "zone": Enum("zone", ("inner", "middle", "outer"), ordered=True),
}

CALL_FIELDS: Final[Mapping[str, Field]] = {
    "channel": Field(ENUMS["channel"], "where the request came from", default="cli"),
    "workspace": Field(PATH, "the workspace", default="/srv/app"),
    "environment": Field(ENUMS["zone"], "how far out", default="inner"),
}
"""What the vocabulary refines of the call's context."""

LISTS: Final[Mapping[str, tuple[Type, tuple[str, ...]]]] = {
    "roots.system": (PATH, ("/", "/data/a", "~/.ssh")),
    "names.owners": (STRING, ("ann", "bob")),
}


# --- tools ----------------------------------------------------------------------------------


def _tool(
    name: str,
    arguments: Mapping[str, str],
    effects: Sequence[ToolEffect] = (),
    aliases: tuple[str, ...] = (),
) -> Tool:
    """A tool; an argument's type ends in `!` where it must be given."""
    properties: dict[str, Any] = {
        key: {"type": "array", "items": {"type": "string"}} if kind == "strings" else {"type": kind}
        for key, kind in ((key, kind.rstrip("!")) for key, kind in arguments.items())
    }
    required = [key for key, kind in arguments.items() if kind.endswith("!")]
    parameters = {"type": "object", "properties": properties, "required": required}
    return Tool(name, f"does {name}", (f"can.{name}",), parameters, tuple(effects), aliases=aliases)


_PATH: Final = {"path": ("arg", "path", None)}
_RECURSIVE: Final = {"recursive": ("arg", "recursive", False)}

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        _tool("read_file", {"path": "string!"}, [ToolEffect("read", _PATH)]),
        _tool("write_file", {"path": "string!", "force": "boolean"}, [ToolEffect("write", _PATH)]),
        _tool(
            "remove",
            {"path": "string", "recursive": "boolean"},
            [ToolEffect("delete", {**_PATH, **_RECURSIVE})],
        ),
        _tool(
            "exec",
            {"command": "string!", "force": "boolean"},
            [ToolEffect("shell", {"text": ("arg", "command", None)})],
            aliases=("bash",),
        ),
        _tool(
            "fetch",
            {"url": "string!", "retries": "integer"},
            [ToolEffect("connect", {"url": ("arg", "url", None)})],
        ),
        _tool("cronjob", {"names": "strings", "retries": "integer!"}),
    )
}
_TOOL: Final = Enum("tool", tuple(TOOLS), open=True)


# --- settings -------------------------------------------------------------------------------


def _setting(name: str, kind: Type, default: Any) -> Setting:
    of_tools = isinstance(kind, ListOf) and kind.item == _TOOL
    return Setting(name, Field(kind, name, default=default, secret="secret" in name), of_tools)


SETTINGS: Final[Mapping[str, Setting]] = {
    setting.name: setting
    for setting in (
        _setting("approval.mode", ENUMS["mode"], "smart"),
        _setting("approval.zone", ENUMS["zone"], "middle"),
        _setting("approval.auto", ListOf(_TOOL), ()),
        _setting("approval.trusted", ListOf(ENUMS["channel"]), ("cli",)),
        _setting("flags.strict", BOOL, False),
        _setting("limits.most", INT, 1),
        _setting("limits.table", MapOf(INT), {"a": 1}),
        _setting("people.owner", STRING, "ann"),
        _setting("people.admins", ListOf(STRING), ("bob",)),
        _setting("net.hosts", ListOf(HOST), ("example.org",)),
        _setting("files.root", PATH, "/data"),
        _setting("files.roots", ListOf(PATH), ("/data", "/srv/app")),
    )
}


# --- scopes ---------------------------------------------------------------------------------


@cache
def scope_of(tools: tuple[str, ...] | None = None, risk: bool = True) -> Scope:
    """What a rule for these tools may name (None: for all tools, whose arguments may be absent).

    `risk`: whether the risk may be named, which the risk map's own conditions can't."""
    present: dict[str, list[Term]] = {}
    optional: dict[str, list[Term]] = {}
    lists: dict[str, list[Term]] = {}
    maps: dict[str, list[Term]] = {}
    doubtful: dict[str, list[Term]] = {}

    def add(to: dict[str, list[Term]], kind: str, text: str, expr: Expr | None = None) -> None:
        to.setdefault(kind, []).append(Term(text, expr or Fact(text)))

    for name in ("unattended", "nested", "cron_authorized"):
        add(present, "bool", f"call.{name}")
    for name in ("call.sender_id", "call.called_as", "declared.mcp_server"):
        add(present, "string", name)
    add(present, "int", "call.attempt_index")
    add(present, "tool", "call.tool")
    for name, field in CALL_FIELDS.items():
        add(present, _name(field.type), f"call.{name}")
    if risk:
        add(present, "risk", "risk")
        add(lists, "capability", "capabilities")
    add(doubtful, "time", "observed.time")
    add(optional, "string", "call.parent_execution_id")
    hint = "declared.annotations.destructiveHint"
    add(optional, "bool", hint, Get(Fact("declared.annotations"), "destructiveHint"))
    add(lists, "string", "call.groups")
    for name, (kind, items) in LISTS.items():
        constant: Expr = Const(items)
        if kind is PATH:
            constant = Apply("expand_home", (constant, Fact("call.home")))
        add(lists, _name(kind), name, constant)
    for setting in SETTINGS.values():
        kind = setting.field.type
        place = lists if isinstance(kind, ListOf) else maps if isinstance(kind, MapOf) else present
        add(place, _name(kind), f"settings.{setting.name}")
    for (name, type_name), needed in _arguments(tools).items():
        place = lists if type_name == "strings" else present
        if needed and type_name == "string" and name == "path":
            for base in ("call.workspace", "call.cwd"):
                based = Apply("path", (Fact("args.path"), Fact(base)))
                add(doubtful, "path", f"path(args.path, {base})", based)
        if needed:
            add(place, type_name.removesuffix("s"), f"args.{name}")
        elif place is present:
            add(optional, type_name, f"args.{name}")
    enums = {name: EnumWords(enum.members, enum.ordered) for name, enum in ENUMS.items()}
    enums["tool"] = EnumWords(_TOOL.members)
    enums["risk"] = EnumWords(LEVELS, ordered=True)
    frozen = [
        {k: tuple(v) for k, v in d.items()} for d in (present, doubtful, optional, lists, maps)
    ]
    return Scope(*frozen, enums=enums)


def _name(kind: Type) -> str:
    """A scope's name for a type, or for what a list or a map holds."""
    if isinstance(kind, ListOf):
        return _name(kind.item)
    if isinstance(kind, MapOf):
        return _name(kind.value)
    assert isinstance(kind, Enum | Scalar)
    return kind.name


def _arguments(tools: Sequence[str] | None) -> dict[tuple[str, str], bool]:
    """(name, scope type) of the arguments that a rule may read, and whether they are there."""
    names = {"string": "string", "boolean": "bool", "integer": "int", "array": "strings"}
    chosen = [TOOLS[name] for name in tools or TOOLS]
    found: dict[tuple[str, str], bool] = {}
    for tool in chosen:
        for key, shape in tool.parameters["properties"].items():
            everywhere = all(key in other.parameters["required"] for other in chosen)
            found[key, names[shape["type"]]] = tools is not None and everywhere
    return found
