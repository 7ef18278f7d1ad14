"""The bundle `tests/cases/shop`: a few tools, and a second flow that hides some of them."""

from __future__ import annotations

from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from callgate.engine import Engine

__all__ = ["BUNDLE", "shop"]

ROOT = Path(__file__).parents[1]
BUNDLE = "tests/cases/shop"


def shop(settings: dict[str, Any] | None = None) -> Engine:
    """The engine under these settings; its files are shown as paths from the repository."""
    return _shop(orjson.dumps(settings or {}))


@cache
def _shop(settings: bytes) -> Engine:
    with chdir(ROOT):
        return Engine.load(BUNDLE, orjson.loads(settings) or None)
