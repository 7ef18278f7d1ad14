"""Variables that are set, and what follows from their names and values."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from callgate.effects.command import ParsedCommand
from callgate.effects.evaluated import run_evaluated
from callgate.effects.program_spec import EffectSpec
from callgate.effects.shell.slots import Value, value_of
from callgate.effects.shell.tree import Span, Word, constant, unresolved
from callgate.effects.shell.words import Place
from callgate.effects.state import State
from callgate.model.values import UNKNOWN, Unknown

if TYPE_CHECKING:
    from callgate.effects.apply import Application
    from callgate.effects.commands import Commands

__all__ = ["add_environment", "set_variables", "take_assignments"]

_REFERS: Final = "-n"
"""The option by which a variable becomes another name of a variable."""

_SETS: Final = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?(\+?=)", re.ASCII)
_MORE: Final = re.compile(r"[\s;&|<>$`]")
"""What makes a value more than the name of a program."""


def add_environment(
    walker: Commands, name: str | Unknown, word: Word, span: Span, state: State
) -> None:
    """Add that a variable is set, and what its value runs where others start it as a command:
    that is in doubt, as nobody knows whether they will."""
    sink = walker.sink
    sink.add("environment", {"name": name, "value": word.text}, span, state)
    text = word.text
    if not isinstance(name, str) or not isinstance(text, str):
        return
    reader = sink.programs.reader(name)
    if not reader and (_MORE.search(text) is None or not sink.programs.starts(name)):
        return
    inner = state.inside(name, state.cwd)
    inner.enter(span)
    inner.certain = False
    inner.stdin = None
    mark = len(walker.changes.log)
    place = Place(word.offset) if word.offset >= 0 else Place(0, word.span)
    if reader:
        _options(walker, reader, text, inner, place)
    else:
        walker.text(text, inner, place)
    walker.forget(mark, state)


def _options(walker: Commands, reader: str, text: str, state: State, place: Place) -> None:
    """A program reads a text as options. One that runs files of a language also replaces what is
    written in it."""
    from callgate.effects.apply import Application
    from callgate.effects.code.entry import add_code_effects

    sink, span = walker.sink, place.span(0, len(text))
    try:
        words = tuple([constant(word, span) for word in (reader, *shlex.split(text))])
    except ValueError:
        sink.opaque(f"options of {reader} that can't be read", span, state.through)
        return
    program = sink.programs.get(reader)
    start = len(sink.effects)
    command = ParsedCommand(words, span, program, sink.programs.trusted, True, state.cwd)
    if program is not None:
        Application(walker, command, state).run()
    if "$" in text:
        run = [effect.fields for effect in sink.effects[start:] if effect.kind == "interpret"]
        languages = {str(fields["language"]) for fields in run if fields["source"] == "file"}
        for language in sorted(languages):
            add_code_effects(walker, language, text, state, place)


def take_assignments(walker: Commands, words: tuple[Word, ...], state: State) -> tuple[Word, ...]:
    """The words of a command without the assignments in front, as behind `time`; they are noted."""
    for index, word in enumerate(words):
        text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
        found = _SETS.match(text) if isinstance(text, str) else None
        if found is None:
            return words[index:]
        value = word.tail(found.end()) if found.group(2) == "=" else unresolved(word.span)
        add_environment(walker, found.group(1), value, word.span, state)
        walker.assign(found.group(1), None, state)
    return ()


def set_variables(app: Application, spec: EffectSpec) -> None:
    """`variable`: variables that are set."""
    walker, state, fields = app.walker, app.state, spec.fields
    options = app.arguments.occurrences
    keeps, fixed = fields.get("keeps") is True, fields.get("fixed") is True
    sets = keeps or fields.get("sets") is True
    evaluates, gone = fields.get("evaluates") is True, fields.get("gone") is True
    names = app.values(fields["name"])
    refers = any(item.name == _REFERS for item in options)
    if refers:
        # What is set through the name is another variable.
        walker.assign(None, None, state)
        walker.changes.wild = True
    if names and (evaluates or (sets and options)):
        walker.evaluated.wanted = True
    stdin = state.stdin
    if not sets and stdin is not None and stdin.kind == "text" and stdin.word is not None:
        walker.evaluated.hold((stdin.word,), state)
    read = _read_value(app) if fields.get("reads") is True and len(names) == 1 else None
    for word in names:
        if evaluates and not word.bare:
            run_evaluated(walker, word, state)
        name, equals = _named(app, word)
        value: Value | None = None
        if name and equals and not (gone or (keeps and evaluates)):
            plain = equals == "=" and word.text is not UNKNOWN
            given = unresolved(word.span)
            if equals == "=":
                given = word.tail(len(name) + 1)
            add_environment(walker, name, given, word.span, state)
            value = value_of(given) if plain and sets else None
            if refers:
                other = {"name": given.text, "value": UNKNOWN}
                app.sink.add("environment", other, word.span, state)
        elif keeps and (evaluates or name is not None):
            continue
        elif not gone and not evaluates:
            value = read
            plain = sets or fixed
            # An option that nobody sees is far-fetched.
            unseen = name is None and word.span == app.at
            if not unseen and (name is None or (not plain and app.sink.programs.obeyed(name))):
                other = {"name": UNKNOWN if name is None else name, "value": UNKNOWN}
                app.sink.add("environment", other, word.span, state)
        if fixed and name is not None:
            walker.changes.fix(name)
        elif options and name is not None and read is None:
            walker.changes.never(name)
        walker.assign(name, None if equals == "[" else value, state)


def _named(app: Application, word: Word) -> tuple[str | None, str]:
    """The variable that a word names, None where nobody knows it; and what follows the name: `=`,
    `+=`, `[` (of a part of an array) or nothing. What a subscript runs is run."""
    text = word.text if isinstance(word.text, str) else (*word.pieces, UNKNOWN)[0]
    if not isinstance(text, str):
        app.walker.evaluated.wanted = True
        return None, ""
    name, equals, _ = text.partition("=")
    if "[" in name:
        app.walker.evaluated.wanted = True
        if not word.bare:
            run_evaluated(app.walker, word, app.state)
        return name.partition("[")[0], "["
    if not equals and word.text is UNKNOWN:
        app.walker.evaluated.wanted = True
        return None, ""
    if name.endswith("+"):
        return name[:-1], "+="
    return name, equals


def _read_value(app: Application) -> Value | None:
    """What a line of standard input is, where names come out of it."""
    stdin = app.state.stdin
    names = None if stdin is None or app.arguments.unsure else stdin.word
    return value_of(names) if names is not None and names.below else None
