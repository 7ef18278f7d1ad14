"""tree-sitter-bash, loaded when first needed, with a bound on its work."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any, Final

from callgate.effects.shell.bounds import MAX_PIPES

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["TooMuchWorkError", "syntax_tree"]

_SMALL: Final = 256
_CHUNK: Final = 4096
_BRACE: Final = re.compile(r"(?<!\$)\{(?=[^\s;&|()<>])")
_OUTSIDE: Final = re.compile(r"[^\t\n -~]")

_local: Any = threading.local()


class TooMuchWorkError(Exception):
    """The grammar needs more steps for a text than its length allows."""


def syntax_tree(text: str) -> Node:
    """The root of a text's syntax tree; its byte positions are positions in `text`.

    Characters outside of ASCII, and control characters, are ordinary to the shell but not to the
    grammar (it takes some for blanks): it sees a `.` for each. A brace that begins no group is a
    letter to the shell: the grammar sees a `_`. The grammar takes quadratic time on
    some texts: steps and look-backs are counted, and a text that needs ten times more of them
    than scripts do raises TooMuchWorkError.
    """
    if "{" in text:
        text = _BRACE.sub("_", text)
    seen = (_OUTSIDE.sub(".", text) if _OUTSIDE.search(text) else text).encode("ascii")
    parser = _parser()
    if len(seen) <= _SMALL:
        return parser.parse(seen).root_node
    return _bounded(parser, seen)


def _parser() -> Parser:
    parser: Parser | None = getattr(_local, "parser", None)
    if parser is None:
        import tree_sitter
        import tree_sitter_bash

        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
        _local.parser = parser
    return parser


def _bounded(parser: Parser, seen: bytes) -> Node:
    length = len(seen)
    if seen.count(b"|") > MAX_PIPES:
        # A long pipeline is a deep stack, which costs the square of its depth when it breaks off.
        raise TooMuchWorkError
    steps_left = 20 + length // 25
    reads_left = 100 + length // 128

    def read(offset: int, _point: object) -> bytes:
        nonlocal reads_left
        reads_left -= 1
        return seen[offset : offset + _CHUNK] if reads_left >= 0 else b""

    def progress(_offset: int, has_error: bool) -> bool:
        nonlocal steps_left
        steps_left -= 2 if has_error else 1
        return steps_left < 0 or reads_left < 0

    try:
        tree = parser.parse(read, progress_callback=progress)
    except ValueError:
        # The parser keeps a stopped parse to go on with it.
        parser.reset()
        raise TooMuchWorkError from None
    if steps_left < 0 or reads_left < 0:
        raise TooMuchWorkError
    return tree.root_node
