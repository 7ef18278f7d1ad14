"""What a policy says about tools, risk and names: everything but its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from callgate.model.condition import Condition
from callgate.model.expr import Expr
from callgate.model.span import Span
from callgate.model.types import Enum, Field, Type

__all__ = [
    "Derived",
    "DynamicTools",
    "Masking",
    "Risk",
    "RiskRule",
    "Setting",
    "Tool",
    "ToolEffect",
    "Vocabulary",
]


@dataclass(frozen=True, slots=True)
class ToolEffect:
    """How a tool's arguments turn into an effect.

    `kind`: an effect kind, or a text that is analysed: `shell` (fields text, cwd), `code` (text,
    language), `patch` (text, path), `paths` (every argument that looks like a path; field `as`:
    read | write | delete).
    `fields`: field → ("arg", name, default or None) or ("const", value). Where a named argument
    is missing (without default) or of the wrong type, its field is unknown, and the call opaque.
    """

    kind: str
    fields: Mapping[str, tuple[Any, ...]]
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """An entry of the catalogue. `reserved` tools can't be called."""

    name: str
    description: str = ""
    capabilities: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    effects: tuple[ToolEffect, ...] = ()
    reserved: bool = False
    needs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DynamicTools:
    """Tools that a condition recognises (MCP tools): what they bring. `listed`: tools of the
    catalogue are meant as well, and this is added to what it says of them."""

    id: str
    when: Condition
    capabilities: tuple[str, ...] = ()
    effects: tuple[ToolEffect, ...] = ()
    listed: bool = False


@dataclass(frozen=True, slots=True)
class RiskRule:
    """A condition that gives a risk level."""

    id: str
    when: Condition
    level: str
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Risk:
    """The risk map. A call's risk is the strictest of: its tool's level in `tools`, its declared
    risk level (when it is a level's exact name), the first of `declared` that holds, every `raises`
    that holds. Where none of the first three says anything: `default`."""

    levels: Enum
    tools: Mapping[str, str]
    default: str
    declared: tuple[RiskRule, ...] = ()
    raises: tuple[RiskRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the settings: a dotted name with its field. `of_tools`: a list of tool names, in
    which aliases are replaced by the tool's name. `wildcards`: a `*` in it means something."""

    name: str
    field: Field
    of_tools: bool = False
    wildcards: bool = False


@dataclass(frozen=True, slots=True)
class Derived:
    """A fact that the vocabulary defines by an expression; inlined where it is used."""

    name: str
    expr: Expr
    type: Type
    unknown: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that conditions may use, beyond those of the call's format."""

    enums: Mapping[str, Enum] = field(default_factory=dict)
    call: Mapping[str, Field] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)
    lists: Mapping[str, tuple[Type, tuple[str, ...]]] = field(default_factory=dict)
    open_sections: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    example_tool: str = ""
    example_argument: str = ""


@dataclass(frozen=True, slots=True)
class Masking:
    """What never reaches a log, trace or message: `names`: argument names (a part of the name, any
    case); `patterns`: RE2 patterns of the shapes that tokens have; `weak`: names that in a text are
    often no secret's."""

    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
