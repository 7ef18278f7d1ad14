"""Names of signals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

__all__ = ["signal_name"]


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    from signal import Signals

    return {str(item.value): item.name.removeprefix("SIG") for item in Signals}


def signal_name(text: Any) -> Any:
    """The name without SIG, in capitals, of a signal given by name or number; what is no text, or
    no signal, stays as it is."""
    if not isinstance(text, str):
        return text
    name = text.upper().removeprefix("SIG")
    return _names().get(name.lstrip("0") or "0", name)
