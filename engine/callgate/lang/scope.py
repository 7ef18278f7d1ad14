"""What the names in a condition stand for.

A scope maps full dotted names (`call.channel`, `settings.tools.profile`, `paths.system_roots`) to
typed expressions. What is read at call time and restricted to some conditions (effects, risk,
guard results) is noted beside each name, so that it still counts where a name is inlined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from callgate.model.call import CONTEXT_FIELDS, DECLARED_FIELDS, OBSERVED_FIELDS
from callgate.model.effect import EFFECT_SOURCES
from callgate.model.expr import Expr, Fact
from callgate.model.policy import AskLevel
from callgate.model.syntax import Syntax
from callgate.model.types import BOOL, PATH, STRING, Enum, Field, ListOf, Optional, Record, Type

__all__ = ["ASK_LEVEL", "BUILT_IN", "ROOTS", "Name", "Read", "Scope", "call_names", "holds_paths"]

_NO_NEED: Final = Enum("need", (), open=True)

ASK_LEVEL: Final = Enum("ask_level", tuple(level.value for level in AskLevel), ordered=True)

ROOTS: Final = frozenset(
    {
        "args",
        "call",
        "capabilities",
        "declared",
        "effects",
        "guards",
        "observed",
        "profiles",
        "risk",
        "security_profiles",
        "settings",
        "tool",
    }
)
"""The first words of built-in names; nothing else may be called so."""


BUILT_IN: Final = frozenset({"call", "declared", "effects", "guards", "observed", "tool"})
"""Groups of names that no rule file adds to."""


@dataclass(frozen=True, slots=True)
class Read:
    """Something whose reading is restricted.

    `direction`: 1 where more of it can only make the condition true, -1 where it can only make it
    false, 0 where either. `guarded`: the condition holds only where `effects.complete` does.
    `list` is one that bundles may add to. `name` is the name as written; of a `pattern` (an open
    command pattern) or a `closed` one, its text; of a `wide` test, which holds of more than it
    says, an exact one.
    """

    what: Literal[
        "effects", "complete", "pattern", "closed", "asks", "risk", "capabilities", "list", "wide"
    ]
    name: str
    direction: int = 1
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """What a name stands for. `outside`: the value is a path, or a list of them, as a call or the
    settings have it, not in normal form yet. `defined`: it is inlined."""

    expr: Expr
    type: Type
    unknown: bool = False
    secret: bool = False
    outside: bool = False
    defined: bool = False
    reads: tuple[Read, ...] = ()


@dataclass(slots=True)
class Scope:
    """All names, by their full dotted name.

    `announced`: definitions of which some are not typed yet; they are known for suggestions only.
    `groups`: what stands before a dot, with the words that may follow. `broken`: names whose
    definition is in error, which was reported. `incomplete`: a part of a file was refused, so that
    a name that is missing may be there. `keys`: the keys of maps that the policy itself
    gives. `parameters`: tool → JSON Schema of its arguments; `unsure`: names of tools whose
    arguments are not known, because something was refused; `aliases`: alias → tool. `homes`: what
    home folders look like. `resolved` is the checker's memory of nodes that name something;
    conditions of one shape share nodes.
    """

    names: dict[str, Name] = field(default_factory=dict)
    incomplete: bool = False
    announced: frozenset[str] = frozenset()
    groups: dict[str, set[str]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    keys: Mapping[str, frozenset[str]] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    aliases: Mapping[str, str] = field(default_factory=dict)
    homes: tuple[str, ...] = ()
    resolved: dict[int, tuple[Syntax, Any]] = field(default_factory=dict)
    _members: dict[int, tuple[Enum, frozenset[str]]] = field(default_factory=dict)

    def add(self, name: str, meaning: Name) -> None:
        """Add a dotted name."""
        self.names[name] = meaning
        while "." in name:
            name, _, word = name.rpartition(".")
            self.groups.setdefault(name, set()).add(word)

    def add_all(self, names: Mapping[str, Name]) -> None:
        """Add dotted names."""
        for name, meaning in names.items():
            self.add(name, meaning)

    def child(self) -> Scope:
        """A scope for a file with definitions of its own, in which all names of this one are."""
        return replace(self, names=dict(self.names), broken=set(self.broken))

    def taken(self, name: str) -> bool:
        """Whether a new name (a binder, a definition) would hide something."""
        return name in self.names or name in self.groups or name in self.broken or name in ROOTS

    def members(self, enum: Enum) -> frozenset[str]:
        """The members of an enum, as a set."""
        found = self._members.get(id(enum))
        if found is None:
            found = self._members[id(enum)] = (enum, frozenset(enum.members))
        return found[1]

    def words(self) -> list[str]:
        """What a bare word may be."""
        top = {name for name in (*self.names, *self.groups) if "." not in name}
        return sorted(top | self.announced | {"args"})


def holds_paths(type_: Type) -> bool:
    """Whether values of the type are paths or lists of paths, also optional ones."""
    while isinstance(type_, Optional | ListOf):
        type_ = type_.item
    return type_ == PATH


def _names(root: str, fields: Mapping[str, Field]) -> dict[str, Name]:
    return {
        f"{root}.{name}": Name(
            Fact(f"{root}.{name}"), item.type, item.unknown, item.secret, holds_paths(item.type)
        )
        for name, item in fields.items()
    }


def call_names(tool: Enum, context: Mapping[str, Field], need: Enum = _NO_NEED) -> dict[str, Name]:
    """The names that the call's format and the catalogue give, and the effects.

    `tool` is the enum of tool names, `context` what a vocabulary says more exactly of the
    context's fields, `need` the enum of what tools need.
    """
    names = _names("call", {**CONTEXT_FIELDS, **context})
    names["call.tool"] = Name(Fact("call.tool"), tool)
    names["call.called_as"] = Name(Fact("call.called_as"), STRING)
    names["tool.needs"] = Name(Fact("tool.needs"), ListOf(need))
    names["tool.reserved"] = Name(Fact("tool.reserved"), BOOL)
    names |= _names("declared", DECLARED_FIELDS)
    names |= _names("observed", OBSERVED_FIELDS)
    names |= {_effect(kind): _effects(kind, record) for kind, record in EFFECT_SOURCES.items()}
    names["effects.complete"] = Name(
        Fact("effects.complete"), BOOL, reads=(Read("complete", "effects.complete"),)
    )
    names["guards.asks"] = Name(
        Fact("guards.asks"), ASK_LEVEL, reads=(Read("asks", "guards.asks"),)
    )
    return names


def _effect(kind: str) -> str:
    return f"effects.{kind}"


def _effects(kind: str, record: Record) -> Name:
    name = _effect(kind)
    return Name(Fact(name), ListOf(record), reads=(Read("effects", name),))
