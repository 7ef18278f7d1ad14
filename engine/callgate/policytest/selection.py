"""Which cases to run: words with `and`, `or`, `not` and parentheses, as pytest's `-k` has them.

A word fits a case when it is a part of its name, of its file's path or of the rule that it expects,
in upper or lower case. What has spaces or parentheses in it stands in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from callgate.policytest.case import Case

__all__ = ["Selected", "SelectionError", "selection"]

Selected = Callable[[Case], bool]
"""Whether a case is to be run."""

_TOKEN: Final = re.compile(r"""\s*(?:([()])|"([^"]*)"|'([^']*)'|([^\s()"']+))""")
_DEEPEST: Final = 100

_Texts = Callable[[Sequence[str]], bool]


class SelectionError(ValueError):
    """An expression that can't be read; the text says why and where."""


def selection(text: str) -> Selected:
    """What an expression selects. Raises SelectionError."""
    reader = _Reader(text)
    test = reader.either(0)
    if reader.token is not None:
        raise reader.error("expected `and`, `or` or the end")

    def selected(case: Case) -> bool:
        rule = case.expect.get("rule")
        return test([case.name.lower(), case.span.file.lower(), str(rule or "").lower()])

    return selected


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.next = 0
        self.token: tuple[str, str] | None = None
        self.advance()

    def error(self, message: str) -> SelectionError:
        quoted = " (words with spaces stand in quotes)" if self.token is not None else ""
        return SelectionError(f"-k, column {self.at + 1}: {message}{quoted}")

    def advance(self) -> None:
        """Go on to the next token: its kind, one of `(`, `)`, `and`, `or`, `not`, `word`, and its
        text; None at the end."""
        rest = self.text[self.next :]
        self.at = self.next + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.token = None
            return
        found = _TOKEN.match(self.text, self.next)
        if found is None:
            self.token = ("", "")
            raise self.error("a quote that does not end")
        self.next = found.end()
        bracket, double, single, plain = found.groups()
        if bracket:
            self.token = (bracket, bracket)
        elif plain in ("and", "or", "not"):
            self.token = (plain, plain)
        else:
            word = plain if plain is not None else double if double is not None else single
            self.token = ("word", word.lower())

    def takes(self, kind: str) -> bool:
        if self.token is None or self.token[0] != kind:
            return False
        self.advance()
        return True

    def either(self, depth: int) -> _Texts:
        parts = [self.both(depth)]
        while self.takes("or"):
            parts.append(self.both(depth))
        return parts[0] if len(parts) == 1 else lambda texts: any(p(texts) for p in parts)

    def both(self, depth: int) -> _Texts:
        parts = [self.one(depth)]
        while self.takes("and"):
            parts.append(self.one(depth))
        return parts[0] if len(parts) == 1 else lambda texts: all(p(texts) for p in parts)

    def one(self, depth: int) -> _Texts:
        if depth > _DEEPEST:
            raise self.error("nested too deep")
        if self.takes("not"):
            inner = self.one(depth + 1)
            return lambda texts: not inner(texts)
        if self.takes("("):
            found = self.either(depth + 1)
            if not self.takes(")"):
                raise self.error("expected `)`")
            return found
        if self.token is None or self.token[0] != "word":
            raise self.error("expected a word, `not` or `(`")
        word = self.token[1]
        self.advance()
        return lambda texts: any(word in text for text in texts)
