"""Graphs of one policy share what does not hang on their flow, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.runtime.parts import PartsStore
from tests.acme import CALLS, acme

OVERLAYS: list[dict[str, Any]] = [
    {},
    {"approval": {"mode": "off"}},
    {"approval": {"blocked": ["start"]}},
]


def test_overlays_share_their_guards() -> None:
    programs = [acme().with_settings(overlay).program for overlay in OVERLAYS]
    assert len({id(program.guards) for program in programs}) == 1
    assert len({id(program.codegen) for program in programs}) == 1
    assert len({program.graph.digest for program in programs}) == 3


@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("name", ["look", "private", "temporary", "night", "team", "unknown"])
def test_decisions_are_those_of_a_program_alone(name: str, overlay: dict[str, Any]) -> None:
    shared = acme().with_settings(overlay).program
    alone = type(shared)(shared.graph, shared.sources)
    assert alone.guards is not shared.guards
    assert shared.decide(CALLS[name]).to_dict() == alone.decide(CALLS[name]).to_dict()


def test_other_sections_are_other_parts() -> None:
    document = acme().graph.document
    store = PartsStore()
    first = store.of(document, None)
    assert store.of({**document, "nodes": []}, None) is first
    guards = store.of({**document, "guards": []}, None)
    assert guards is not first and len(guards.guards.forms) == 0
    assert store.of({**document, "tools": {}}, None) is not first


def test_a_store_has_an_end() -> None:
    document = acme().graph.document
    store = PartsStore()
    first = store.of(document, None)
    for _ in range(64):
        store.of({**document, "guards": []}, None)
    assert store.of(document, None) is not first
