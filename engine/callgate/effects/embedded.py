"""Commands that run other commands: wrappers, shells, interpreters."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from callgate.effects.code import add_code_effects
from callgate.effects.fed import MAX_FED, divided, fed_words, replaced
from callgate.effects.program_spec import EffectSpec, Value
from callgate.effects.relations import Flow
from callgate.effects.shell.tree import Span, Word, constant, unresolved
from callgate.effects.shell.words import Place
from callgate.effects.state import State, Stdin
from callgate.effects.values import divided_words
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = ["SHELL", "run_code", "run_command", "run_shell"]

SHELL = "shell"
"""The language whose text is parsed."""

_HOLE: Final = "${_}"
"""Stands in a text for what nobody knows."""

_OPERATORS: Final = re.compile(r"[\s;&|<>$`]")
"""What makes a word more than one to a shell that reads it again."""

_STANDARD_INPUT: Final = re.compile(
    r"-|/dev/stdin|(?:/dev|/proc/(?:self|thread-self|\d+))/fd/(?:0|(?P<other>.+))"
)
"""The ways to name standard input as a file, and `other` descriptors."""


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
        app.walker.invoke(tuple(inner), state)
        _after(app, state, mark, same)


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
            _standard_input(app, SHELL)
        return
    for item in [unresolved(app.at)] if fed is None else fed:
        value = shlex.quote(item.text) if isinstance(item.text, str) else _HOLE
        texts = [word.text if isinstance(word.text, str) else _HOLE for word in words]
        text = " ".join(texts)
        if not words:
            text = item.text if isinstance(item.text, str) else _HOLE
        elif any(isinstance(mark, str) and mark in text for mark in marks):
            for mark in marks:
                text = text.replace(mark, value) if isinstance(mark, str) else text
        else:
            text = f"{text} {value}"
        pieces = tuple(part for piece in text.split(_HOLE) for part in (piece, UNKNOWN))[:-1]
        word = constant(text, app.at) if len(pieces) == 1 else Word(UNKNOWN, app.at, pieces=pieces)
        _inline(app, SHELL, [word], app.state)


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
            _standard_input(app, SHELL)
        return
    words = app.values(fields["text"])
    texts = [[word] for word in words] if fields.get("apart") is True else [words]
    for text in filter(None, texts):
        state = app.state.inside(app.name, "~")
        state.enter(text[0].span)
        state.stdin = None
        mark = len(app.walker.changes.log)
        _run_text(app, text, state)
        _after(app, state, mark, False)


def _after(app: Application, state: State, mark: int, same_shell: bool) -> None:
    """What remains in a shell of what ran inside a command."""
    if same_shell:
        app.state.cwd = state.cwd
        app.state.values = state.values
    else:
        app.walker.forget(mark, app.state)


def run_code(app: Application, spec: EffectSpec) -> None:
    """`code`: text, a file or standard input, run by an interpreter."""
    fields = spec.fields
    language = str(app.values(fields["language"])[0].text)
    if fields.get("remote") is True:
        app.state = app.state.copy()
        app.state.remote = True
    if "text" in fields:
        words = app.values(fields["text"])
        texts = [[word] for word in words] if fields.get("apart") is True else [words]
        plain = fields.get("plain") is True
        for text in filter(None, texts):
            _inline(app, language, text, app.state, plain)
    elif "file" in fields:
        for word in _files(app, fields["file"]):
            _file(app, language, word)
            if app.entry.same_shell:
                # It may hold a `cd`, or set variables.
                app.walker.lose(app.state)
                app.state.cwd = UNKNOWN
    else:
        _standard_input(app, language)


def _files(app: Application, value: Value) -> list[Word]:
    """The files of code; not those that options which nobody sees may name."""
    hidden = not isinstance(value, bool) and all(
        item.kind == "option" and not app.arguments.occurs(item.name) for item in value
    )
    return [] if hidden else app.values(value)


def _file(app: Application, language: str, word: Word) -> None:
    text = word.text
    if isinstance(text, str) and text.startswith("/"):
        text = "/" + posixpath.normpath(text).lstrip("/")
    if word.process:
        _, printed = app.walker.pipes.get(id(word), (word, None))
        if printed is not None and not printed.below:
            _inline(app, language, [printed], app.state)
            return
        _interpret(app, language, "download" if _downloads(app, word) else "stdin", word.span)
        return
    found = _STANDARD_INPUT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        _interpret(app, language, "file", word.span)
    elif found["other"]:
        _interpret(app, language, "stdin", word.span)
    else:
        _standard_input(app, language)


def _downloads(app: Application, word: Word) -> bool:
    return id(word) in app.walker.downloads


def _inline(
    app: Application, language: str, words: list[Word], state: State, plain: bool = False
) -> None:
    """Text that is given in words. `plain`: in a language in which much is written that does
    nothing, so that only what it does counts."""
    download = any(_downloads(app, word) for word in words)
    span = (words[0].span[0], words[-1].span[1])
    if download or not plain:
        _interpret(app, language, "download" if download else "inline", span)
    same = app.entry.same_shell
    inner = state.inside(app.name, state.cwd, same)
    mark = len(app.walker.changes.log)
    if language == SHELL:
        if not same:
            inner.enter(span)
        _run_text(app, words, inner)
        if same and any(word.text is UNKNOWN for word in words):
            app.walker.lose(inner)
        _after(app, inner, mark, same)
        return
    text, unknown = _joined(words)
    if unknown:
        if not plain or not text.replace(_HOLE, "").strip():
            app.sink.opaque(f"{language} text that depends on a variable", span, inner.through)
        inner.certain = False
    alone = len(words) == 1 and not unknown and words[0].offset >= 0
    place = Place(words[0].offset) if alone else Place(0, span)
    start = len(app.sink.effects)
    add_code_effects(app.walker, language, text.replace(_HOLE, "_"), inner, place)
    end = len(app.sink.effects)
    if end > start + 1:
        app.walker.flows.add(Flow(start, start, end, mixed=True))


def _run_text(app: Application, words: list[Word], state: State) -> None:
    """Parse words as a shell text; what is unknown in them stays unknown."""
    span: Span = (words[0].span[0], words[-1].span[1])
    first = words[0]
    if len(words) == 1 and isinstance(first.text, str):
        place = Place(first.offset) if first.offset >= 0 else Place(0, span)
        app.walker.text(first.text, state, place)
        return
    text, unknown = _joined(words)
    if unknown:
        app.sink.opaque("shell text that depends on a variable", span, state.through)
        state.certain = False
        if not text.replace(_HOLE, "").strip():
            return
    app.walker.text(text, state, Place(0, span))


def _joined(words: list[Word]) -> tuple[str, bool]:
    """Words as one text, and whether there are holes in it where something is not known."""
    parts: list[str] = []
    unknown = False
    for word in words:
        if isinstance(word.text, str):
            parts.append(word.text)
        else:
            unknown = True
            parts.append("".join(p if isinstance(p, str) else _HOLE for p in word.pieces))
    return " ".join(parts), unknown


def _standard_input(app: Application, language: str) -> None:
    stdin = app.state.stdin
    if stdin is None:
        _interpret(app, language, "stdin", app.at)
    elif stdin.kind == "pipe":
        download = app.sink.connections > stdin.since
        _interpret(app, language, "download" if download else "stdin", app.at)
    elif stdin.kind == "file":
        assert stdin.word is not None
        _interpret(app, language, "file", stdin.word.span)
    else:
        assert stdin.word is not None
        state = app.state.copy()
        state.stdin = Stdin("text", 0, None)
        _inline(app, language, [stdin.word], state)


def _interpret(app: Application, language: str, source: str, span: Span) -> None:
    remote = app.state.remote
    if remote and source == "stdin":
        source = "download"
    fields = {"language": language, "source": source, "remote": remote}
    app.sink.add("interpret", fields, span, app.state)
