"""The canonical text of a condition, without printing what is canonical already."""

from __future__ import annotations

import re
from typing import Final

from callgate.lang.parser import ParsedCondition
from callgate.lang.printer import print_syntax

__all__ = ["canonical_text"]

_SHAPES: Final[dict[str, bool]] = {}
_MOST_SHAPES: Final = 4096
_LONGEST: Final = 512
_PLAIN: Final = re.compile(r'"[^"\\]*"')
_NOT_PLAIN: Final = re.compile(r'[`\\]|\br"')


def canonical_text(text: str, parsed: ParsedCondition) -> str:
    """The canonical form of a condition that was parsed from `text`.

    Printing is slow next to parsing by shape. Of conditions that differ only in plain quoted
    texts, one is printed; where that changes nothing, it changes none of them.
    """
    if _NOT_PLAIN.search(text):
        return print_syntax(parsed.tree)
    shape = _PLAIN.sub('""', text)
    canonical = _SHAPES.get(shape)
    if canonical:
        return text
    printed = print_syntax(parsed.tree)
    if canonical is None and len(shape) <= _LONGEST and len(_SHAPES) < _MOST_SHAPES:
        _SHAPES[shape] = printed == text
    return printed
