"""What a command writes to its standard output, where its words say it."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.apply import Application
from callgate.effects.shell.tree import Word, constant
from callgate.effects.state import Stdin

__all__ = ["printed"]

_STDIN: Final = "stdin"
_NAME: Final = "name"
_LINES: Final = "lines"
_FOUND: Final = "FOUND"
_SIMPLE: Final = re.compile(r"(?:[^%\\]|%s|%%|\\n|\\t)*")
_CODES: Final = re.compile(r"%s|%%|\\n|\\t")


def printed(application: Application, stdin: Stdin | None, effects: int) -> Word | None:
    """The text that a command prints, or what stands for the names that it prints (see
    `Word.below`); else None. `stdin`: where its standard input comes from; `effects`: how many it
    has.

    A program that prints `stdin` passes that on where it has no operands; one that prints `lines`
    passes some of the names on where it reads nothing else; one that prints a `name` prints one
    word without a slash; one that prints `FORMAT then WORD` fills a format as printf does.
    """
    arguments = application.arguments
    value = arguments.program.prints
    if value is None or isinstance(value, bool) or arguments.unsure:
        return None
    kinds = [item.name if item.kind in ("constant", "operand") else "" for item in value]
    if kinds[0] == _NAME:
        given = application.command.words[1:]
        known = all(isinstance(word.text, str) and "/" not in word.text for word in given)
        known = known and not arguments.meanings
        return Word("*", application.at, glob=True) if known else None
    found = _FOUND in kinds
    if found and (names := _names(application)) is not None:
        return names
    if any(item.option is None or item.option.meaning for item in arguments.occurrences):
        return None
    fed = stdin.word if stdin is not None and stdin.kind != "file" else None
    if _LINES in kinds:
        return fed if fed is not None and fed.below and not effects else None
    if found or arguments.ambiguous:
        return None
    if kinds[0] == _STDIN:
        return fed if not arguments.positional else None
    words = application.values(value)
    if not words or any(not _literal(word) for word in words):
        return None
    if value[0].kind == "then":
        return _formatted(words)
    if any("\\" in str(word.text) for word in words):
        # Some shells' echo replaces it, others' doesn't.
        return None
    return words[0] if len(words) == 1 else _text(" ".join(str(w.text) for w in words), words)


def _names(application: Application) -> Word | None:
    """One word for the names that a search prints."""
    search = application.entry.found
    words = application.found()
    if search is None or not words:
        return None
    arguments = application.arguments
    if arguments.has(search.altered) or any(o.option is None for o in arguments.occurrences):
        return None
    if len(words) == 1:
        return words[0] if isinstance(words[0].text, str) else None
    cwd, paths = application.state.cwd, application.sink.paths
    if not isinstance(cwd, str):
        return None
    folder = f"{cwd.rstrip('/')}/"
    places = [paths.word(word, cwd) for word in words]
    if not all(isinstance(place, str) and place.startswith(folder) for place in places):
        return None
    return Word(cwd, application.at, below=True)


def _literal(word: Word) -> bool:
    return isinstance(word.text, str) and not word.glob and word.home < 0


def _formatted(words: list[Word]) -> Word | None:
    """What printf makes of a format and words."""
    form, given = str(words[0].text), [str(word.text) for word in words[1:]]
    if not _SIMPLE.fullmatch(form):
        return None
    count = form.replace("%%", "").count("%s")
    rounds = 1 if not count or not given else -(-len(given) // count)
    values = iter(given)

    def code(found: re.Match[str]) -> str:
        written = found.group()
        if written == "%s":
            return next(values, "")
        return {"%%": "%", "\\n": "\n", "\\t": "\t"}[written]

    parts = [_CODES.sub(code, form) for _ in range(rounds)]
    return _text("".join(parts), words)


def _text(text: str, words: list[Word]) -> Word:
    return constant(text, (words[0].span[0], words[-1].span[1]))
