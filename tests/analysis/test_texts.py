"""Pieces of a graph as short texts."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.analysis.texts import counted, template_text


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (None, ""),
        (["no step decided"], "no step decided"),
        (["deletes ", ["get", ["var", "d"], "path"], " and all"], "deletes {d.path} and all"),
        ([["fact", "call.tool"], " is odd"], "{call.tool} is odd"),
        (["under ", ["const", "smart"]], "under smart"),
        (["in ", ["const", 30], " s"], "in 30 s"),
        (["of ", ["apply", "length", ["fact", "capabilities"]]], "of {…}"),
    ],
)
def test_a_reason_with_its_placeholders(template: list[Any] | None, text: str) -> None:
    assert template_text(template) == text


def test_counts() -> None:
    assert [counted(n, "rule") for n in (0, 1, 2_000)] == ["0 rules", "1 rule", "2,000 rules"]
