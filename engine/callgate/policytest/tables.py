"""A table → a case per row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from callgate.load.named import row_name
from callgate.policytest.case import EXPECTED, Case
from callgate.policytest.columns import laid, mistake
from callgate.policytest.entry import Entry

__all__ = ["rows_of"]


def rows_of(entry: Entry) -> Iterator[Case]:
    """The cases of a table; columns and rows that can't be used are reported (S004, S003)."""
    table = entry.data
    columns: Sequence[str] = table["columns"]
    usable = True
    for number, column in enumerate(columns):
        help = mistake(column, ("name", *EXPECTED))
        if help is not None:
            entry.error("S004", f"`{column}` is no column", help, "columns", number)
            usable = False
    base, given = entry.base("with")
    for number, row in enumerate(table["rows"] if usable else ()):
        if row is None:  # a bundle that extends this one replaces it
            continue
        if len(row) not in (len(columns), len(columns) - (columns[-1] == "name")):
            message = f"a row of {len(row)} values under {len(columns)} columns"
            entry.error("S003", message, "write one value per column", "rows", number)
            continue
        call, settings, expect = deepcopy(base), deepcopy(given), dict[str, Any]()
        for column, value in zip(columns, row, strict=False):
            if column in EXPECTED:
                expect[column] = value
            elif column != "name":
                settings = laid(call, settings, column, value)
        yield entry.case(row_name(table, number), call, settings, expect, "rows", number)
