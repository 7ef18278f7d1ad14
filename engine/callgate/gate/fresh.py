"""An engine made now: from the policy's source if that holds still, never from a cache; or from a
graph of the past."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from callgate.compiler.source import PolicySource
from callgate.engine import VERSION, Engine
from callgate.gate.places import Places
from callgate.load.one_file import read_file
from callgate.model.diagnostic import Diagnostics, PolicyError
from callgate.model.graph import DecisionGraph, SourceMap
from callgate.resources import bundle_names

__all__ = ["ChangedError", "compile_fresh", "engine_of", "fixed_bundle"]

_LOG: Final = logging.getLogger("callgate.gate")

Settings = Mapping[str, Any] | Path | None


class ChangedError(Exception):
    """The policy's files changed while they were read: what was read may be half of each."""

    def __init__(self) -> None:
        super().__init__("the policy's files changed while they were read; reload again")


def fixed_bundle(bundle: str | Path) -> str | Path:
    """The name of an embedded bundle, or else an absolute path: what a later change of the working
    directory makes no difference to."""
    if isinstance(bundle, str) and bundle in bundle_names():
        return bundle
    return Path(bundle).absolute()


def compile_fresh(bundle: str | Path, settings: Settings) -> Engine:
    """The engine of a bundle and settings as they stand now.

    All files are read once, before anything is made of them, and once more at the end; what they
    look like from outside is compared, too. Raises PolicyError with every diagnostic, and
    ChangedError when anything differs.
    """
    if isinstance(settings, Path):
        # What can be read only once can't be read again by the next reload.
        unreadable = Diagnostics()
        read_file(settings, str(settings), unreadable)
        unreadable.raise_errors()
    stamps = Places(bundle, settings).stamps
    seen = stamps()
    source = PolicySource(bundle, settings)
    before = source.key(VERSION)
    try:
        return Engine.of_source(source)
    finally:
        # Diagnostics of what is half saved would mislead: this error takes their place.
        if _key(bundle, settings) != before or stamps() != seen:
            raise ChangedError from None


def _key(bundle: str | Path, settings: Settings) -> str:
    """What the files are now; "" when one can't be read any more."""
    try:
        return PolicySource(bundle, settings).key(VERSION)
    except PolicyError:
        return ""


def engine_of(
    graph: DecisionGraph, bundle: str | Path, settings: Settings, secrets: Sequence[str]
) -> Engine:
    """The engine of a graph that is there without its YAML. Secrets are no part of a graph: what is
    masked is `secrets`, and what the settings say now. Raises GraphError when it can't run here."""
    source = _PastSource(bundle, settings, secrets)
    engine = Engine(source, graph, SourceMap(), ())
    _ = engine.program.settings_secrets  # now, not when the settings may be gone
    if source.diagnostics.has_errors:
        _LOG.warning("the settings can't be read: secrets in them are not masked")
    return engine


class _PastSource(PolicySource):
    """A source of which nothing is needed but the secrets in the settings."""

    def __init__(self, bundle: str | Path, settings: Settings, known: Sequence[str]) -> None:
        super().__init__(bundle, settings)
        self._known = known

    def secret_values(self, names: Sequence[str]) -> tuple[Any, ...]:
        """See PolicySource."""
        return (*super().secret_values(names), *self._known)
