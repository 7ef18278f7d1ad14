"""The facade: load a bundle with settings, decide calls."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate import __version__
from callgate.compiler.cache import CacheRefusedError, GraphCache
from callgate.compiler.collector import without_collector
from callgate.compiler.source import PolicySource
from callgate.effects import Extractor
from callgate.model.decision import Decision
from callgate.model.diagnostic import Diagnostic, PolicyError, Severity
from callgate.model.graph import DecisionGraph, SourceMap, canonical, digest_of
from callgate.model.span import Span
from callgate.runtime.interpreter import Program
from callgate.runtime.parts import PartsStore

if TYPE_CHECKING:
    from callgate.model.policy import Policy

__all__ = ["VERSION", "Engine"]

VERSION: Final = __version__

_MOST_OVERLAYS: Final = 64


class Engine:
    """A compiled policy that decides calls. Safe to share between threads.

    `diagnostics` holds the warnings and notes of loading, sorted.
    """

    def __init__(
        self,
        source: PolicySource,
        graph: DecisionGraph,
        source_map: SourceMap,
        diagnostics: tuple[Diagnostic, ...],
        extractor: Extractor | None = None,
        store: PartsStore | None = None,
    ) -> None:
        self._source = source
        self.graph = graph
        self.source_map = source_map
        self.diagnostics = diagnostics
        self._store = store or PartsStore()
        self.program = Program(
            graph,
            source_map,
            extractor=extractor,
            secrets=source.secret_values,
            store=self._store,
        )
        self._overlays: dict[bytes, Engine] = {}
        self._lock = Lock()

    @classmethod
    @without_collector()
    def load(
        cls,
        bundle: str | Path = "echo",
        settings: Mapping[str, Any] | str | Path | None = None,
        *,
        cache: bool | GraphCache = False,
    ) -> Engine:
        """Load, check and compile a bundle.

        `bundle`: the name of an embedded bundle or a folder. `settings`: the path of a settings
        file, or a mapping as it would stand in one. `cache`: use compiled graphs on disk. Raises
        PolicyError with every diagnostic when the bundle or the settings can't be used.
        """
        source = PolicySource(bundle, Path(settings) if isinstance(settings, str) else settings)
        if not cache:
            return cls._compile(source)
        store = GraphCache() if cache is True else cache
        key = source.key(VERSION)
        refused: CacheRefusedError | None = None
        try:
            entry = store.read(key)
        except CacheRefusedError as error:
            entry, refused = None, error
        if entry is not None:
            # What passed the digest and still makes no program was not written by this engine.
            with suppress(ValueError, LookupError, TypeError, AttributeError):
                graph, source_map, findings = entry
                return cls(source, graph, source_map, tuple(map(_finding, findings)))
        engine = cls._compile(source)
        if refused is None:
            findings = [_plain(finding) for finding in engine.diagnostics]
            try:
                store.write(key, engine.graph, engine.source_map, findings)
            except CacheRefusedError as error:
                refused = error
        if refused is not None:
            engine.diagnostics = (_not_cached(refused), *engine.diagnostics)
        return engine

    @classmethod
    @without_collector()
    def of_source(cls, source: PolicySource) -> Engine:
        """The policy of a source that nothing was read from yet, checked and compiled as by `load`,
        and never taken from a cache. Raises PolicyError with every diagnostic."""
        return cls._compile(source)

    @classmethod
    def _compile(cls, source: PolicySource) -> Engine:
        from callgate.compiler.examples import check_examples

        engine = cls(source, *source.compile())
        check_examples(source.policy, engine._defaults._guards_under, source.diagnostics)
        source.diagnostics.raise_errors()
        engine.diagnostics = tuple(source.diagnostics.sorted())
        return engine

    @cached_property
    def _defaults(self) -> Engine:
        """This policy under default settings."""
        if not self._source.given:
            return self
        source = self._source.under_defaults()
        return Engine(source, *source.compile(), self.program.extractor, self._store)

    def _guards_under(self, overlay: Mapping[str, Any]) -> Program:
        """A program to try guards on, under these settings with others laid over them."""
        if not overlay:
            return self.program
        graph = self._source.overlaid(overlay).guards_over(self.graph)
        extractor = self.program.extractor
        return Program(graph, self.source_map, extractor=extractor, store=self._store)

    @property
    def source(self) -> PolicySource:
        """The bundle and the settings that it was made from, as they were given."""
        return self._source

    @property
    def policy(self) -> Policy:
        """The typed policy, not specialised."""
        return self._source.policy

    @property
    def settings(self) -> Mapping[str, Any]:
        """Every setting that the vocabulary knows: dotted name → value."""
        return self._source.settings

    @property
    def given(self) -> Mapping[str, Any]:
        """The settings that were given: dotted name → value; of a secret only whether it is set."""
        return self._source.given_settings

    @cached_property
    def settings_digest(self) -> str:
        """`sha256:…` of the canonical JSON of `given`: which settings a decision was made under.
        Raises PolicyError when their file can't be read any more."""
        return digest_of(canonical(dict(self.given)))

    def decide(self, call: Mapping[str, Any]) -> Decision:
        """Decide a call given as the JSON object of docs/formats.md.

        Never raises: a call that can't be judged decides deny with `error`. A call may carry its
        own `settings`, laid over the engine's for this call alone, and `answers`.
        """
        if type(call) is dict and "settings" in call:
            return self._decide_overlaid(call)
        return self.program.decide(call)

    def _decide_overlaid(self, call: dict[str, Any]) -> Decision:
        rest = {key: value for key, value in call.items() if key != "settings"}
        overlay = call["settings"]
        if overlay is not None and type(overlay) is not dict:
            return self.program.refuse(call, "R009", "`settings` is an object")
        try:
            engine = self.with_settings(overlay or {})
        except PolicyError as error:
            found = next(d for d in error.diagnostics if d.severity is Severity.ERROR)
            help = f"; {found.help}" if found.help else ""
            return self.program.refuse(call, "R009", f"`settings`: {found.message}{help}")
        return engine.program.decide(rest)

    def with_settings(self, overlay: Mapping[str, Any]) -> Engine:
        """This policy under other settings: maps merge, lists replace, spelling normalised.

        Raises PolicyError when `overlay` doesn't fit the vocabulary.
        """
        if not overlay:
            return self
        try:
            key = orjson.dumps(overlay, option=orjson.OPT_SORT_KEYS)
        except TypeError:
            raise PolicyError([Diagnostic("E002", "the settings are not JSON")]) from None
        engine = self._overlays.get(key)
        if engine is None:
            source = self._source.overlaid(overlay)
            engine = Engine(source, *source.compile(), self.program.extractor, self._store)
            with self._lock:
                if len(self._overlays) >= _MOST_OVERLAYS:
                    self._overlays.pop(next(iter(self._overlays)))
                self._overlays[key] = engine
        return engine


def _not_cached(refused: CacheRefusedError) -> Diagnostic:
    return Diagnostic(
        "C016",
        f"the cache of compiled graphs is not used: {refused}",
        help="make the folder yours alone (chmod 700), or set XDG_CACHE_HOME",
        severity=Severity.WARNING,
    )


def _plain(finding: Diagnostic) -> list[Any]:
    place = None if finding.span is None else astuple(finding.span)
    return [finding.code, finding.message, place, finding.help, finding.severity.value]


def _finding(item: list[Any]) -> Diagnostic:
    code, message, place, help, severity = item
    return Diagnostic(code, message, place and Span(*place), help, Severity(severity))
