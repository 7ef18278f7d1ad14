"""The small world that generated policies speak of: its vocabulary and tools, as model objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from callgate.model.catalogue import Setting, Tool, ToolEffect
from callgate.model.expr import Apply, Const, Expr, Fact, Get
from callgate.model.types import (
    BOOL,
    CLOSED_PATTERN,
    HOST,
    INT,
    PATH,
    PATTERN,
    PATTERNS,
    STRING,
    Enum,
    Field,
    ListOf,
    MapOf,
    Scalar,
    Type,
)
from tests.strategies_scope import EnumWords, Scope, Term, normal, with_home

__all__ = ["CALL_FIELDS", "ENUMS", "HOMES", "LEVELS", "LISTS", "SETTINGS", "TOOLS", "scope_of"]

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

HOMES: Final = ("/data/*", "/srv")
"""What home folders look like."""

LISTS: Final[Mapping[str, tuple[Type, tuple[str, ...]]]] = {
    "roots.system": (PATH, ("/", "/data/a", "~/.ssh")),
    "names.owners": (STRING, ("ann", "bob")),
}


# --- tools ----------------------------------------------------------------------------------


_SHAPES: Final = {
    "strings": {"type": "array", "items": {"type": "string"}},
    "anything": {"description": "of any shape"},
}


def _tool(
    name: str,
    arguments: Mapping[str, str],
    effects: Sequence[ToolEffect] = (),
    aliases: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
    reserved: bool = False,
) -> Tool:
    """A tool; an argument's type ends in `!` where it must be given."""
    properties: dict[str, Any] = {
        key: _SHAPES.get(kind.rstrip("!"), {"type": kind.rstrip("!")})
        for key, kind in arguments.items()
    }
    required = [key for key, kind in arguments.items() if kind.endswith("!")]
    parameters = {"type": "object", "properties": properties, "required": required}
    return Tool(
        name,
        f"does {name}",
        (f"can.{name}",),
        parameters,
        tuple(effects),
        reserved,
        needs,
        aliases,
    )


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
            needs=("git", "shell"),
        ),
        _tool(
            "fetch",
            {"url": "string!", "retries": "integer"},
            [ToolEffect("connect", {"url": ("arg", "url", None)})],
            needs=("net",),
        ),
        _tool(
            "cronjob",
            {"names": "strings!", "retries": "integer!", "detail": "anything"},
            reserved=True,
        ),
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
        _setting("commands.watched", ListOf(PATTERN), ("git push",)),
        _setting("commands.known", ListOf(CLOSED_PATTERN), ("git push $",)),
        _setting("files.root", PATH, "/data"),
        _setting("files.roots", ListOf(PATH), ("/data", "/srv/app")),
    )
}


# --- scopes ---------------------------------------------------------------------------------


@cache
def scope_of(tools: tuple[str, ...] | None = None, risk: bool = True, args: bool = True) -> Scope:
    """What a rule for these tools may name (None: for all tools, whose arguments have no type).

    `risk`: whether the risk may be named, which the risk map's own conditions can't. `args`:
    whether arguments may be named, or else `call.tool`: where a condition asks for the tool, the
    checker knows which arguments it has.
    """
    present: dict[str, list[Term]] = {}
    optional: dict[str, list[Term]] = {}
    lists: dict[str, list[Term]] = {}
    maps: dict[str, list[Term]] = {}
    doubtful: dict[str, list[Term]] = {}
    json: dict[str, list[Term]] = {}

    def add(to: dict[str, list[Term]], kind: str, text: str, expr: Expr | None = None) -> None:
        to.setdefault(kind, []).append(Term(text, expr or Fact(text)))

    for name in ("call.unattended", "call.nested", "call.cron_authorized", "tool.reserved"):
        add(present, "bool", name)
    add(lists, "string", "observed.missing")
    add(lists, "need", "tool.needs")
    for name in ("call.sender_id", "call.called_as", "declared.mcp_server"):
        add(present, "string", name)
    add(present, "int", "call.attempt_index")
    if not args:
        add(present, "tool", "call.tool")
    add(present, "channel", "call.channel")
    add(present, "zone", "call.environment")
    add(doubtful, "path", "call.workspace", normal(Fact("call.workspace")))
    add(doubtful, "time", "observed.time")
    if risk:
        add(present, "risk", "risk")
        add(lists, "capability", "capabilities")
    add(optional, "string", "call.parent_execution_id")
    hint = "declared.annotations.destructiveHint"
    add(optional, "bool", hint, Get(Fact("declared.annotations"), "destructiveHint"))
    add(lists, "string", "call.groups")
    for name, (kind, items) in LISTS.items():
        constant = Const(items)
        add(lists, _name(kind), name, with_home(constant) if kind is PATH else constant)
    for setting in SETTINGS.values():
        kind = setting.field.type
        if isinstance(kind, ListOf) and kind.item in PATTERNS:
            continue
        place = lists if isinstance(kind, ListOf) else maps if isinstance(kind, MapOf) else present
        fact: Expr = Fact(f"settings.{setting.name}")
        expr = with_home(fact) if _name(kind) == "path" else fact
        if kind is PATH:
            place, expr = doubtful, normal(fact)
        add(place, _name(kind), f"settings.{setting.name}", expr)
    for name, type_name, needed in _arguments(tools) if args else ():
        argument = Fact(f"args.{name}")
        if type_name == "json":
            add(json, "json", f"args.{name}", argument)
            add(json, "json", f'args.{name}["a"]', Get(argument, "a"))
            for cast in ("string", "int", "bool"):
                converted = Apply(f"as_{cast}", (argument,))
                add(optional, cast, f"as_{cast}(args.{name})", converted)
        elif type_name != "strings":
            add(present if needed else optional, type_name, f"args.{name}")
        elif needed:
            add(lists, "string", f"args.{name}")
        if needed and name == "path":
            for base in (normal(Fact("call.workspace")), Fact("call.cwd")):
                text = "call.cwd" if isinstance(base, Fact) else "call.workspace"
                based = with_home(Apply("path", (argument, base)))
                add(doubtful, "path", f"path(args.path, {text})", based)
    enums = {name: EnumWords(enum.members, enum.ordered) for name, enum in ENUMS.items()}
    enums["tool"] = EnumWords(_TOOL.members)
    enums["risk"] = EnumWords(LEVELS, ordered=True)
    frozen = [
        {k: tuple(v) for k, v in d.items()}
        for d in (present, doubtful, optional, lists, maps, json)
    ]
    return Scope(*frozen, enums=enums, homes=HOMES)


def _name(kind: Type) -> str:
    """A scope's name for a type, or for what a list or a map holds."""
    if isinstance(kind, ListOf):
        return _name(kind.item)
    if isinstance(kind, MapOf):
        return _name(kind.value)
    assert isinstance(kind, Enum | Scalar)
    return kind.name


def _arguments(tools: Sequence[str] | None) -> list[tuple[str, str, bool]]:
    """Name, scope type and whether they are there: the arguments that a rule may read. Where not
    all the tools have one it is of any shape."""
    names = {"string": "string", "boolean": "bool", "integer": "int", "array": "strings"}
    chosen = [TOOLS[name].parameters for name in tools or TOOLS]
    found = []
    for name in sorted({name for shape in chosen for name in shape["properties"]}):
        shapes = [shape["properties"].get(name) for shape in chosen]
        typed = (
            tools is not None and shapes[0] is not None and shapes.count(shapes[0]) == len(shapes)
        )
        kind = names.get(shapes[0].get("type", ""), "json") if typed else "json"
        found.append((name, kind, typed and all(name in shape["required"] for shape in chosen)))
    return found
