"""What runs of tokens stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.effects.code.lexer import Token, Tokens
from callgate.effects.code.spec import Language
from callgate.effects.code.text_values import cut, expanded, formatted, searched
from callgate.effects.code.values import Value, home_word, joined, path_joined
from callgate.effects.shell.tree import Span, Word

__all__ = ["Code", "Range"]

Range = tuple[int, int]
_MAX_DEPTH: Final = 24
_MAX_WORK: Final = 300_000
_MAX_TYPE: Final = 8
_MAX_LATER: Final = 64
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_CONSTANTS: Final[dict[str, Value]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "null", "nil", "None", "undefined", "undef", "NULL"), False),
}
_SKIPPED: Final = frozenset({"new", "await", "my", "our"})


class Code:
    """Tokens without line ends that stand in brackets, with the place where each bracket closes.

    `constants`: names with exactly one value, each by the range of it.
    """

    def __init__(self, tokens: Tokens, language: Language) -> None:
        self.tokens = tokens
        self.language = language
        self.close = _closing(tokens)
        self.constants: dict[str, Range] = {}
        self._values: dict[str, Value] = {}
        self._busy: set[str] = set()
        self._depth = 0
        self._work = _MAX_WORK

    def mark(self, index: int, *texts: str) -> bool:
        """Whether there is one of some marks at an index."""
        if not 0 <= index < len(self.tokens):
            return False
        token = self.tokens[index]
        return token.kind == "mark" and token.text in texts

    def span(self, part: Range) -> Span:
        """The place of a range of tokens."""
        start, end = part
        if start >= end:
            return (0, 0)
        return self.tokens[start].start, self.tokens[end - 1].end

    def divided(self, part: Range, marks: frozenset[str]) -> Iterator[Range]:
        """The parts of a range between marks that stand in no brackets."""
        start, end = part
        begin = at = start
        while at < end:
            self._work -= 1
            token = self.tokens[at]
            if token.kind == "mark":
                if token.text in marks:
                    yield begin, at
                    begin = at + 1
                elif token.text in _BRACKETS:
                    at = self.close[at]
            at += 1
        if begin < end or begin > start:
            yield begin, min(end, len(self.tokens))

    def value(self, part: Range) -> Value:
        """What a range stands for."""
        start, end = part
        while start < end and (
            self.tokens[start].kind == "line"
            or (self.tokens[start].kind == "name" and self.tokens[start].text in _SKIPPED)
        ):
            start += 1
        while start < end and self.tokens[end - 1].kind == "line":
            end -= 1
        self._work -= 1
        if start >= end or self._depth >= _MAX_DEPTH or self._work < 0:
            return None
        self._depth += 1
        try:
            return self._one(self.tokens[start]) if end == start + 1 else self._long(start, end)
        finally:
            self._depth -= 1

    def _one(self, token: Token) -> Value:
        if token.holes and isinstance(token.value, Word):
            return self._filled(token.value, token.holes)
        if token.kind in ("text", "list", "command"):
            return token.value
        if token.kind == "number":
            return _number(token.text)
        if token.kind != "name":
            return None
        if token.text in _CONSTANTS:
            return _CONSTANTS[token.text]
        if self.language.values.get(token.text) == "name":
            return Word(token.text, token.span)
        return self.constant(token.text)

    def _filled(self, word: Word, holes: tuple[str, ...]) -> Word:
        """A text with the constants that are put into it."""
        values = iter(holes)
        parts: list[Value] = []
        for piece in word.pieces:
            if isinstance(piece, str):
                parts.append(Word(piece, word.span))
            else:
                name = next(values, "").strip(" {}").lstrip(self.language.syntax.sigils)
                parts.append(self.constant(name.strip("{}")))
        return joined(parts, word.span)

    def constant(self, name: str) -> Value:
        """What a name stands for."""
        if name in self._values:
            return self._values[name]
        if name not in self.constants or name in self._busy:
            return None
        self._busy.add(name)
        self._values[name] = found = self.value(self.constants[name])
        self._busy.discard(name)
        return found

    def _long(self, start: int, end: int) -> Value:
        first = self.tokens[start]
        if first.kind == "mark" and first.text in "([{" and self.close[start] == end - 1:
            if first.text == "{":
                return None
            parts = [self.value(p) for p in self.divided((start + 1, end - 1), frozenset({","}))]
            return parts[0] if first.text == "(" and len(parts) == 1 else tuple(parts)
        if first.kind == "mark" and first.text == "-" and end == start + 2:
            number = self._one(self.tokens[start + 1])
            return -number if type(number) is int else None
        if self.mark(end - 1, "}") and (begin := self._items(start, end)):
            items = self.divided((begin + 1, end - 1), frozenset({","}))
            return tuple([self.value(item) for item in items])
        joins = self.language.syntax.joins
        parts_ = list(self.divided((start, end), joins)) if joins else []
        if len(parts_) > 1:
            values = [self.value(part) for part in parts_]
            return joined(values, self.span((start, end)))
        return self._called(start, end)

    def _items(self, start: int, end: int) -> int:
        """Where the items of a list begin that is written with its type: `String[]{"a"}`; 0 where
        it is none."""
        for at in range(start, min(start + _MAX_TYPE, end)):
            if self.mark(at, "{"):
                return (
                    at if at > start and self.close[at] == end - 1 and self._typed(start, at) else 0
                )
            if self.tokens[at].kind != "name" and not self.mark(at, "[", "]", "."):
                return 0
        return 0

    def _typed(self, start: int, end: int) -> bool:
        return any(self.mark(at, "[") and self.mark(at + 1, "]") for at in range(start, end))

    def _called(self, start: int, end: int) -> Value:
        """The value of a call that is known."""
        name, at = self.name(start, end)
        how = self.language.values.get(name)
        if how is None:
            return None
        span = self.span((start, end))
        if how == "home":
            return home_word(span)
        if not self.mark(at, "(") or self.close[at] != end - 1:
            return None
        values = [self.value(p) for p in self.divided((at + 1, end - 1), frozenset({","}))]
        if how == "path":
            return path_joined(values, span)
        if how == "text":
            return joined(values, span)
        if how == "format" and values and isinstance(values[0], Word):
            return formatted(values[0], values[1:], span)
        if how == "same" and values:
            return expanded(values[0])
        if how in ("pattern", "search", "below") and values:
            return searched(how, values, span)
        if how == "words" and values:
            return cut(values[0])
        return None

    def chain(self, start: int, end: int) -> tuple[str, int]:
        """As `name`, where it may begin with a call that gives a module: `require("a").b`."""
        name, at = self.name(start, end)
        if self.language.values.get(name) == "module" and self.mark(at, "("):
            close = self.close[at]
            value = self.value((at + 1, min(close, end)))
            if isinstance(value, Word) and isinstance(value.text, str):
                module = value.text.removeprefix("node:").partition("/")[0]
                parts = [module]
                at = self.continued(parts, close + 1, end)
                return ".".join(parts), at
        return name, at

    def name(self, start: int, end: int) -> tuple[str, int]:
        """The full name that begins somewhere, and where it ends."""
        tokens = self.tokens
        parts = [tokens[start].text] if tokens[start].kind == "name" else [""]
        at = self.continued(parts, start + 1, end)
        return ".".join(parts), at

    def later(self, at: int) -> list[tuple[str, list[Value]]]:
        """The methods that are called at a place, one on what the other gives."""
        found: list[tuple[str, list[Value]]] = []
        while len(found) < _MAX_LATER:
            while at < len(self.tokens) and self.tokens[at].kind == "line":
                at += 1
            parts: list[str] = []
            at = self.continued(parts, at, len(self.tokens))
            if not parts or not self.mark(at, "("):
                break
            end = min(self.close[at], len(self.tokens))
            items = self.divided((at + 1, end), frozenset({","}))
            found.append((parts[-1], [self.value(item) for item in items]))
            at = end + 1
        return found

    def _key(self, at: int) -> str | None:
        """The text in the brackets that begin somewhere: `a["b"]`, `$a{b}`."""
        token = self.tokens[at + 1]
        if token.kind == "name" and self.mark(at, "{"):
            return token.text
        value = self.constant(token.text) if token.kind == "name" else token.value
        return value.text if isinstance(value, Word) and isinstance(value.text, str) else None

    def continued(self, parts: list[str], at: int, end: int) -> int:
        """Add the parts of a name that follow; gives where it ends."""
        tokens, separators = self.tokens, self.language.syntax.separators
        while at + 1 < end:
            if self.mark(at, *separators, "?.") and tokens[at + 1].kind == "name":
                parts.append(tokens[at + 1].text)
                at += 2
            elif self.mark(at, "[", "{") and self.close[at] == at + 2:
                key = self._key(at)
                if key is None:
                    break
                parts.append(key)
                at += 3
            else:
                break
        return at


def _closing(tokens: Tokens) -> list[int]:
    """For each opening bracket, where it closes; the end where it does not."""
    found = [len(tokens)] * len(tokens)
    open_: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in "([{":
            open_.append(index)
        elif token.text in ")]}" and open_:
            if _BRACKETS[tokens[open_[-1]].text] == token.text:
                found[open_.pop()] = index
    return found


def _number(text: str) -> Value:
    bare = text.replace("_", "")
    try:
        if len(bare) > 1 and bare[0] == "0" and bare[1:].isdigit():
            return int(bare, 8)
        return int(bare, 0)
    except ValueError:
        return None
