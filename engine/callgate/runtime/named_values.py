"""Which parts of a JSON value are secrets by the names that stand with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["named_parts"]

_NAMES: Final = frozenset({"name", "key", "header", "field", "variable"})
_VALUES: Final = frozenset({"value", "values", "val", "content", "data"})
"""How the name and the value of an entry are called: `{"name": "X-Api-Key", "value": …}`."""
_NAME: Final = re.compile(r"[\w.:/-]{1,64}")
_OPTION: Final = re.compile(r"--?[A-Za-z][\w.-]{0,62}")


def named_parts(
    is_secret: Callable[[str], bool], value: Any, pair: bool = False
) -> Iterator[tuple[Any, Any, bool, bool]]:
    """The parts of a mapping or list: its key or index, the part itself, whether that is a secret,
    and whether it is one of a list of pairs of a name and a value. Nothing for other values.

    `is_secret`: whether what has a name is secret. `pair`: whether `value` is such a pair. A secret
    stands under such a name, in a pair with one, beside one (`{"name": …, "value": …}`), or after
    an option with one (`["--token", …]`).
    """
    if isinstance(value, Mapping):
        told = _entry(is_secret, value)
        for key, part in value.items():
            yield key, part, key in told or is_secret(str(key)), False
    elif isinstance(value, list | tuple):
        pairs = bool(value) and all(map(_is_pair, value))
        before = ""
        for index, part in enumerate(value):
            text = part if isinstance(part, str) else ""
            named = _NAME if pair and index == 1 else _OPTION
            secret = (
                bool(text or pair)
                and not (named is _OPTION and text.startswith("-"))
                and named.fullmatch(before) is not None
                and is_secret(before)
            )
            yield index, part, secret, pairs
            before = text


def _entry(is_secret: Callable[[str], bool], value: Mapping[Any, Any]) -> Collection[Any]:
    """The keys of an entry under which its value stands, where its name is that of a secret."""
    folded = {key: key.lower() for key in value if isinstance(key, str) and len(key) < 16}
    for key, name in folded.items():
        text = value[key]
        if name in _NAMES and isinstance(text, str) and _NAME.fullmatch(text) and is_secret(text):
            return [other for other, called in folded.items() if called in _VALUES]
    return ()


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) == 2
        and isinstance(value[0], str)
    )
