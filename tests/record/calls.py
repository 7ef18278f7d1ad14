"""Calls of all sorts, and what their records say."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import orjson

from callgate.engine import Engine
from callgate.load.bundle import load_bundle
from callgate.model.decision import Decision
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.cases import Case, read_cases
from callgate.policytest.loaded import load
from callgate.record.record import Answer, Mark, Records

ROOT = Path(__file__).parents[2]
KEY = b"k" * 32
MARK = Mark("0" * 32, "2026-12-01T09:00:00.000000Z", "sha256:00", 7)


@cache
def engine(bundle: str = "echo") -> Engine:
    """A bundle under its defaults: a name, or a folder below the project's."""
    place = ROOT / bundle
    return load(place if place.is_dir() else bundle).usable()


@cache
def cases(bundle: str) -> list[Case]:
    """The policy tests of a bundle."""
    found = Diagnostics()
    place = ROOT / bundle
    loaded = load_bundle(place if place.is_dir() else bundle, found)
    assert loaded is not None
    return read_cases(loaded.documents, found)


def records(of: Engine, **options: Any) -> Records:
    """What makes the records of an engine's decisions."""
    return Records(of.program, source="eval", key=KEY, **options)


def record(of: Engine, decision: Decision, answer: Answer | None = None, **more: Any) -> Any:
    """The record of a decision, read back."""
    return orjson.loads(records(of, **more).of(decision, MARK, answer))
