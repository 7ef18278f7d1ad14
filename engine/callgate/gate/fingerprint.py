"""What a call does, as marks that stay the same when an agent writes it in another way.

`rm -rf build`, `rm --force -r ./build` and `cd x; rm -r ../build` delete the same folder. So where
a call changes or reaches something, that alone is marked; where it doesn't, what it runs and reads
is, without the names of options; and where even that says little, its arguments are. What is only
like it can be told by further marks (`touched`).
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final

from callgate.effects.command import ParsedCommand
from callgate.gate.canonical import canonical
from callgate.gate.touched import touched
from callgate.model.effect import EFFECT_KINDS

if TYPE_CHECKING:
    from callgate.model.effect import Effect, EffectSet
    from callgate.runtime.frame import Frame

__all__ = ["fingerprint"]

_WEAK: Final = frozenset({"environment", "interpret", "mention", "opaque", "read", "run"})
"""Kinds that say how something is done, or that something is only looked at."""
_VAGUE: Final = frozenset({"interpret", "opaque"})
_REACHES: Final = "connect"
_RUN: Final = "run"
_PERMISSION: Final = "permission"
_LEFT_OUT: Final = frozenset({"address_class", "certain", "through"})
"""Fields that depend on how something is written, or on what somebody's name server says."""


def fingerprint(frame: Frame, effects: EffectSet | None = None) -> frozenset[str]:
    """The marks of a call: sha256, in hex, of its tool and one thing that it does, for each; and
    those of what it touches.

    `effects`: its effects, where the frame doesn't hold them yet. A call whose marks include all
    marks of another does at least what that one does. Raises ValueError for arguments that are no
    JSON.
    """
    found = frame.effects if effects is None else effects
    marks = (sha256(canonical([frame.tool, item])).hexdigest() for item in _items(frame, found))
    return frozenset(marks) | touched(() if found is None else found.all)


def _items(frame: Frame, effects: EffectSet | None) -> Iterator[Any]:
    every = [] if effects is None else effects.all
    strong = [effect for effect in every if effect.kind not in _WEAK]
    if strong:
        for effect in strong:
            item = [effect.kind, _fields(effect)]
            # What is reached may be reached for many a reason.
            yield [*item, *_command(effect, every)] if effect.kind == _REACHES else item
        return
    runs = False
    for effect in every:
        if effect.kind == _RUN:
            runs = True
            yield from _run(effect)
        elif effect.kind == "environment":
            # Its value may be a secret.
            yield [effect.kind, effect.fields["name"]]
        elif not _inline_shell(effect):
            yield [effect.kind, _fields(effect)]
    if not runs and (not every or any(effect.kind in _VAGUE for effect in every)):
        yield ["args", _plain(frame.args)]


def _run(effect: Effect) -> Iterator[Any]:
    """A program, and each word that it is given but options: more of them do at least as much."""
    command, program = effect.data, effect.fields["program"]
    if not isinstance(command, ParsedCommand):
        yield [_RUN, program, effect.fields["words"]]
        return
    arguments = command.readings()[0]
    named = [word for item in arguments.occurrences for word in (item.value, *item.words) if word]
    words = [*arguments.positional[len(arguments.path) :], *named]
    head = [_RUN, program, arguments.path]
    yield from ([*head, _word(word.text)] for word in words)
    if not words:
        yield head


def _word(text: Any) -> Any:
    """A word as a file's path may be written in one way; an address is cut before its fragment."""
    if not isinstance(text, str) or not text:
        return text
    return text.partition("#")[0] if "://" in text else normpath(text)


def _fields(effect: Effect) -> dict[str, Any]:
    fields = effect.fields
    if effect.kind == _PERMISSION:
        # Who may do what can be written in many ways.
        return {"path": fields["path"]}
    names = (name for name in EFFECT_KINDS[effect.kind].fields if name not in _LEFT_OUT)
    return {name: _value(fields.get(name)) for name in names}


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.partition("#")[0] if isinstance(value, str) and "://" in value else value


def _command(effect: Effect, every: list[Effect]) -> list[Any]:
    """The program and sub-command that an effect comes from."""
    span = effect.span
    if span is None:
        return []
    around = [
        run
        for run in every
        if run.kind == _RUN
        and run.argument == effect.argument
        and run.span is not None
        and run.span[0] <= span[0]
        and span[1] <= run.span[1]
    ]
    if not around:
        return []
    nearest = min(around, key=_length)
    return [nearest.fields["program"], nearest.fields["subcommand"]]


def _length(effect: Effect) -> int:
    return 0 if effect.span is None else effect.span[1] - effect.span[0]


def _inline_shell(effect: Effect) -> bool:
    fields = effect.fields
    return (
        effect.kind == "interpret"
        and fields["source"] == "inline"
        and (fields["language"] == "shell")
    )


def _plain(value: Any) -> Any:
    """Arguments without what changes nothing for whoever reads them: capitals and blanks."""
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
