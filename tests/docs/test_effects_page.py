"""Every kind of effect has a row in docs/effects.md, and every row holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from callgate.analysis.effect_explain import explain_effects
from callgate.engine import Engine
from callgate.model.effect import EFFECT_KINDS
from tests.docs.markdown import tables

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "effects.md"
ROWS = tables(PAGE, "The kinds")
CONTEXT = {"cwd": "/w", "workspace": "/w", "home": "/home/u"}


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def test_every_kind_has_a_row() -> None:
    assert [row[0].strip("`") for row in ROWS] == list(EFFECT_KINDS)


@pytest.mark.parametrize(("kind", "command", "phrase"), ROWS, ids=lambda cell: cell)
def test_every_row_holds(echo: Engine, kind: str, command: str, phrase: str) -> None:
    call = {"tool": "exec", "args": {"command": command[1:-1]}, "context": CONTEXT}
    found = [
        effect.phrase
        for effect in explain_effects(echo.decide(call)).effects
        if effect.form["kind"] == kind.strip("`")
    ]
    assert phrase in found


def documented(heading: str) -> list[str]:
    """The keys of a table of docs/formats.md about this form, by the head of its first column."""
    lines = (DOCS / "formats.md").read_text("utf-8").splitlines()
    start = next(
        number
        for number, line in enumerate(lines)
        if line.startswith("**`callgate explain --effects")
    )
    start = lines.index(f"| {heading} | type | meaning |", start) + 2
    keys: list[str] = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        keys += [key.strip("` ") for key in line.split("|")[1].split(",")]
    return keys


def test_the_keys_of_the_json_form_are_documented(echo: Engine) -> None:
    decision = echo.decide({"tool": "exec", "args": {"command": "rm -r build"}})
    told: dict[str, Any] = explain_effects(decision).to_dict()
    inside = [f"arguments[].{key}" for key in told["arguments"][0]]
    assert sorted(documented("key")) == sorted([*told, *inside])
    in_decision = decision.to_dict()["effects"][0]
    own = [key for key in told["effects"][0] if key not in in_decision]
    assert documented("key of an effect") == own
    assert documented("key of a node") == list(told["arguments"][0]["tree"])
