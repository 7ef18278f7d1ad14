"""Names of signals."""

from __future__ import annotations

import signal
from typing import Any, Final

__all__ = ["signal_name"]

_NAMES: Final = {str(item.value): item.name.removeprefix("SIG") for item in signal.Signals}


def signal_name(text: Any) -> Any:
    """The name without SIG, in capitals, of a signal given by name or number; what is no text, or
    no signal, stays as it is."""
    if not isinstance(text, str):
        return text
    name = text.upper().removeprefix("SIG")
    return _NAMES.get(name.lstrip("0") or "0", name)
