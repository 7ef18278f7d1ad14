"""The words of a command that are secrets, by its program's entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callgate.effects.program_spec import EffectSpec, Reference
from callgate.effects.shell.tree import Word
from callgate.model.effect import Secret

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = ["add_secrets"]


def add_secrets(app: Application) -> None:
    """Keep the secrets in the words of a command, and in what it is fed, to be masked."""
    sink, through = app.sink, app.state.through
    for word, fed in _words(app):
        # A pipe is none, and neither is what nobody knows.
        known = () if word.process else (word.text, *word.pieces)
        for text in known:
            if isinstance(text, str) and text.strip():
                place = (sink.argument, word.span, app.command, fed, through)
                sink.secrets[Secret(text.strip(), *place)] = None


def _words(app: Application) -> Iterator[tuple[Word, bool]]:
    """The words, each with whether it is fed to the command."""
    arguments, entry = app.arguments, app.entry
    for occurrence in arguments.occurrences:
        option, value = occurrence.option, occurrence.value
        if option is not None and option.secret is not None and value is not None:
            part = _after(option.secret, value) if option.secret else value
            if part is not None:
                yield part, False
    for operand in entry.operands:
        if operand.secret:
            yield from ((word, False) for word in arguments.bound.get(operand.name, ()))
    for spec in entry.secrets:
        if (spec.when or spec.unless) and app.holds(spec) is False:
            continue
        fed = _fed(spec)
        yield from ((word, fed) for word in app.values(spec.fields["text"]))


def _after(mark: str, word: Word) -> Word | None:
    """What follows a mark in a word: the first one, or where it has letters the one in front."""
    text = word.text if isinstance(word.text, str) else (*word.pieces, None)[0]
    if not isinstance(text, str):
        return None
    if mark[0].isalpha():
        return word.tail(len(mark)) if text.startswith(mark) else None
    found = text.find(mark)
    return None if found < 0 else word.tail(found + 1)


def _fed(spec: EffectSpec) -> bool:
    """Whether a secret is what a command is fed."""
    value = spec.fields["text"]
    todo: list[Reference] = [] if isinstance(value, bool) else list(value)
    while todo:
        item = todo.pop()
        if item.kind == "input":
            return True
        todo += item.parts if item.other is None else (*item.parts, item.other)
    return False
