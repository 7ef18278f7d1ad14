"""One text for equal values, to be hashed."""

from __future__ import annotations

import json
from typing import Any

import orjson

from callgate.model.values import UNKNOWN

__all__ = ["canonical"]


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value: keys sorted, no spaces. What is unknown in an effect is a list
    that no field of an effect can be. Raises ValueError for what is no JSON, as a set."""
    try:
        return orjson.dumps(value, default=_other, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        # Half a surrogate pair, or a number beyond 64 bits: slower, and never the same bytes.
        text = json.dumps(value, sort_keys=True, default=_other, allow_nan=False)
        return b"\0" + text.encode()


def _other(value: Any) -> Any:
    if value is UNKNOWN:
        return [[["unknown"]]]
    raise ValueError(f"{type(value).__name__} has no canonical form")
