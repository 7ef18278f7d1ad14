"""Cuts code into tokens: names, texts, numbers, brackets and operators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from callgate.effects.code.escapes import VARIABLE, Hole, text_word, unescaped
from callgate.effects.code.regex_literals import RegexLiterals
from callgate.effects.code.spec import Syntax
from callgate.effects.code.values import Value
from callgate.effects.shell.tree import Span, Word
from callgate.model.values import UNKNOWN

__all__ = ["Lexer", "Token", "Tokens"]

_MAX_FRAGMENTS: Final = 256
_MAX_HOLE: Final = 2048
_OPERATORS: Final = r"=>|->|\?\.|::|<<|>>|\|\||&&|==|!=|[-+*/.|&^%]=|[^\w\s]"
_HEREDOC: Final = re.compile(r"<<[~-]?(['\"`]?)([A-Za-z_]\w*)\1")
_QUOTE: Final = re.compile(r"(?:\b(q|qq|qx|qw)\s*|%([wWiIqQx]?))([(\[{<|!/])")
_PAIRS: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}
_BEFORE_REGEX: Final = frozenset(
    {"return", "typeof", "case", "in", "of", "if", "unless", "and", "or", "not"}
)


@dataclass(slots=True)
class Token:
    """`kind`: `name`, `text`, `command` (a text that a shell runs), `list`, `number`, `pattern`,
    `line` (its end) or `mark`; `value`: that of a text or list;
    `holes`: what stands where the text is unknown."""

    kind: str
    text: str
    start: int
    end: int
    value: Value = None
    holes: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        """Its place in the text."""
        return self.start, self.end


Tokens = list[Token]


class Lexer:
    """Cuts texts of one language."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        parts = [r"(?P<blank>[ \t\r\f\v]+|\\\r?\n)", r"(?P<line>\n)"]
        comments = [_comment(*pair) for pair in sorted(syntax.comments, key=_long_first)]
        if comments:
            parts.append(f"(?P<comment>{'|'.join(comments)})")
        if syntax.strings:
            openings = "|".join(re.escape(opening) for opening, _ in syntax.strings)
            parts.append(f"(?P<text>{openings})")
        sigils = f"[{re.escape(syntax.sigils)}]{{0,2}}" if syntax.sigils else ""
        parts.append(rf"(?P<name>{sigils}[^\W\d][\w$]*|\$[A-Za-z_][\w$]*)")
        parts.append(r"(?P<number>\d[\w.]*)")
        parts.append(f"(?P<mark>{_OPERATORS})")
        self._token = re.compile("|".join(parts))
        self._closing = dict(syntax.strings)
        self._contents = {
            opening: re.compile(_content(opening, closing, opening in syntax.raw), re.DOTALL)
            for opening, closing in syntax.strings
        }

    def tokens(self, text: str) -> tuple[list[Tokens], bool]:
        """The tokens of a text, and of the code in holes of its strings, each by itself; and
        whether that is all of it."""
        found: list[Tokens] = []
        todo = [(0, len(text))]
        for start, end in todo:
            if len(found) >= _MAX_FRAGMENTS or (found and end - start >= _MAX_HOLE):
                return found, False
            found.append(self._cut(text, start, end, todo))
        return found, True

    def _cut(self, text: str, at: int, end: int, todo: list[Span]) -> Tokens:
        tokens: Tokens = []
        syntax = self._syntax
        documents: list[tuple[str, int]] = []
        literals = RegexLiterals(text, end)
        while at < end:
            special = self._special(text, at, end, tokens, documents, literals)
            if special:
                at = special
                continue
            found = self._token.match(text, at, end)
            if found is None:
                at += 1
                continue
            kind = found.lastgroup
            stop = found.end()
            if kind == "text":
                at = self._text(text, found.group(), at, end, tokens, todo)
                continue
            if kind == "line":
                tokens.append(Token("line", "\n", at, stop))
                for name, place in documents:
                    stop = _document(text, name, place, stop, end, tokens)
                documents.clear()
            elif kind in ("name", "number", "mark"):
                written = found.group()
                if kind == "name" and syntax.sigils:
                    written = written.lstrip(syntax.sigils) or written
                if syntax.fold:
                    written = written.lower()
                tokens.append(Token(str(kind), written, at, stop))
            at = stop
        return tokens

    def _special(
        self,
        text: str,
        at: int,
        end: int,
        tokens: Tokens,
        documents: list[tuple[str, int]],
        literals: RegexLiterals,
    ) -> int:
        """Where a regular expression, a here-document's beginning or a text in quotes with a letter
        ends, or 0 where there is none."""
        syntax, char = self._syntax, text[at]
        if char == "/" and syntax.regex and _expects_value(tokens):
            if stop := literals.end_of(at):
                tokens.append(Token("pattern", text[at:stop], at, stop))
                return stop
        elif char == "<" and syntax.heredocs:
            if found := _HEREDOC.match(text, at, end):
                documents.append((found.group(2), len(tokens)))
                kind = "command" if found.group(1) == "`" else "text"
                tokens.append(Token(kind, "", at, found.end(), Word(UNKNOWN, (at, found.end()))))
                return found.end()
        elif char in "q%" and syntax.quotes and (char == "q" or _begins_list(text, at, tokens)):
            if found := _QUOTE.match(text, at, end):
                if at and char == "q" and (text[at - 1].isalnum() or text[at - 1] in "_$@%&-"):
                    return 0
                return _quoted(text, found, end, tokens)
        return 0

    def _text(
        self, text: str, opening: str, at: int, end: int, tokens: Tokens, todo: list[Span]
    ) -> int:
        syntax = self._syntax
        start = at + len(opening)
        hole = syntax.holes.get(opening)
        pieces: list[object] = []
        content, closing = self._contents[opening], self._closing[opening]
        place = start
        while True:
            found = content.match(text, place, end)
            stop = found.end() if found else place
            inner = text.find(hole[0], place, stop) if hole else -1
            # Of more holes than are read nothing is known, and the whole counts as such.
            if hole is None or inner < 0 or len(todo) > _MAX_FRAGMENTS:
                pieces += self._decoded(text[place:stop], opening)
                break
            pieces += self._decoded(text[place:inner], opening)
            begin = inner + len(hole[0])
            place = _hole_end(text, begin, end, hole)
            pieces.append(Hole(text[begin:place]))
            todo.append((begin, place))
            place = min(place + len(hole[1]), end)
        after = min(stop + len(closing), end) if text.startswith(closing, stop) else stop
        kind = "command" if opening in syntax.commands else "text"
        word, names = text_word(pieces, (at, after))
        tokens.append(Token(kind, "", at, after, word, names))
        return max(after, at + 1)

    def _decoded(self, text: str, opening: str) -> list[object]:
        if opening in self._syntax.raw:
            return [text.replace("\\" + opening, opening)]
        pieces: list[object] = []
        sigils = self._syntax.sigils
        if sigils and ("$" in text or "@" in text):
            at = 0
            for found in VARIABLE.finditer(text):
                if (
                    found.group().lstrip("{")[0] in sigils
                    and text[found.start() - 1 : found.start()] != "\\"
                ):
                    pieces += [unescaped(text[at : found.start()]), Hole(found.group())]
                    at = found.end()
            return [*pieces, unescaped(text[at:])]
        return [unescaped(text)]


def _long_first(pair: tuple[str, str]) -> int:
    return -len(pair[0])


def _comment(opening: str, closing: str) -> str:
    first = re.escape(opening)
    return rf"{first}(?s:.*?)(?:{re.escape(closing)}|\Z)" if closing else rf"{first}[^\n]*"


def _content(opening: str, closing: str, raw: bool) -> str:
    """A regular expression for what stands in a string."""
    if len(closing) == 1:
        end = re.escape(closing)
        return rf"(?:[^\\{end}]|\\.)*" if not raw or closing == "'" else rf"[^{end}]*"
    return rf"(?:(?!{re.escape(closing)})(?:\\.|.))*"


def _hole_end(text: str, at: int, end: int, hole: tuple[str, str]) -> int:
    depth = 0
    opening = hole[0][-1]
    end = min(end, at + _MAX_HOLE)
    while at < end:
        char = text[at]
        if char == hole[1]:
            if not depth:
                return at
            depth -= 1
        elif char == opening:
            depth += 1
        at += 1
    return end


def _begins_list(text: str, at: int, tokens: Tokens) -> bool:
    """Whether a `%` begins a text: where a value is expected, or behind a name and a blank."""
    return _expects_value(tokens) or (
        tokens[-1].kind == "name" and text[at - 1] in " \t" and text[at + 1 : at + 2].isalpha()
    )


def _expects_value(tokens: Tokens) -> bool:
    if not tokens:
        return True
    last = tokens[-1]
    if last.kind == "mark":
        return last.text not in (")", "]", "}")
    return last.kind == "line" or (last.kind == "name" and last.text in _BEFORE_REGEX)


def _quoted(text: str, found: re.Match[str], end: int, tokens: Tokens) -> int:
    """A text as `qq{…}` or `%w[…]`."""
    letters = found.group(1) or found.group(2)
    opening = found.group(3)
    closing = _PAIRS.get(opening, opening)
    at, depth = found.end(), 0
    while at < end:
        char = text[at]
        if char == "\\":
            at += 1
        elif char == closing and not depth:
            break
        elif char == closing:
            depth -= 1
        elif char == opening:
            depth += 1
        at += 1
    span = (found.start(), min(at + 1, end))
    inner = text[found.end() : min(at, end)]
    if letters in ("qw", "w", "W", "i", "I"):
        items = tuple(Word(part, span) for part in inner.split())
        tokens.append(Token("list", "", *span, items))
    else:
        holes = letters not in ("q",) and re.search(r"[$@]\w|#\{", inner) is not None
        word = Word(UNKNOWN, span, pieces=(UNKNOWN,)) if holes else Word(unescaped(inner), span)
        tokens.append(Token("command" if letters in ("qx", "x") else "text", "", *span, word))
    return span[1]


def _document(text: str, name: str, place: int, start: int, end: int, tokens: Tokens) -> int:
    """Give a here-document's token its text; gives where the document ends."""
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        if text[at:stop].strip().rstrip(";") == name:
            break
        at = stop + 1
    body = text[start : min(at, end)]
    token = tokens[place]
    holes = "#{" in body or "$" in body
    span = (start, max(start, min(at, end)))
    token.value = Word(UNKNOWN, span, pieces=(body,)) if holes else Word(body, span)
    return min(end, at + len(name) + 1)
