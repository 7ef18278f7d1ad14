"""Reads code by its tokens: which calls it makes, with what is known of their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.effects.code.endless import in_endless_loop
from callgate.effects.code.leftovers import Literal, add_leftovers
from callgate.effects.code.lexer import Lexer, Token, Tokens
from callgate.effects.code.maker import Maker
from callgate.effects.code.pipes import is_piped, is_written, run_piped, written
from callgate.effects.code.spec import CallEffect, Language
from callgate.effects.code.token_names import note_names
from callgate.effects.code.token_values import Code, Range
from callgate.effects.code.values import Call, Value
from callgate.effects.shell.tree import Word
from callgate.model.values import UNKNOWN

__all__ = ["read_tokens"]

_DEFINING: Final = frozenset({"function", "def", "sub", "fn", "func", "fun", "class", "interface"})
_ENDING: Final = frozenset({"if", "unless", "or", "and", "do", "then", "while", "for", "rescue"})
_COMMA: Final = frozenset({","})
_ARGUMENTS: Final = frozenset({",", ";"})
"""What stands between arguments: in some languages a semicolon before those with names."""
_MAX_REPEATS: Final = 32
_FOLDER: Final = "folder"


def read_tokens(text: str, language: Language, maker: Maker, leftovers: bool = True) -> None:
    """Add the effects of a text. `leftovers`: also what texts may mean that no call takes."""
    lexer = language.lexer
    if not isinstance(lexer, Lexer):
        lexer = language.lexer = Lexer(language.syntax)
    streams, complete = lexer.tokens(_inside(text, language))
    if not complete:
        reason = "more code in texts than is read"
        maker.sink.opaque(reason, maker.span((0, len(text))), maker.state.through, bound=True)
    codes = [Code(tokens, language) for tokens in streams]
    aliases, mentioned = note_names(codes)
    for code in codes:
        _Reader(code, language, maker, aliases, mentioned).run()
    if leftovers:
        add_leftovers(maker, _literals(streams))


def _inside(text: str, language: Language) -> str:
    """The text with blanks for what is no code."""
    bounds = language.syntax.inside
    if bounds is None or bounds[0] not in text:
        return text
    parts, at = [], 0
    while (start := text.find(bounds[0], at)) >= 0:
        parts.append(" " * (start + len(bounds[0]) - at))
        begin = start + len(bounds[0])
        end = text.find(bounds[1], begin)
        end = len(text) if end < 0 else end
        parts.append(text[begin:end])
        at = end
    return "".join((*parts, " " * (len(text) - at)))


def _literals(streams: list[Tokens]) -> Iterator[Literal]:
    for tokens in streams:
        for token in tokens:
            values = token.value if isinstance(token.value, tuple) else (token.value,)
            for value in values:
                if isinstance(value, Word):
                    pieces = value.pieces if value.text is UNKNOWN else (value.text,)
                    for piece in pieces:
                        if isinstance(piece, str):
                            yield piece, token.start, token.end


class _Reader:
    def __init__(
        self,
        code: Code,
        language: Language,
        maker: Maker,
        aliases: dict[str, str],
        mentioned: set[str],
    ) -> None:
        self._code = code
        self._tokens = code.tokens
        self._language = language
        self._maker = maker
        self._aliases = aliases
        self._mentioned = mentioned
        self._moves = 0
        self._repeats = 0
        self._known: dict[str, tuple[CallEffect, ...] | None] = {}

    def run(self) -> None:
        """Add everything."""
        syntax = self._language.syntax
        for index, token in enumerate(self._tokens):
            if token.kind == "name":
                if syntax.redirects and is_piped(self._code, index):
                    run_piped(self._code, self._maker, index)
                    continue
                before = self._tokens[index - 1] if index else None
                if before is None or not (
                    before.kind == "mark" and before.text in (*syntax.separators, "?.")
                ):
                    self._chain(index, before)
            elif token.kind == "command" or (syntax.redirects and is_piped(self._code, index)):
                run_piped(self._code, self._maker, index)
            elif syntax.redirects and is_written(self._code, index):
                written(self._code, self._maker, index)

    # -- names and calls

    def _chain(self, start: int, before: Token | None) -> None:
        code, tokens = self._code, self._tokens
        name, at = code.name(start, len(tokens))
        head, dot, rest = name.partition(".")
        if head in self._aliases:
            name = self._aliases[head] + dot + rest
        if before is not None and before.kind == "name" and before.text in _DEFINING:
            return
        called = False
        for _ in range(len(tokens)):
            if not code.mark(at, "("):
                break
            called = True
            part = (at + 1, min(code.close[at], len(tokens)))
            name = self._called(name, start, part)
            at = part[1] + 1
            parts = [name]
            at = code.continued(parts, at, len(tokens))
            name = ".".join(parts)
        if called and name.endswith("()"):
            return
        self._bare(name, start, at, before)

    def _called(self, name: str, start: int, part: Range) -> str:
        """Note a call; gives the name of what it gives."""
        code, language = self._code, self._language
        how = language.values.get(name)
        span = (
            self._tokens[start].start,
            code.span((start, min(part[1] + 1, len(self._tokens))))[1],
        )
        if how == "module":
            value = code.value(part)
            if isinstance(value, Word) and isinstance(value.text, str):
                return value.text.removeprefix("node:").partition("/")[0]
            self._maker.opaque("a module that is chosen while it runs", span)
            return f"{name}()"
        effects = self._effects(name)
        if effects is not None:
            self._make(effects, name, start, part, span)
        return f"{name}()"

    def _bare(self, name: str, start: int, at: int, before: Token | None) -> None:
        """A name without brackets: a call where the language has such, or a value."""
        code, tokens, language = self._code, self._tokens, self._language
        last = name.rpartition(".")[2]
        own = language.names.get(name) or ("." in name and language.named_last.get(last)) or None
        if own and not code.mark(at, "="):
            self._maker.call(own, Call(name, last, code.span((start, at)), more=True))
        effects = self._effects(name)
        if effects and name in language.repeats:
            self._make(effects, name, start, (at, at), code.span((start, at)))
            return
        if not effects or code.mark(at, "=", ":", "=>", "}", ","):
            if effects == () and language.syntax.bare:
                self._make((), name, start, (at, self._line_end(at)), code.span((start, at)))
            return
        if language.syntax.bare and at < len(tokens) and self._begins(at):
            part = (at, at + 1 if language.syntax.bare == "text" else self._line_end(at))
            self._make(effects, name, start, part, code.span((start, part[1])))
        elif "." in name and not self._kept(name, before):
            self._maker.call(effects, Call(name, last, code.span((start, at)), more=True))

    def _kept(self, name: str, before: Token | None) -> bool:
        """Whether a function is declared, or kept under a name by which it is known."""
        if before is None or before.kind == "name":
            return before is not None
        return before.text == "=" and name in self._aliases.values()

    def _begins(self, at: int) -> bool:
        token = self._tokens[at]
        if self._language.syntax.bare == "text":
            return token.kind == "text"
        if token.kind in ("text", "list", "number"):
            return True
        if token.kind == "name":
            return token.text not in _ENDING
        return token.kind == "mark" and token.text in "[%@$\\"

    def _line_end(self, at: int) -> int:
        code, tokens = self._code, self._tokens
        while at < len(tokens):
            token = tokens[at]
            if token.kind == "line" and not code.mark(at - 1, ","):
                return at
            if token.kind == "name" and token.text in _ENDING:
                return at
            if token.kind == "mark":
                if token.text in ";)]}|" or token.text in ("||", "&&"):
                    return at
                if token.text in "([{":
                    at = code.close[at]
            at += 1
        return len(tokens)

    def _effects(self, name: str) -> tuple[CallEffect, ...] | None:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> tuple[CallEffect, ...] | None:
        language = self._language
        for holder in language.holders:
            name = name.removeprefix(f"{holder}.")
        rest = name
        while rest:
            if rest in language.calls:
                return language.calls[rest]
            _, dot, rest = rest.partition(".")
            if not dot or "." not in rest:
                break
        head, dot, last = name.rpartition(".")
        for full in language.tails.get(last, ()):
            module = full.rpartition(".")[0]
            if (
                module.partition(".")[0] in self._mentioned
                or module.rpartition(".")[2] in self._mentioned
            ):
                return language.calls[full]
        return language.methods.get(last) if head and dot else None

    def _make(
        self,
        effects: tuple[CallEffect, ...],
        name: str,
        start: int,
        part: Range,
        span: tuple[int, int],
    ) -> None:
        if any(effect.kind == _FOLDER for effect in effects):
            self._moves += 1
            if self._moves > 1:
                self._maker.state.cwd = UNKNOWN
                return
        head, _, last = name.rpartition(".")
        call = Call(name, last, span, self._code.constant(head))
        if last in self._language.repeats or name in self._language.repeats:
            self._repeats += 1
            harmless = self._language.harmless
            known = self._repeats <= _MAX_REPEATS
            call.endless = in_endless_loop(self._code, start, harmless) if known else UNKNOWN
        if self._language.chained:
            call.later = self._code.later(part[1] + 1)
        for item in self._code.divided(part, _ARGUMENTS):
            self._argument(item, call)
        self._maker.call(effects, call)

    def _argument(self, part: Range, call: Call) -> None:
        code, tokens = self._code, self._tokens
        start, end = part
        while start < end and tokens[start].kind == "line":
            start += 1
        if start >= end:
            return
        first = tokens[start]
        if first.kind in ("name", "text") and code.mark(start + 1, ":", "=>", "="):
            key = first.value.text if isinstance(first.value, Word) else first.text
            if isinstance(key, str):
                call.keys[key] = code.value((start + 2, end))
            return
        if code.mark(start, "{") and code.close[start] == end - 1:
            inner = Call(call.name, call.last, call.span)
            for item in code.divided((start + 1, end - 1), _COMMA):
                self._argument(item, inner)
            call.keys.update(inner.keys)
            call.arguments.append(None if end - start > 2 else ())
            return
        if code.mark(start, ":") and start + 1 < end and tokens[start + 1].kind == "name":
            start += 1
            if code.mark(start + 1, "=>"):
                call.keys[tokens[start].text] = code.value((start + 2, end))
                return
        if code.mark(start, ".") or code.mark(start, "*"):
            # `...list`, `*list`
            call.more = True
            return
        value: Value = code.value((start, end))
        call.arguments.append(value)
