"""What a call would do to the world: the kinds of effect and their fields.

A field whose value is `UNKNOWN` is there but can't be resolved (it depends on a variable, a link
that nobody observed …). A field that a kind declares optional may be `None`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    PATH,
    STRING,
    URL,
    Enum,
    Field,
    ListOf,
    Optional,
    Record,
)

__all__ = ["EFFECT_GROUPS", "EFFECT_KINDS", "EFFECT_SOURCES", "Effect", "EffectSet", "Secret"]

_ADDRESS_CLASS = Enum(
    "address_class",
    ("public", "private", "loopback", "link_local", "metadata", "reserved", "unresolved"),
)
_SOURCE = Enum("code_source", ("inline", "file", "stdin", "download"))

_COMMON: dict[str, Field] = {
    "certain": Field(BOOL, "whether the meaning of the text is known (not that it will run)"),
    "through": Field(
        ListOf(STRING), "the wrappers and interpreters that lead to it, outermost first"
    ),
}


def _kind(name: str, /, **fields: Field) -> Record:
    return Record(name, {**fields, **_COMMON})


EFFECT_KINDS: Final[Mapping[str, Record]] = {
    "read": _kind(
        "read",
        path=Field(PATH, "the file or folder read", unknown=True),
        tree=Field(BOOL, "whether all files below a folder are read too", unknown=True),
    ),
    "write": _kind(
        "write",
        path=Field(PATH, "the file or folder written or created", unknown=True),
        tree=Field(BOOL, "whether anything below it may be written too", unknown=True),
    ),
    "delete": _kind(
        "delete",
        path=Field(PATH, "the file or folder deleted", unknown=True),
        recursive=Field(BOOL, "whether a folder's contents go too", unknown=True),
    ),
    "permission": _kind(
        "permission",
        path=Field(PATH, "the file or folder changed", unknown=True),
        mode=Field(Optional(STRING), "the mode as written, e.g. `777` or `a+w`", unknown=True),
        owner=Field(Optional(STRING), "the owner as written, e.g. `root:root`", unknown=True),
        world_writable=Field(BOOL, "whether everybody may write afterwards", unknown=True),
    ),
    "connect": _kind(
        "connect",
        url=Field(Optional(URL), "the URL, normalised, when there is one", unknown=True),
        host=Field(HOST, "the host, lower case, without a final dot", unknown=True),
        scheme=Field(STRING, "the URL's scheme or the program's protocol", unknown=True),
        port=Field(Optional(INT), "the port, when it is known", unknown=True),
        address_class=Field(
            _ADDRESS_CLASS, "the strictest class of the host's addresses", unknown=True
        ),
    ),
    "run": _kind(
        "run",
        program=Field(STRING, "the program's base name", unknown=True),
        program_path=Field(STRING, "the program as written", unknown=True),
        words=Field(ListOf(STRING), "the words after the program", unknown=True),
        subcommand=Field(Optional(STRING), "the sub-command, e.g. `push`", unknown=True),
        options=Field(ListOf(STRING), "the options as written, without their values", unknown=True),
        operands=Field(
            ListOf(STRING), "the words that are no options, without the sub-command", unknown=True
        ),
        idle=Field(BOOL, "whether its options say that nothing changes: `--help`, a dry run"),
    ),
    "interpret": _kind(
        "interpret",
        language=Field(STRING, "the language of the interpreted text, e.g. `shell`, `python`"),
        source=Field(_SOURCE, "where the text comes from"),
        remote=Field(BOOL, "whether a connection is its input or output (a reverse shell)"),
    ),
    "privilege": _kind(
        "privilege", user=Field(STRING, "the user whose rights are taken", unknown=True)
    ),
    "service": _kind(
        "service",
        name=Field(STRING, "the service", unknown=True),
        action=Field(STRING, "start, stop, restart, disable …", unknown=True),
    ),
    "signal": _kind(
        "signal",
        target=Field(STRING, "the process id, name or pattern", unknown=True),
        signal=Field(STRING, "the signal's name without SIG", unknown=True),
    ),
    "power": _kind("power", action=Field(STRING, "shutdown, reboot, halt, poweroff", unknown=True)),
    "device": _kind(
        "device",
        path=Field(PATH, "the device written or formatted", unknown=True),
        action=Field(STRING, "write or format"),
    ),
    "sql": _kind(
        "sql",
        statement=Field(STRING, "drop, truncate, delete, update, …, lower case", unknown=True),
        tables=Field(ListOf(STRING), "the tables named", unknown=True),
        has_where=Field(BOOL, "whether a WHERE clause limits it", unknown=True),
    ),
    "schedule": _kind("schedule", text=Field(STRING, "what is scheduled", unknown=True)),
    "environment": _kind(
        "environment",
        name=Field(STRING, "the variable that is set", unknown=True),
        value=Field(STRING, "its value", unknown=True),
    ),
    "transfer": _kind(
        "transfer",
        path=Field(PATH, "the file whose content goes out", unknown=True),
        url=Field(Optional(URL), "the URL, normalised, when there is one", unknown=True),
        host=Field(HOST, "the host that it goes to", unknown=True),
        address_class=Field(
            _ADDRESS_CLASS, "the strictest class of the host's addresses", unknown=True
        ),
    ),
    "forkbomb": _kind(
        "forkbomb",
        function=Field(STRING, "the function that starts itself again and again", unknown=True),
    ),
    "mention": _kind(
        "mention",
        path=Field(
            PATH, "a file that is told of, nobody sees what for, or gets a new name", unknown=True
        ),
    ),
    "opaque": _kind(
        "opaque",
        reason=Field(STRING, "what was not understood"),
        bound=Field(BOOL, "whether it was too much to read"),
    ),
}
"""Every kind of effect with its fields: the types of `effects.<kind>`'s elements. What an effect is
about comes first."""

EFFECT_GROUPS: Final[Mapping[str, tuple[Record, tuple[str, ...]]]] = {
    "changes": (
        _kind(
            "change",
            path=Field(PATH, "the file, folder or device that is changed", unknown=True),
            kind=Field(STRING, "write, delete, permission or device"),
        ),
        ("write", "delete", "permission", "device"),
    ),
}
"""Kinds that conditions can speak of together (`effects.changes`): the type of an element, and the
kinds that it may be."""

EFFECT_SOURCES: Final[Mapping[str, Record]] = {
    **EFFECT_KINDS,
    **{name: record for name, (record, _) in EFFECT_GROUPS.items()},
}
"""All that stands behind `effects.` and can be quantified over: the type of an element."""


# Not frozen, which would double what making one costs; nothing changes one after it was made.
@dataclass(slots=True, eq=False)
class Effect:
    """One effect. `fields` has every field of its kind but `certain` and `through`.

    `span` is the range of code points in the argument's text that caused it, `argument` the name
    of that argument (None for the call as a whole).
    """

    kind: str
    fields: Mapping[str, Any]
    certain: bool = True
    through: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    argument: str | None = None
    data: Any = None
    """What a command pattern needs of a `run` effect: a `callgate.effects` parsed command."""


class Secret(NamedTuple):
    """A text that a program takes for a secret, so that it is never shown.

    `span`: where the word stands that it is a part of, in the argument `argument`. `command`: the
    parsed command that it is given to (`data` of its `run` effect), `fed` where it is no word of it
    but what it reads; `through`: as that of its effects.
    """

    text: str
    argument: str | None
    span: tuple[int, int]
    command: Any
    fed: bool
    through: tuple[str, ...]


def _member(group: str, effect: Effect) -> Effect:
    fields = {"path": effect.fields["path"], "kind": effect.kind}
    return Effect(
        group, fields, effect.certain, effect.through, effect.span, effect.argument, effect.data
    )


@dataclass(slots=True)
class EffectSet:
    """All effects of one call, in the order of the text, and by kind.

    `complete` is false as soon as one is opaque. `assumed` lists what had to be taken for granted
    (`dns:example.org`, `links`). `looked` are the paths that a link on their way would change, as
    the system gets them (`/w/a/../b`): what somebody has to observe. `secrets`: what programs take
    for secrets.
    """

    all: list[Effect] = field(default_factory=list)
    by_kind: dict[str, list[Effect]] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    looked: Sequence[str] = ()
    secrets: Sequence[Secret] = ()

    def add(self, effect: Effect) -> None:
        """Append an effect."""
        self.all.append(effect)
        self.by_kind.setdefault(effect.kind, []).append(effect)

    def of(self, source: str) -> Sequence[Effect]:
        """The effects of a kind or group, in the order of the text."""
        found = self.by_kind.get(source)
        if found is None and source in EFFECT_GROUPS:
            kinds = EFFECT_GROUPS[source][1]
            found = [_member(source, effect) for effect in self.all if effect.kind in kinds]
            if found:
                self.by_kind[source] = found
        return found or ()

    @property
    def complete(self) -> bool:
        """Whether everything the call would do is understood."""
        return "opaque" not in self.by_kind
