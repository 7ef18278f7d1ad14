"""The operations of the condition language: signature, documentation, examples and implementation
of each stand together, in one declaration."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from callgate.stdlib import core, hosts, paths, places, text, times, values
from callgate.stdlib.operation import Operation

__all__ = ["OPERATIONS"]

OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType(
    {
        entry.name: entry
        for module in (core, paths, places, hosts, text, values, times)
        for entry in vars(module).values()
        if isinstance(entry, Operation)
    }
)
"""Every operation by its name in `Apply`."""
