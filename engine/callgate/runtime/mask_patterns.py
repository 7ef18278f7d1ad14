"""The patterns by which secrets are found in texts: those of a policy, and those of its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

__all__ = ["GROUP", "MASK", "any_of", "compiled", "re2_of"]

MASK: Final = "***"
GROUP: Final = "(?P<secret>"
"""How the group of a pattern begins that is the secret itself."""
_NAMED: Final = re.compile(r"\(\?P<\w+>")


def any_of(patterns: list[str]) -> Any:
    """One RE2 pattern that finds what any of these finds; None for none."""
    patterns = [_NAMED.sub("(?:", pattern) for pattern in patterns]
    return re2_of("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None


def re2_of(pattern: str) -> Any:
    """A pattern compiled by RE2, which writes nothing of faults to stderr."""
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def _hidden(found: Any) -> str:
    """What a pattern found, with its group `secret` masked."""
    if found["secret"] is None:
        return MASK
    text, start = found[0], found.start()
    begin, end = (place - start for place in found.span(found.re.groupindex["secret"]))
    return f"{text[:begin]}{MASK}{text[end:]}"


def compiled(
    names: Sequence[str], patterns: Sequence[str], pair: Callable[[Any], str]
) -> list[tuple[Any, Any]]:
    """The compiled patterns of a masker, each with what replaces what it finds: a text or a
    function. `names`, `patterns`: see `Masker`; `pair`: replaces a name and what follows it."""
    if not names and not patterns:
        return []
    import re2

    found: list[tuple[Any, Any]] = [
        (re2_of(item), _hidden if GROUP in item else MASK) for item in patterns
    ]
    if names:
        word = r"[\w.-]*(?:" + "|".join(re2.escape(name) for name in names) + r")[\w.-]*"
        # `name=value`, `"name": "value"`, `Authorization: Bearer value`
        named, scheme = rf"""(?i)({word}\\*["']?\s*[=:]\s*""", r"(?:(?:bearer|basic|token)\s+)?)"
        # `--name value`. No value begins with what divides commands or stands before a file.
        options_ = rf"(?i)(--?{word}\s+"
        for quote in "\"'":
            whole = rf"(?:[^{quote}\\\n]|\\.)+"
            found += [(re2_of(rf"{named}\$?{quote}{scheme}{whole}"), pair)]
            # `\"name\": \"value\"`, in a text that is quoted itself
            escaped = rf"\\+{quote}{scheme}[^{quote}\n]*[^{quote}\\\n]"
            found += [(re2_of(f"{named}{escaped}"), pair)]
            found += [(re2_of(f"{options_}{quote}){whole}"), rf"\1{MASK}")]
        plain = r"""\\*[^\s"'&;,)}\\][^\s"'&;,)}]*"""
        found += [(re2_of(rf"""{named}["']?{scheme}{plain}"""), pair)]
        found += [(re2_of(rf"""{options_}["']?)[^\s"'&;|<>-][^\s"'&;]*"""), rf"\1{MASK}")]
    return found
