"""Matrices of tests: the combinations of their values, and the names of these."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any, Final

from callgate.load.scalars import core_value

__all__ = ["MOST_COMBINATIONS", "combination_name", "combinations", "size_of", "value_text"]

MOST_COMBINATIONS: Final = 4096
"""How many cases one matrix may come to."""


def size_of(matrix: Mapping[str, Any]) -> int:
    """How many combinations a matrix has."""
    return prod(len(values) for values in (matrix.get("over") or {}).values())


def combinations(matrix: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of one value per path, in the order of the text, the last path changing
    first; none where there would be more than `MOST_COMBINATIONS`."""
    over = matrix.get("over") or {}
    if over and size_of(matrix) <= MOST_COMBINATIONS:
        for values in product(*over.values()):
            yield dict(zip(over, values, strict=True))


def combination_name(matrix: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """The name of a case of a matrix: `MATRIX: PATH=VALUE, PATH=VALUE`. It changes only with the
    matrix's name, its paths, and these values."""
    told = ", ".join(f"{path}={value_text(value)}" for path, value in values.items())
    return f"{matrix['matrix']}: {told}"


def value_text(value: Any) -> str:
    """A value as it may stand in YAML, on one line; a text that would be read as another value
    there has quotes."""
    if isinstance(value, str) and isinstance(core_value(value), str) and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
