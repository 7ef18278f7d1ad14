"""Why a condition can't be parsed, in the words of somebody who writes policies."""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Final

from callgate.lang.errors import ConditionError
from callgate.lang.foreign import foreign_symbol, foreign_word, infix_function
from callgate.lang.grammar import Failure
from callgate.lang.literals import LITERAL

__all__ = ["explain"]

_MAX_SHOWN: Final = 40
_KEYWORDS: Final = frozenset({"NOT", "IN", "HAS", "WHERE", "RELATION", "BOOLEAN", "QUANTIFIER"})
_COMPARISONS: Final = frozenset({"COMPARE", "RELATION", "IN", "NOT"})
_CLOSING: Final = {")": "(", "]": "["}
_TERMINALS: Final = {"COMMA": "`,`", "RPAR": "`)`", "RSQB": "`]`", "WHERE": "`where`", "IN": "`in`"}
_EACH: Final = "write `any(x in list where condition)`"
_QUANTIFIERS: Final = {
    **dict.fromkeys(["all", "every", "forall"], "write `none(x in list where not condition)`"),
    **dict.fromkeys(["exists", "some"], _EACH),
}
_SINGLE_QUOTED = re.compile(r"'(?:[^'\\\r\n]|\\.)*'?")
_LINE = re.compile(r"[^\r\n]*")
_CHUNK = re.compile(r"[^\s\"'`()\[\],]+")
_LAST = re.compile(r"([A-Za-z0-9_-]+|\?\?|[=!<>]=|\S)\s*\Z")
_NAME_BEFORE = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)\s*\Z")


@dataclass(frozen=True, slots=True)
class _Place(Failure):
    """A failure with the word before it."""

    before: str

    @property
    def wants_value(self) -> bool:
        """Whether a value may begin here."""
        return "NAME" in self.accepts

    @property
    def wants_operator(self) -> bool:
        """Whether a complete condition ends here."""
        return "AND" in self.accepts

    def error(self, message: str, help: str = "", code: str = "P001") -> ConditionError:
        """An error about the word found."""
        return ConditionError(code, message, self.at, self.at + len(self.word), help)


def explain(failure: Failure) -> ConditionError:
    """What is wrong with a condition that its grammar refuses."""
    text, at = failure.text, failure.at
    if failure.kind == "$END":
        return _ended(text, failure.accepts)
    last = _LAST.search(text, 0, at)
    before = last[1] if last else ""
    place = _Place(text, at, failure.kind, failure.word, failure.accepts, before)
    return next(found for found in (rule(place) for rule in _RULES) if found)


def _ended(text: str, accepts: Set[str]) -> ConditionError:
    stripped = text.rstrip()
    last = _last_token(stripped)
    if not stripped:
        return ConditionError("P001", "there is nothing here", 0, len(text))
    opened = _open_brackets(stripped)
    if opened and accepts & {"RPAR", "RSQB"} and "NAME" not in accepts:
        at = opened[-1]
        closing = ")" if text[at] == "(" else "]"
        message = f"this `{text[at]}` is never closed"
        return ConditionError("P001", message, at, at + 1, f"add `{closing}`")
    message = f"after `{_shown(stripped[last:])}`, {_expectation(accepts)} is missing"
    return ConditionError("P001", message, last, len(stripped))


def _literal(place: _Place) -> ConditionError | None:
    """Quotes that are never closed, and single ones."""
    text, at = place.text, place.at
    if place.kind:
        return None
    regex = place.before == "r" and text[:at].endswith("r")
    if quoted := _SINGLE_QUOTED.match(text, at):
        said = _shown(quoted[0].strip("'").replace('"', '\\"'))
        message = "texts stand between double quotes, not single ones"
        help = f'write `{"r" * regex}"{said}"`'
        return ConditionError("P004", message, at - regex, quoted.end(), help)
    if place.word not in '"`':
        return None
    what = "command pattern" if place.word == "`" else "text"
    if regex and place.word == '"':
        what, at = "regular expression", at - 1
    line = _LINE.match(text, at)
    end = line.end() if line else at + 1
    help = "close it on the line on which it begins"
    return ConditionError("P001", f"this {what} is never closed", at, end, help)


def _symbol(place: _Place) -> ConditionError | None:
    """Symbols of other languages."""
    found = foreign_symbol(place.text, place.at, len(place.word) if place.kind else 0)
    if found:
        return ConditionError("P004", *found)
    if place.kind == "VBAR":
        help = "write `x in a|b`; join conditions with `or`"
        return place.error("`|` stands between words after `in` only", help, "P004")
    return None


def _number(place: _Place) -> ConditionError | None:
    """Fractions, units, digits in groups."""
    chunk = _CHUNK.match(place.text, place.at)
    if place.kind == "DOT" and place.before.isdigit() and place.text[place.at + 1 :][:1].isdigit():
        return place.error("there are no fractions", "numbers are whole: count in a smaller unit")
    if place.kind or not chunk or not "0" <= place.word <= "9":
        return None
    message = f"`{_shown(chunk[0])}` is neither a number nor a name"
    help = f'numbers are digits only; a text is `"{_shown(chunk[0])}"`'
    return ConditionError("P001", message, *chunk.span(), help)


def _character(place: _Place) -> ConditionError | None:
    """Characters that can't stand outside literals at all."""
    if place.kind:
        return None
    help = "names are made of a-z, A-Z, 0-9, `_` and `-`; anything else is a text in double quotes"
    return place.error(f"`{place.word}` can't stand here", help)


def _negation(place: _Place) -> ConditionError | None:
    """`not` at the wrong place."""
    if place.before == "not" and place.accepts == {"IN"}:
        help = "write `not` before the comparison: `not x under y`"
        return place.error(f"expected `in` after `not`, found `{_shown(place.word)}`", help)
    if place.kind == "NOT" and place.wants_value:
        help = "write `not` before the comparison: `not x is y`"
        help = "write `not has x`" if place.before == "has" else help
        return place.error(f"`not` can't stand after `{place.before}`", help)
    return None


def _chain(place: _Place) -> ConditionError | None:
    """`a < b < c`."""
    if place.kind not in _COMPARISONS or not place.wants_operator:
        return None
    help = "join two comparisons with `and`, or put one into parentheses"
    return place.error("comparisons can't be chained", help)


def _quantifier(place: _Place) -> ConditionError | None:
    """`all(…)`, and quantifiers without their parts."""
    if place.kind == "RPAR" and "WHERE" in place.accepts:
        return place.error("`where` is missing", "write `where true` to take every element")
    if place.accepts == {"IN"}:
        return place.error(f"expected `in`, found `{_shown(place.word)}`", "write `x in list`")
    opened = _open_brackets(place.text[: place.at])
    if place.kind != "WHERE" or not opened:
        return None
    name = _NAME_BEFORE.search(place.text, 0, opened[-1])
    if name and name[1] in _QUANTIFIERS:
        return ConditionError(
            "P004", f"there is no `{name[1]}`", *name.span(1), _QUANTIFIERS[name[1]]
        )
    return place.error("`where` belongs to `any`, `none` and `count`", _EACH)


def _bracket(place: _Place) -> ConditionError | None:
    """Closing what was not opened, and calling what is no function."""
    if place.word in _CLOSING and place.wants_operator:
        opened = _open_brackets(place.text[: place.at])
        if not opened:
            return place.error(f"this `{place.word}` closes nothing", "remove it")
        opening = place.text[opened[-1]]
        help = "each bracket is closed by its own kind"
        return place.error(f"`{opening}` can't be closed with `{place.word}`", help)
    if place.kind == "LPAR" and place.wants_operator and place.before[-1:].isalnum():
        help = foreign_word(place.before) or "functions stand before their values: `name(value)`"
        return place.error(f"`{place.before}` can't be called here", help)
    return None


def _word(place: _Place) -> ConditionError | None:
    """Words of other languages, and keywords as names."""
    shown = _shown(place.word)
    if place.wants_operator and place.kind in ("NAME", "FIELD"):
        if place.before in ("any", "none", "count"):
            return place.error(f"expected `(` after `{place.before}`, found `{shown}`", _EACH)
        end = place.at + len(place.word)
        help = infix_function(place.text, place.at, end) or foreign_word(place.word)
        if help:
            return place.error(f"`{shown}` is not an operator", help, "P004")
    if place.kind in _KEYWORDS and place.wants_value:
        help = f"`{place.word}` is a word of the language and can't be a name"
        return place.error(f"expected {_expectation(place.accepts)}, found `{shown}`", help)
    return None


def _anything(place: _Place) -> ConditionError:
    """What was found and what could stand there."""
    help = ""
    if place.kind == "COMMA" and place.wants_operator:
        help = "a list is `[a, b]`, a set of words `a|b`"
    elif place.before == "has":
        help = "`has` asks for a fact: `has call.user_id`"
    elif place.wants_operator:
        help = "join conditions with `and` or `or`; compare with `==`, `in`, `under`, …"
    return place.error(
        f"expected {_expectation(place.accepts)}, found `{_shown(place.word)}`", help
    )


_RULES: Final[tuple[Callable[[_Place], ConditionError | None], ...]] = (
    _literal,
    _symbol,
    _number,
    _character,
    _negation,
    _chain,
    _quantifier,
    _bracket,
    _word,
    _anything,
)


def _expectation(accepts: Set[str]) -> str:
    """What may stand here: `a value`, `an operator or `)``."""
    options = []
    if "NAME" in accepts:
        options.append("a value" if "TEXT" in accepts else "a name")
    if "FIELD" in accepts:
        options.append("a name")
    if "AND" in accepts:
        options.append("an operator")
    for terminal, shown in _TERMINALS.items():
        if terminal in accepts and not (terminal == "IN" and "AND" in accepts):
            options.append(shown)
    if not options:
        options.append("`.`" if "DOT" in accepts else "`(`" if "LPAR" in accepts else "the end")
    return " or ".join(filter(None, [", ".join(options[:-1]), options[-1]]))


def _open_brackets(text: str) -> list[int]:
    """Offsets of the brackets that are open at the end of the text, outermost first."""
    masked = LITERAL.sub(lambda found: "_" * len(found[0]), text)
    opened: list[int] = []
    for at, char in enumerate(masked):
        if char in "([":
            opened.append(at)
        elif opened and _CLOSING.get(char) == masked[opened[-1]]:
            opened.pop()
    return opened


def _last_token(text: str) -> int:
    """The offset of the last word, literal or symbol."""
    end = max(
        (found.start() for found in LITERAL.finditer(text) if found.end() == len(text)), default=-1
    )
    if end >= 0:
        return end
    last = _LAST.search(text)
    return last.start(1) if last else 0


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
