"""Text that interpreters run: inline, from files, from standard input."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from callgate.effects.program_spec import EffectSpec, Value
from callgate.effects.relations import FED, Flow
from callgate.effects.shell.tree import Span, Word
from callgate.effects.shell.words import Place
from callgate.effects.state import State, Stdin
from callgate.model.values import UNKNOWN, Unknown

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = [
    "HOLE",
    "SHELL",
    "after",
    "obeyed_file",
    "run_code",
    "run_inline",
    "run_known",
    "run_standard_input",
    "run_text",
]

SHELL = "shell"
"""The language whose text is parsed."""

HOLE: Final = "${_}"
"""Stands in a text for what nobody knows."""

_STANDARD_INPUT: Final = re.compile(
    r"-|/dev/stdin|(?:/dev|/proc/(?:self|thread-self|\d+))/fd/(?:0|(?P<other>.+))"
)
"""The ways to name standard input as a file, and `other` descriptors."""


def after(app: Application, state: State, mark: int, same_shell: bool) -> None:
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
            run_inline(app, language, text, app.state, plain)
    elif "file" in fields:
        for word in _files(app, fields["file"]):
            _file(app, language, word)
            if app.entry.same_shell:
                # It may set variables. (It may also hold a `cd`, as it may do anything.)
                app.walker.lose(app.state)
    else:
        run_standard_input(app, language)


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
            run_inline(app, language, [printed], app.state)
            return
        _interpret(app, language, "download" if _downloads(app, word) else "stdin", word.span)
        return
    found = _STANDARD_INPUT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        _interpret(app, language, "file", word.span)
        if text is UNKNOWN:
            reason = "the file that is interpreted is not known before it runs"
            app.sink.opaque(reason, word.span, app.state.through)
            return
        path = obeyed_file(app, word)
        app.sink.make("read", {"path": word}, word.span, app.state)
        run_known(app, path, lambda text: run_inline(app, language, [text], app.state, True))
    elif found["other"]:
        _interpret(app, language, "stdin", word.span)
    else:
        run_standard_input(app, language)


def obeyed_file(app: Application, word: Word) -> str | Unknown:
    """The path of the file that the interpreter just noted obeys, which may have been fetched."""
    path = app.sink.paths.lexical(word, app.state.cwd)
    effects = app.sink.effects
    if effects and effects[-1].kind == "interpret":
        effects[-1].data = path
    return path


def run_known(app: Application, path: str | Unknown, run: Callable[[Word], None]) -> None:
    """Run a file whose text is known: not again inside of it."""
    files = app.walker.files
    texts = files.texts
    text = texts.pop(path, None) if isinstance(path, str) else None
    if text is not None:
        files.left -= len(str(text.text))
        if files.left < 0:
            reason = "too much text in files that the text itself makes"
            app.sink.opaque(reason, app.at, app.state.through, bound=True)
            return
        run(text)
        texts[str(path)] = text


def _downloads(app: Application, word: Word) -> bool:
    return id(word) in app.walker.downloads


def run_inline(
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
        run_text(app, words, inner)
        if same and any(word.text is UNKNOWN for word in words):
            app.walker.lose(inner)
        after(app, inner, mark, same)
        return
    text, unknown = _joined(words)
    if unknown:
        if not plain or not text.replace(HOLE, "").strip():
            app.sink.opaque(f"{language} text that depends on a variable", span, inner.through)
        inner.certain = False
    alone = len(words) == 1 and not unknown and words[0].offset >= 0
    place = Place(words[0].offset) if alone else Place(0, span)
    start = len(app.sink.effects)
    from callgate.effects.code.entry import add_code_effects

    add_code_effects(app.walker, language, text.replace(HOLE, "_"), inner, place)
    end = len(app.sink.effects)
    if end > start + 1:
        app.walker.flows.add(Flow(start, start, end, mixed=True))


def run_text(app: Application, words: list[Word], state: State) -> None:
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
        if not text.replace(HOLE, "").strip():
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
            parts.append("".join(p if isinstance(p, str) else HOLE for p in word.pieces))
    return " ".join(parts), unknown


def run_standard_input(app: Application, language: str) -> None:
    """Run what a command is fed."""
    stdin = app.state.stdin
    if stdin is None:
        _interpret(app, language, "stdin", app.at)
    elif stdin.kind == "pipe":
        download = app.sink.connections > stdin.since
        _interpret(app, language, "download" if download else "stdin", app.at)
        effects = app.sink.effects
        if download and effects and effects[-1].kind == "interpret":
            effects[-1].data = FED
    elif stdin.kind == "file":
        assert stdin.word is not None
        _interpret(app, language, "file", stdin.word.span)
        path = obeyed_file(app, stdin.word)
        run_known(app, path, lambda text: run_inline(app, language, [text], app.state, True))
    else:
        assert stdin.word is not None
        state = app.state.copy()
        state.stdin = Stdin("text", 0, None)
        run_inline(app, language, [stdin.word], state)


def _interpret(app: Application, language: str, source: str, span: Span) -> None:
    remote = app.state.remote
    if remote and source == "stdin":
        source = "download"
    fields = {"language": language, "source": source, "remote": remote}
    app.sink.add("interpret", fields, span, app.state)
