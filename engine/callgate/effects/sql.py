"""SQL that database clients are told to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.effects.interpreted import obeyed_file, run_known
from callgate.effects.program_spec import EffectSpec
from callgate.effects.shell.tree import Span, Word
from callgate.effects.shell.words import Place
from callgate.effects.state import State

if TYPE_CHECKING:
    from callgate.effects.apply import Application

__all__ = ["run_sql"]

_SQL: Final = "sql"
_STANDARD_INPUT: Final = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_HOLE: Final = "_"
"""Stands in a text for what nobody knows: a name, where a name is expected."""


def run_sql(app: Application, spec: EffectSpec) -> None:
    """`sql`: text, a file or standard input, run by a database client."""
    fields = spec.fields
    dialect = str(app.values(fields["dialect"])[0].text) if "dialect" in fields else ""
    if "text" in fields:
        for word in app.values(fields["text"]):
            _text(app, word, dialect, app.state)
    elif "file" in fields:
        for word in app.values(fields["file"]):
            if word.text in _STANDARD_INPUT:
                _standard_input(app, dialect)
            elif word.process:
                _interpret(app, "stdin", word.span)
            else:
                _file(app, word, dialect)
    else:
        _standard_input(app, dialect)


def _standard_input(app: Application, dialect: str) -> None:
    stdin = app.state.stdin
    if stdin is None:
        # A person types.
        return
    if stdin.kind == "pipe":
        _interpret(app, "download" if app.sink.connections > stdin.since else "stdin", app.at)
    elif stdin.word is None:
        _interpret(app, "file", app.at)
    elif stdin.kind == "file":
        _file(app, stdin.word, dialect)
    else:
        _text(app, stdin.word, dialect, app.state)


def _file(app: Application, word: Word, dialect: str) -> None:
    _interpret(app, "file", word.span)
    run_known(app, obeyed_file(app, word), lambda text: _text(app, text, dialect, app.state))


def _text(app: Application, word: Word, dialect: str, state: State) -> None:
    text, surely = word.text, True
    if not isinstance(text, str):
        pieces = [piece if isinstance(piece, str) else _HOLE for piece in word.pieces]
        text, surely = "".join(pieces), False
    inner = state.inside(app.name, state.cwd)
    inner.stdin = None
    inner.certain = inner.certain and surely
    place = Place(word.offset) if surely and word.offset >= 0 else Place(0, word.span)
    from callgate.effects.code.entry import add_code_effects

    add_code_effects(app.walker, _SQL, text, inner, place, dialect, surely)


def _interpret(app: Application, source: str, span: Span) -> None:
    fields = {"language": _SQL, "source": source, "remote": app.state.remote}
    app.sink.add("interpret", fields, span, app.state)
