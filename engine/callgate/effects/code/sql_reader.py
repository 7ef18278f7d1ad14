"""Reads SQL: its statements, its functions that reach outside, and its clients' own commands."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.spec import Language
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
    r"(?m)(?:^[ \t]*|(?<=\s))(?P<name>\\[!\w+]+|^\.\w+|^[a-z]+(?=[ \t]))(?P<rest>.*)$"
)
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
    text = _own_commands(text, language, maker)
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


def _own_commands(text: str, language: Language, maker: Maker) -> str:
    """Add what a client's own commands do; gives the text without them."""
    if "\\" not in text and "." not in text and not text[:1].isalpha():
        return text
    parts: list[str] = []
    end = 0
    for found in _OWN.finditer(text):
        name = found["name"].lower()
        effects = language.calls.get(name if name[0] in "\\." else _LINE + name)
        if effects is None and name[0] not in "\\.":
            continue
        start = found.start("name")
        if effects == ():
            parts += [text[end:start], " "]
            end = start + 1
            continue
        parts += [text[end:start], " " * (found.end() - start)]
        end = found.end()
        if effects:
            span = found.span("rest")
            rest = found["rest"].strip().rstrip(";")
            maker.call(effects, Call(None, name, span, None, [Word(rest, span)]))
    return "".join((*parts, text[end:]))
