"""Commands that run other commands: wrappers, shells, interpreters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from callgate.effects.program_spec import EffectSpec
from callgate.effects.shell.tree import Span, Word, unresolved
from callgate.effects.shell.words import Place
from callgate.effects.state import State, Stdin
from callgate.model.values import UNKNOWN

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = ["SHELL", "run_code", "run_command", "run_shell"]

SHELL = "shell"
"""The language whose text is parsed."""


_STANDARD_INPUT: Final = re.compile(
    r"-|/dev/stdin|(?:/dev|/proc/(?:self|thread-self|\d+))/fd/(?:0|(?P<other>.+))"
)
"""The ways to name standard input as a file, and `other` descriptors."""


def run_command(app: Application, spec: EffectSpec) -> None:
    """`command`: the words of another command."""
    fields = spec.fields
    more = fields.get("more") is True
    marks = [w.text for w in app.values(fields["replace"])] if "replace" in fields else []
    with_ = app.values(fields["with"]) if "with" in fields else []
    for words in _vectors(app, spec):
        replaced = False
        inner: list[Word] = []
        for word in words:
            new = _replace(word, marks, with_)
            replaced = replaced or new is not None
            inner += [word] if new is None else new
        if not inner:
            continue
        if more and not replaced:
            inner.append(unresolved(app.at, splits=True))
        state = app.state.inside(app.name, app.state.cwd)
        app.walker.invoke(tuple(inner), state)
        app.state.cwd = state.cwd if app.entry.same_shell else app.state.cwd


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
    return vectors


def _replace(word: Word, marks: Sequence[object], with_: list[Word]) -> list[Word] | None:
    """The words that stand for a word in which something is replaced; None when nothing is."""
    if not marks or not isinstance(word.text, str):
        return None
    for mark in marks:
        if not isinstance(mark, str):
            return [unresolved(word.span, splits=True)]
        if mark and mark in word.text:
            if word.text == mark and with_:
                return with_
            head = word.text.partition(mark)[0]
            pieces = (head, UNKNOWN) if head else (UNKNOWN,)
            return [Word(UNKNOWN, word.span, pieces=pieces)]
    return None


def run_shell(app: Application, spec: EffectSpec) -> None:
    """`shell`: words that a shell elsewhere joins and runs."""
    words = app.values(spec.fields["text"])
    if words:
        state = app.state.inside(app.name, "~")
        state.stdin = None
        _run_text(app, words, state)


def run_code(app: Application, spec: EffectSpec) -> None:
    """`code`: text, a file or standard input, run by an interpreter."""
    fields = spec.fields
    language = str(app.values(fields["language"])[0].text)
    if "text" in fields:
        words = app.values(fields["text"])
        if words:
            _inline(app, language, words, app.state)
    elif "file" in fields:
        for word in app.values(fields["file"]):
            _file(app, language, word)
            if app.entry.same_shell:
                # It may hold a `cd`.
                app.walker.changes.moves = True
                app.state.cwd = UNKNOWN
    else:
        _standard_input(app, language)


def _file(app: Application, language: str, word: Word) -> None:
    text = word.text
    if isinstance(text, str) and text.startswith("/"):
        text = "/" + posixpath.normpath(text).lstrip("/")
    if word.process:
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


def _inline(app: Application, language: str, words: list[Word], state: State) -> None:
    download = any(_downloads(app, word) for word in words)
    span = (words[0].span[0], words[-1].span[1])
    _interpret(app, language, "download" if download else "inline", span)
    inner = state.inside(app.name, state.cwd)
    if language == SHELL:
        _run_text(app, words, inner)
        if app.entry.same_shell:
            state.cwd = inner.cwd
    elif any(word.text is UNKNOWN for word in words):
        app.sink.opaque(f"{language} text that depends on a variable", span, inner.through)


def _run_text(app: Application, words: list[Word], state: State) -> None:
    """Parse words as a shell text; what is unknown in them stays unknown."""
    span: Span = (words[0].span[0], words[-1].span[1])
    first = words[0]
    if len(words) == 1 and isinstance(first.text, str):
        place = Place(first.offset) if first.offset >= 0 else Place(0, span)
        app.walker.text(first.text, state, place)
        return
    parts: list[str] = []
    unknown = False
    for word in words:
        if isinstance(word.text, str):
            parts.append(word.text)
        else:
            unknown = True
            parts.append("".join(p if isinstance(p, str) else "${_}" for p in word.pieces))
    text = " ".join(parts)
    if unknown:
        app.sink.opaque("shell text that depends on a variable", span, state.through)
        state.certain = False
        if not text.replace("${_}", "").strip():
            return
    app.walker.text(text, state, Place(0, span))


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
    app.sink.add("interpret", {"language": language, "source": source}, span, app.state)
