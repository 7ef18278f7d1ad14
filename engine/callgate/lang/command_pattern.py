"""Command patterns: text to `CommandPattern` and back.

grammar/command_pattern.lark is the grammar; docs/language.md says what patterns match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from callgate.lang.errors import ConditionError
from callgate.lang.grammar import Grammar
from callgate.lang.pattern_mistakes import explain
from callgate.lang.text import INVISIBLE, check_text, read_code_point, write_code_point
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern

if TYPE_CHECKING:
    from lark import Token

__all__ = ["parse_pattern", "print_pattern"]

_PIECE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\(.)|(\*+)|[^\\*]+", re.DOTALL)
_TO_ESCAPE = re.compile(rf"""[()|*$\[\]\\`;&<>"'#{INVISIBLE} ]""")


@lru_cache(maxsize=1024)
def parse_pattern(text: str) -> CommandPattern:
    """Parse a command pattern, without its backticks.

    Raises ConditionError P003 (or P001, P005 for what no text may hold), offsets in `text`.
    """
    check_text(text)
    pattern: CommandPattern = _GRAMMAR.parse(text, "pattern")
    return pattern


def print_pattern(pattern: CommandPattern) -> str:
    """The canonical form: program, words, options, optional options, `$`."""
    parts = [_print_group([_print_word(word) for word in pattern.program])]
    parts += [_print_group([_print_word(word) for word in words]) for words in pattern.words]
    parts += [_print_option(option) for option in pattern.options]
    parts += [f"[{_print_option(option)}]" for option in pattern.optional]
    return " ".join(parts + ["$"] * pattern.closed)


# --- printing ------------------------------------------------------------------------------------


def _print_group(alternatives: Sequence[str]) -> str:
    return alternatives[0] if len(alternatives) == 1 else f"({'|'.join(alternatives)})"


def _print_option(option: OptionPattern) -> str:
    names = [f"-{_escape(name[1:]).replace('=', chr(92) + '=')}" for name in option.names]
    value = "" if option.value is None else f"={_print_pieces(option.value)}"
    return _print_group(names) + value


def _print_word(word: WordPattern) -> str:
    text = _print_pieces(word)
    return f"\\{text}" if text[:1] in ("-", "=") and text != "-" else text


def _print_pieces(word: WordPattern) -> str:
    return "*".join(map(_escape, word.pieces))


def _escape(text: str) -> str:
    written = _TO_ESCAPE.sub(_write_escape, text)
    # Before a space, YAML would take the colon for its own.
    return f"{written[:-1]}{write_code_point(':')}" if written.endswith(":") else written


def _write_escape(found: re.Match[str]) -> str:
    char = found[0]
    return f"\\{char}" if " " <= char <= "~" else write_code_point(char)


# --- parsing -------------------------------------------------------------------------------------


class _Builder:
    """One method per rule of command_pattern.lark."""

    def pattern(self, items: list[Any]) -> CommandPattern:
        closed = not isinstance(items[-1], tuple)
        program, *rest = items[:-1] if closed else items
        found: dict[str, list[Any]] = {"word": [], "option": [], "optional": []}
        for kind, item in rest:
            found[kind].append(item)
        return CommandPattern(
            program[1],
            tuple(found["word"]),
            tuple(found["option"]),
            tuple(found["optional"]),
            closed,
        )

    def program(self, tokens: list[Token]) -> tuple[str, tuple[WordPattern, ...]]:
        for token in tokens:
            if "/" in token:
                help = f"write `{token.rpartition('/')[2] or 'rm'}`"
                raise _error("a program is matched by its base name", token, help)
        return "program", tuple(map(_word, tokens))

    def word(self, tokens: list[Token]) -> tuple[str, tuple[WordPattern, ...]]:
        return "word", tuple(map(_word, tokens))

    def option(self, tokens: list[Token]) -> tuple[str, OptionPattern]:
        names = tuple("".join(_word(token).pieces) for token in tokens if token.type == "OPTION")
        for name, token in zip(names, tokens, strict=False):
            if name == "--":
                raise _error("`--` only ends the options", token, "name the words that follow it")
        value = _word(tokens[-1]) if tokens[-1].type == "VALUE" else None
        return "option", OptionPattern(names, value)

    def optional(self, items: list[tuple[str, OptionPattern]]) -> tuple[str, OptionPattern]:
        return "optional", items[0][1]


def _word(token: Token) -> WordPattern:
    """The literal pieces of a token, split where it has a `*`."""
    pieces = [""]
    for found in _PIECE.finditer(token):
        digits, escaped, star = found.groups()
        if star:
            pieces.append("")
            continue
        char = read_code_point(digits) if digits else escaped or found[0]
        if char is None or (escaped and escaped.isalnum()):
            start = (token.start_pos or 0) + found.start()
            help = r"a backslash stands before a symbol, as in `\*`, or in `\u{1f600}`"
            message = f"there is no escape `{found[0]}`"
            raise ConditionError("P003", message, start, start + len(found[0]), help)
        pieces[-1] += char
    return WordPattern(tuple(pieces))


def _error(message: str, token: Token, help: str = "") -> ConditionError:
    return ConditionError("P003", message, token.start_pos or 0, token.end_pos or 0, help)


_GRAMMAR: Final = Grammar("command_pattern.lark", ["pattern"], _Builder(), explain)
