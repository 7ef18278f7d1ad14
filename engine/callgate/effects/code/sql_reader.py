"""Reads SQL: its statements, its functions that reach outside, and its clients' own commands."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.spec import CallEffect, Language
from callgate.effects.code.sql_files import add_files, dot_words
from callgate.effects.code.sql_statements import (
    MAX_LENGTH,
    Statement,
    TooDeepError,
    read_statements,
)
from callgate.effects.code.token_reader import read_tokens
from callgate.effects.code.values import Call
from callgate.effects.shell.tree import Word
from callgate.model.values import UNKNOWN

__all__ = ["read_sql"]

_OWN: Final = re.compile(
    r"(?m)^[^\S\n]*(?P<line>\.[A-Za-z]\w*|\\\.|[A-Za-z]+(?=[ \t]))"
    r"|(?:^|(?<=[\s;)]))(?P<name>\\(?:!|[\w+]+))"
)
_DOT: Final = ".*"
_EVALUATED: Final = "\\`"
_REST: Final = re.compile(r"[^\n;]*")
_BACKTICKS: Final = re.compile(r"`([^`]*)`?")
_MAX_STATEMENTS: Final = 1000
_LINE: Final = "^"


def read_sql(
    text: str, language: Language, maker: Maker, dialect: str, surely: bool = True
) -> None:
    """Add the effects of an SQL text. `surely`: no part of it is unknown."""
    whole = (0, len(text))
    at = maker.state
    if len(text) > MAX_LENGTH:
        reason = f"the SQL is longer than {MAX_LENGTH // 1024} KiB"
        maker.sink.opaque(reason, maker.span(whole), at.through, bound=True)
        return
    text = _own_commands(text, language, maker, surely)
    add_files(text, language, maker, surely)
    read_tokens(text, language, maker, leftovers=False)
    try:
        found = read_statements(text, dialect)
    except TooDeepError:
        reason = "SQL that is nested too deep to read"
        maker.sink.opaque(reason, maker.span(whole), at.through, bound=True)
        return
    if len(found) > _MAX_STATEMENTS:
        reason = f"more than {_MAX_STATEMENTS} statements of SQL"
        maker.sink.opaque(reason, maker.span(whole), at.through, bound=True)
        return
    if not surely:
        found.append(Statement(UNKNOWN, UNKNOWN, UNKNOWN))
    for statement in dict.fromkeys(found):
        fields = {
            "statement": statement.kind,
            "tables": statement.tables,
            "has_where": statement.has_where,
        }
        maker.sink.add("sql", fields, maker.span(whole), at)


def _own_commands(text: str, language: Language, maker: Maker, surely: bool) -> str:
    """Add what a client's own commands do; gives the text without them."""
    parts: list[str] = []
    end = work = 0
    for found in _OWN.finditer(text):
        name = (found["line"] or found["name"]).lower()
        effects = language.calls.get(name if name[0] in "\\." else _LINE + name)
        if effects is None:
            if name[0] == ".":
                effects = language.calls.get(_DOT)
            elif name[0] != "\\":
                continue
        start = found.end() - len(name)
        stop = text.find("\n", start)
        rest = (found.end(), len(text) if stop < 0 else stop)
        # Of those in one line each may take the rest of it.
        work += rest[1] - rest[0]
        if work > MAX_LENGTH:
            reason = "more commands in a line than are read"
            at = maker.state
            maker.sink.opaque(reason, maker.span(rest), at.through, bound=True)
            break
        if name[0] == "\\":
            _evaluated(text, rest, language, maker)
        if start >= end:
            parts += [text[end:start], " "]
            end = _end(text, found, effects)
        if effects:
            written = text[slice(*rest)].strip().rstrip(";")
            words = dot_words(written, rest, surely)
            maker.call(effects, Call(None, name, rest, None, [Word(written, rest), *words]))
    return "".join((*parts, text[end:]))


def _end(text: str, found: re.Match[str], effects: tuple[CallEffect, ...] | None) -> int:
    """Where a client's own command ends: no later than a statement, as it may stand in a text."""
    own = found["name"]
    alone = not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip()
    if own and (effects == () or (effects is None and not alone)):
        return found.start() + 1 if effects == () else found.end()
    rest = _REST.match(text, found.end())
    return rest.end() if rest else found.end()


def _evaluated(text: str, rest: tuple[int, int], language: Language, maker: Maker) -> None:
    """Add what a command of psql has a shell run for its arguments."""
    effects = language.calls.get(_EVALUATED)
    for found in _BACKTICKS.finditer(text, *rest) if effects else ():
        word = Word(found[1], found.span())
        maker.call(effects or (), Call(None, _EVALUATED, found.span(), None, [word]))
