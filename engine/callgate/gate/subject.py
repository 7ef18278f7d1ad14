"""What a grant is bound to: the call that a person saw, and no more than that.

A shell text that is exactly one simple command is bound to that command; it also stands for the
same command on what lies below a folder that it takes as a whole. Everything else is bound to
itself: the tool, what its server says of it, its arguments, and what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from callgate.gate.canonical import canonical
from callgate.gate.subject_command import (
    BoundCommand,
    Root,
    has_unknown,
    read_command,
    runs_described,
)
from callgate.gate.subject_text import text_of_call, text_of_command
from callgate.model.codec import decode_expr
from callgate.model.effect import Effect, EffectSet
from callgate.runtime.call_secrets import call_secrets
from callgate.runtime.guards import built_in_rule

if TYPE_CHECKING:
    from callgate.runtime.frame import Frame
    from callgate.runtime.interpreter import Program

__all__ = ["LEVELS", "Subject", "subject_of"]

LEVELS: Final = ("once", "session", "session-all", "always")
"""How long a person's word may count, shortest first."""

_PLACELESS: Final = frozenset({"connect", "signal", "power"})
"""Kinds of effects that are the same in every folder."""

_TEXTS: Final = frozenset({"shell", "code"})
"""Kinds of a tool's effects that are read out of a text which is run."""

_NO_ALWAYS: Final = frozenset({"opaque", "run", "interpret"})
"""Kinds of effects with which a call that is no simple command gets no `always`."""

_NOT_SHARED: Final = frozenset(
    {"opaque", "interpret", "privilege", "connect", "transfer", "environment"}
)
"""Kinds of effects that no yes to a whole session covers: whoever gave it did not see what runs,
for whom, or what goes to which host."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a grant is bound to.

    `kind`: one simple command of a shell, or a call as it stands. `tool`: its own name. `levels`:
    those that a person may choose. `family`: of the tools that a grant for a session may cover
    together, or None. `risk`: the call's level, "" in a policy without risk. `asks`: the ids of the
    asks that stand. `text`: one line to be shown, escaped and masked. `scope`: sha256, in hex, of
    everything that has to be the same; `roots`: the folders that may be left for what is below
    them. `key`: sha256, in hex, of all that it is bound to.
    """

    kind: Literal["command", "call"]
    tool: str
    levels: tuple[str, ...]
    family: str | None
    risk: str
    asks: frozenset[str]
    text: str
    scope: str
    roots: tuple[Root, ...] = ()

    @property
    def key(self) -> str:
        """sha256, in hex, of the canonical JSON of what it is bound to."""
        roots = [[root.word, root.kind, root.path] for root in self.roots]
        return _digest([self.kind, self.scope, roots, sorted(self.asks)])

    def covers(self, other: Subject) -> bool:
        """Whether what was granted for this covers another call: the same one, or the same command
        on what is below, with no ask that was not shown."""
        return (
            self.kind == other.kind
            and self.scope == other.scope
            and other.asks <= self.asks
            and all(any(root.holds(found) for root in self.roots) for found in other.roots)
        )

    def in_family_of(self, other: Subject) -> bool:
        """Whether what was granted for this one's family covers another call, as far as the session
        allows that."""
        return self.family is not None and self.family == other.family and other.asks <= self.asks

    def to_json(self) -> str:
        """As JSON, to be stored: what is shown is masked, what is bound is hashed."""
        return orjson.dumps(
            {
                "kind": self.kind,
                "tool": self.tool,
                "levels": self.levels,
                "family": self.family,
                "risk": self.risk,
                "asks": sorted(self.asks),
                "text": self.text,
                "scope": self.scope,
                "roots": [[root.word, root.kind, root.path] for root in self.roots],
            }
        ).decode()

    @classmethod
    def from_json(cls, text: str) -> Subject:
        """Read back what `to_json` gave; raises ValueError for anything else."""
        try:
            form = orjson.loads(text)
            roots = tuple(Root(*item) for item in form.pop("roots"))
            levels, asks = tuple(form.pop("levels")), frozenset(form.pop("asks"))
            return cls(**form, levels=levels, asks=asks, roots=roots)
        except (TypeError, LookupError, AttributeError):
            raise ValueError("not a subject") from None


def subject_of(program: Program, frame: Frame, declaration: str) -> Subject:
    """The subject of a call that was walked.

    `program`, `frame`: what walked it, and the call. `declaration`: the digest of what its tool's
    server declares, so that a tool that changes loses its grants.
    """
    effects = program.effects_of(frame)
    document = program.graph.document
    gate: Mapping[str, Any] = document["gate"]
    lasts = _lasts(gate, program, frame)
    family = _family(gate, frame.tool)
    shared = family is not None and frame.asks != "person"
    shared = shared and _plain(effects, frame.context.get("cwd"))
    secrets = call_secrets(program.masker, frame, effects) + program.settings_secrets
    kind: Literal["command", "call"] = "command"
    roots: tuple[Root, ...] = ()
    command = _command(program, frame, effects, secrets)
    if command is not None:
        levels = _levels(lasts, shared, True)
        text, bound, roots = (
            text_of_command(command, program.masker, secrets),
            command.bound,
            command.roots,
        )
    if command is None or not text:
        kind, roots = "call", ()
        levels = _levels(lasts, shared, _settled(document, frame, effects))
        text = text_of_call(frame, program.masker, secrets)
        bound = [frame.args, [_form(effect) for effect in effects.all], _places(frame, effects)]
    return Subject(
        kind,
        frame.tool,
        levels,
        family,
        getattr(frame, "risk", ""),
        frozenset(_asks(program, frame)),
        text,
        _digest([*_head(kind, frame, declaration), bound]),
        roots,
    )


def _command(
    program: Program, frame: Frame, effects: EffectSet, secrets: Sequence[str]
) -> BoundCommand | None:
    """The command that a call is, if it is one. Its folders are kept as they are: where they hold
    a secret, or where an ask wants a grant for exactly this call, nothing may vary."""
    document, masker = program.graph.document, program.masker
    command = read_command(document, frame, effects, frame.asks == "person")
    if command is None:
        return None
    if any(masker.mask(root.path, secrets) != root.path for root in command.roots):
        return read_command(document, frame, effects, exact=True)
    return command


def _head(kind: str, frame: Frame, declaration: str) -> list[Any]:
    """What every subject is bound to. A link that was not there, or led elsewhere, makes another
    call of the same words, wherever it stands: the folder that a command runs in may be one."""
    links = frame.observed.get("links") or {}
    return ["callgate.subject/1", kind, frame.tool, declaration, frame.declared, links]


def _digest(value: Any) -> str:
    return sha256(canonical(value)).hexdigest()


# -- what the policy says


def _family(gate: Mapping[str, Any], tool: str) -> str | None:
    families: Mapping[str, Sequence[str]] = gate.get("families") or {}
    return next((name for name, tools in sorted(families.items()) if tool in tools), None)


def _lasts(gate: Mapping[str, Any], program: Program, frame: Frame) -> bool:
    """Whether a person's word may count for more than this call: only if that is sure."""
    condition = gate.get("lasting")
    if condition is None:
        return True
    return program.codegen.compile(decode_expr(condition))(frame) is True


def _asks(program: Program, frame: Frame) -> Iterator[str]:
    for match in frame.matches:
        if match.decide == "ask" and match.stands:
            own = match.guard < 0
            yield built_in_rule(match) if own else program.guards.forms[match.guard]["id"]


def _levels(lasts: bool, family: bool, always: bool) -> tuple[str, ...]:
    if not lasts:
        return LEVELS[:1]
    left_out = {
        level for level, out in (("session-all", not family), ("always", not always)) if out
    }
    return tuple(level for level in LEVELS if level not in left_out)


# -- a call as it stands


def _runs_text(document: Mapping[str, Any], frame: Frame) -> bool:
    """Whether a call brings a text that is run: one that is no simple command is not granted for
    good, whatever was seen in it."""
    tool = document["tools"].get(frame.tool)
    specs = [*(tool["effects"] if tool else ())]
    for item in frame.dynamic:
        specs += item["effects"]
    sources = (fields["text"] for kind, fields, _ in specs if kind in _TEXTS)
    return any(source[0] == "const" or frame.args.get(source[1]) for source in sources)


def _settled(document: Mapping[str, Any], frame: Frame, effects: EffectSet) -> bool:
    """Whether a call does tomorrow what it does today, so that it may be granted for good."""
    if frame.tool not in document["tools"] and not frame.dynamic:
        return False
    if _runs_text(document, frame):
        return False
    return all(
        effect.kind not in _NO_ALWAYS
        and effect.certain
        and not any(map(has_unknown, effect.fields.values()))
        for effect in effects.all
    )


def _plain(effects: EffectSet, folder: Any) -> bool:
    """Whether a call does only what is seen in its text: what a yes to a whole session may cover.
    `folder`: where it runs."""
    return effects.complete and all(
        effect.kind not in _NOT_SHARED and (effect.kind != "run" or runs_described(effect, folder))
        for effect in effects.all
    )


def _form(effect: Effect) -> list[Any]:
    """An effect to be hashed. The words of a command are said by the arguments and the folder."""
    fields: Mapping[str, Any] = {} if effect.kind == "run" else effect.fields
    return [effect.kind, dict(fields), effect.certain, effect.through]


def _places(frame: Frame, effects: EffectSet) -> list[Any]:
    """The folders that the effects depend on."""
    if all(effect.kind in _PLACELESS for effect in effects.all):
        return []
    return [frame.context.get(name) for name in ("cwd", "workspace", "home")]
