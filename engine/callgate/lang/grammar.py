"""Running Lark: the language's grammars, built when first used, and where a text fails them."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from callgate.lang.errors import ConditionError
from callgate.resources import grammar_text

if TYPE_CHECKING:
    from lark import Lark
    from lark.exceptions import UnexpectedInput

__all__ = ["Failure", "Grammar"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a text stopped being right: at offset `at` stands a terminal of the grammar, `kind`
    with the text `word`; `kind` is empty if no terminal begins there, and `word` one character;
    `kind` is `$END` at the end. `accepts`: the terminals that could have stood there."""

    text: str
    at: int
    kind: str
    word: str
    accepts: Set[str]


class Grammar:
    """A grammar as a parser.

    `name` is its file in grammar/, `starts` are the rules to start from; `builder` has a method
    per rule; `explain` says what a failure is in the author's words.
    """

    def __init__(
        self,
        name: str,
        starts: list[str],
        builder: Any,
        explain: Callable[[Failure], ConditionError],
        **options: Any,
    ) -> None:
        self._name = name
        self._starts = starts
        self._builder = builder
        self._explain = explain
        self._options = options
        self._lark: Lark | None = None

    def parse(self, text: str, start: str) -> Any:
        """What the builder makes of the text; raises ConditionError."""
        from lark.exceptions import UnexpectedInput

        lark = self._lark
        if lark is None:
            lark = self._lark = self._build()
        try:
            return lark.parse(text, start=start)
        except UnexpectedInput as error:
            failure = _failure(lark, text, start, error)
        raise self._explain(failure)

    def _build(self) -> Lark:
        from lark import Lark

        return Lark(
            grammar_text(self._name),
            parser="lalr",
            start=self._starts,
            transformer=self._builder,
            maybe_placeholders=False,
            **self._options,
        )


def _failure(lark: Lark, text: str, start: str, error: UnexpectedInput) -> Failure:
    token: Any = getattr(error, "token", None)
    at = error.pos_in_stream or 0
    kind, word = "", text[at : at + 1]
    if token is not None:
        kind, word = token.type, str(token)
        at = len(text) if kind == "$END" else at
    # Lark may have gone on by the time it notices; ask it again, at the end of what is right.
    right: Any = lark.parse_interactive(text[:at], start=start)
    right.exhaust_lexer()
    return Failure(text, at, kind, word, right.accepts())
