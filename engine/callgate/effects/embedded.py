"""Commands that run other commands: wrappers, and shells elsewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from callgate.effects.environment import take_assignments
from callgate.effects.fed import MAX_FED, divided, fed_words, replaced
from callgate.effects.interpreted import (
    HOLE,
    SHELL,
    after,
    run_inline,
    run_standard_input,
    run_text,
)
from callgate.effects.program_spec import EffectSpec
from callgate.effects.shell.tree import Word, constant, unresolved
from callgate.effects.values import divided_words
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = ["run_command", "run_shell"]

_OPERATORS: Final = re.compile(r"[\s;&|<>$`]")
"""What makes a word more than one to a shell that reads it again."""


def run_command(app: Application, spec: EffectSpec) -> None:
    """`command`: the words of another command."""
    fields = spec.fields
    more, joined = fields.get("more") is True, fields.get("joined") is True
    marks = [w.text for w in app.values(fields["replace"])] if "replace" in fields else []
    with_ = app.values(fields["with"]) if "with" in fields else []
    for words in _vectors(app, spec):
        fed: list[Word] | None = None
        if joined:
            words, fed = divided(words)
        if more and fed is None:
            fed = fed_words(app.state.stdin, joined or _holds(words, marks))
        if joined and (not words or any(map(_is_text, words))):
            _run_joined(app, words, marks, fed)
            continue
        inner: list[Word] = []
        filled = False
        for word in words:
            new = replaced(word, marks, with_ or fed or [], fed is not None)
            filled = filled or new is not None
            inner += [word] if new is None else new
        if not inner:
            continue
        if more and not filled:
            inner += fed or ()
            if fed is None or (not joined and _alters(app, fed)):
                inner.append(unresolved(app.at, splits=True))
        same = app.entry.same_shell
        state = app.state.inside(app.name, app.state.cwd, same)
        state.remote |= fields.get("remote") is True
        mark = len(app.walker.changes.log)
        text = inner[0].text if isinstance(inner[0].text, str) else (*inner[0].pieces, UNKNOWN)[0]
        if isinstance(text, str) and "=" in text:
            inner = list(take_assignments(app.walker, tuple(inner), state))
        if inner:
            app.walker.invoke(tuple(inner), state)
        after(app, state, mark, same)


def _alters(app: Application, fed: list[Word]) -> bool:
    """Whether options may make other words of what is fed. How it is divided is no matter where
    names are."""
    options = [item.option for item in app.arguments.occurrences]
    names = len(fed) == 1 and fed[0].below
    return any(not names or option is None or option.meaning for option in options)


def _holds(words: tuple[Word, ...], marks: Sequence[object]) -> bool:
    texts = [word.text for word in words if isinstance(word.text, str)]
    return any(isinstance(mark, str) and mark in text for mark in marks for text in texts)


def _is_text(word: Word) -> bool:
    return isinstance(word.text, str) and _OPERATORS.search(word.text) is not None


def _run_joined(
    app: Application, words: tuple[Word, ...], marks: Sequence[object], fed: list[Word] | None
) -> None:
    """Run words as a shell text, once for each of the words that are fed to it."""
    if not words and fed is None:
        if app.state.stdin is not None:
            run_standard_input(app, SHELL)
        return
    for item in [unresolved(app.at)] if fed is None else fed:
        value = shlex.quote(item.text) if isinstance(item.text, str) else HOLE
        texts = [word.text if isinstance(word.text, str) else HOLE for word in words]
        text = " ".join(texts)
        if not words:
            text = item.text if isinstance(item.text, str) else HOLE
        elif any(isinstance(mark, str) and mark in text for mark in marks):
            for mark in marks:
                text = text.replace(mark, value) if isinstance(mark, str) else text
        else:
            text = f"{text} {value}"
        pieces = tuple(part for piece in text.split(HOLE) for part in (piece, UNKNOWN))[:-1]
        word = constant(text, app.at) if len(pieces) == 1 else Word(UNKNOWN, app.at, pieces=pieces)
        run_inline(app, SHELL, [word], app.state)


def _vectors(app: Application, spec: EffectSpec) -> list[tuple[Word, ...]]:
    value = spec.fields["words"]
    assert not isinstance(value, bool)
    vectors: list[tuple[Word, ...]] = []
    for reference in value:
        if reference.kind == "option":
            vectors += [o.words for o in app.arguments.occurs(reference.name)]
        else:
            vectors.append(tuple(app.reference(reference)))
        if vectors:
            break
    if "each" in spec.fields:
        ends = [divided_words(word) for word in app.values(spec.fields["each"])[:MAX_FED]]
        vectors = [(*vector, *end) for vector in vectors for end in ends if end]
    return vectors


def run_shell(app: Application, spec: EffectSpec) -> None:
    """`shell`: words, or standard input, that a shell elsewhere runs."""
    fields = spec.fields
    if fields.get("stdin") is True:
        if app.state.stdin is not None:
            run_standard_input(app, SHELL)
        return
    words = app.values(fields["text"])
    texts = [[word] for word in words] if fields.get("apart") is True else [words]
    for text in filter(None, texts):
        state = app.state.inside(app.name, "~")
        state.enter(text[0].span)
        # A text that it is fed goes there, too.
        fed = app.state.stdin
        state.stdin = fed if fed is not None and fed.kind == "text" else None
        mark = len(app.walker.changes.log)
        run_text(app, text, state)
        after(app, state, mark, False)
