"""What is too much to read: a linear scan of shell text before it is parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = [
    "MAX_BYTES",
    "MAX_HEREDOCS",
    "MAX_NESTING",
    "MAX_PIPES",
    "MAX_TESTS",
    "Refusal",
    "refusal",
    "too_long",
]

MAX_BYTES: Final = 128 * 1024
MAX_HEREDOCS: Final = 32
MAX_TESTS: Final = 64
MAX_NESTING: Final = 64
MAX_PIPES: Final = 1024

_BRACKET: Final = re.compile(r"[(){}]")
_HEREDOC: Final = re.compile(r"<<+")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text is not even parsed; `bound`: because it is too much."""

    reason: str
    bound: bool = True


def too_long(text: str) -> bool:
    """Whether a text, of whatever language, has more than `MAX_BYTES` in UTF-8."""
    return len(text) > MAX_BYTES or (
        not text.isascii() and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES
    )


def refusal(text: str) -> Refusal | None:
    """Why a text is not even parsed, or None. Brackets are counted wherever they stand, also in
    quotes: the bound is on the work, not on the meaning."""
    if too_long(text):
        return Refusal(f"the text is longer than {MAX_BYTES // 1024} KiB")
    if "\0" in text:
        return Refusal("the text holds a NUL byte", bound=False)
    if not text.isascii() and _SURROGATE.search(text):
        return Refusal("the text is no valid Unicode", bound=False)
    if text.count("[[") > MAX_TESTS:
        return Refusal(f"more than {MAX_TESTS} `[[`")
    if text.count("<<") > MAX_HEREDOCS and len(_HEREDOC.findall(text)) > MAX_HEREDOCS:
        return Refusal(f"more than {MAX_HEREDOCS} here-documents")
    if text.count("(") + text.count("{") > MAX_NESTING and _depth(text) > MAX_NESTING:
        return Refusal(f"brackets nested deeper than {MAX_NESTING}")
    return None


def _depth(text: str) -> int:
    depth = deepest = 0
    for found in _BRACKET.finditer(text):
        if found.group() in "({":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest
