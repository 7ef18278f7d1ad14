"""Shell text to the command tree."""

from __future__ import annotations

import re
from typing import Final

from callgate.effects.shell.bounds import refusal
from callgate.effects.shell.grammar import TooMuchWorkError, syntax_tree
from callgate.effects.shell.heredocs import Masked, mask
from callgate.effects.shell.plain import plain_script
from callgate.effects.shell.reader import Reader
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import Problem, Script
from callgate.effects.shell.words import Names, Place

__all__ = ["parse_shell", "parse_with_grammar"]

_NOTHING: Final = re.compile(r"\s*")
_SLASH: Final = re.compile(r"(?<=[ \t])/(?=[ \t])")
_COPROC: Final = re.compile(
    r"(?:(?<=[;&|\n(){}])|\A)([ \t]*)(coproc[ \t]+(?:[A-Za-z_]\w*[ \t]+)?)"
    r"(?=[({]|(?:while|until|for|if|case|select)\s)",
    re.ASCII,
)


def parse_shell(text: str, names: Names, place: Place) -> Script:
    """Parse a text into commands. What is not understood becomes a problem of the script, next to
    whatever could be read; never raises for any text."""
    plain = plain_script(text, place)
    if plain is not None:
        return Script((plain,))
    return parse_with_grammar(text, names, place)


def parse_with_grammar(text: str, names: Names, place: Place) -> Script:
    """As parse_shell, without the short way for plain texts."""
    whole = place.span(0, len(text))
    if _NOTHING.fullmatch(text):
        return Script((), (Problem("there is no command", whole),))
    refused = refusal(text)
    if refused:
        return Script((), (Problem(refused.reason, whole, refused.bound),))
    names.unread -= len(text)
    if names.unread < 0:
        return Script((), (Problem("too much text in parts of the text", whole, bound=True),))
    problems: list[Problem] = []
    masked = Masked(text, {}, {})
    if "<<" in text or "<>" in text or "\\" in text:
        try:
            masked = mask(text)
        except ScanError as error:
            at = min(error.at, len(text) - 1)
            problems.append(Problem(error.reason, place.span(at, at + 1)))
    forks = 0
    if "coproc" in text:
        # The grammar doesn't know it before `{`, `(` and the like.
        masked.text, forks = _COPROC.subn(_blank, masked.text)
    if "[" in text and "/" in text:
        # Nor a word of nothing but a slash in a test.
        masked.text = _SLASH.sub("_", masked.text)
    try:
        root = syntax_tree(masked.text)
    except TooMuchWorkError:
        problem = Problem("the text takes too much work to parse", whole, bound=True)
        return Script((), (*problems, problem))
    reader = Reader(text, masked, names, place, problems, parse_shell)
    nodes = reader.read(root)
    evaluates = reader.evaluates or "$[" in text
    return Script(nodes, tuple(problems), evaluates, forks > 0 or reader.forks)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
