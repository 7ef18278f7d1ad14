"""A bundle and settings as they were given, and the way from them to a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.compiler.cache import cache_key
from callgate.model.diagnostic import Diagnostic, Diagnostics, Severity
from callgate.model.graph import DecisionGraph, SourceMap
from callgate.model.span import Span
from callgate.runtime.masking import MASK, Masker
from callgate.stdlib.zones import version

if TYPE_CHECKING:
    from callgate.compiler.build import Settled
    from callgate.load.bundle import Bundle
    from callgate.load.document import Document
    from callgate.load.files import BundleFiles
    from callgate.model.policy import Policy

__all__ = ["PolicySource"]

_NOT_DECIDING: Final = frozenset({"tests"})

_EXACT: Final = (
    orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
)


class PolicySource:
    """What a policy is made from.

    `bundle`: the name of an embedded bundle or a folder. `settings`: a settings file, a mapping as
    it would stand in one, or None. `overlay`: a mapping laid over the settings, which settings
    checks don't look at. Nothing is read before it is needed, and what is hashed is what is parsed.
    """

    def __init__(
        self,
        bundle: str | Path,
        settings: Mapping[str, Any] | Path | None = None,
        overlay: Mapping[str, Any] | None = None,
    ) -> None:
        self.bundle = bundle
        self.given = settings
        self.overlay = overlay

    @classmethod
    def of_bundle(
        cls,
        bundle: Bundle,
        layers: Sequence[BundleFiles],
        settings: Mapping[str, Any] | Path | None,
        overlay: Mapping[str, Any] | None,
        diagnostics: Diagnostics,
    ) -> PolicySource:
        """A bundle that was read with its tests already. `layers`: its files; `diagnostics`: what
        reading them found, to which everything else that is found is added."""
        source = cls(layers[0][0][0], settings, overlay)
        deciding = replace(
            bundle,
            documents=tuple(d for d in bundle.documents if d.kind not in _NOT_DECIDING),
            replacements=tuple(r for r in bundle.replacements if r.kind != "test"),
        )
        source.__dict__ |= {"diagnostics": diagnostics, "_layers": layers, "_bundle": deciding}
        return source

    def key(self, engine: str) -> str:
        """The digest of all inputs; raises PolicyError when one of them can't be read."""
        self.diagnostics.raise_errors()
        # Findings, which are kept as well, say where in a file of this name they are.
        shown = self.given if isinstance(self.given, Path) else ""
        parts = [
            *chain(*self._layers),
            (f"settings {shown}", self._settings_bytes or b""),
        ]
        self.diagnostics.raise_errors()
        parts.append(("zones", version().encode()))
        parts.append(("overlay", self._json(self.overlay)))
        return cache_key(engine, parts)

    @cached_property
    def _layers(self) -> Sequence[BundleFiles]:
        from callgate.load.files import read_layers

        return read_layers(self.bundle, self.diagnostics)

    @cached_property
    def _settings_bytes(self) -> bytes | None:
        from callgate.load.one_file import read_file

        if isinstance(self.given, Path):
            return read_file(self.given, str(self.given), self.diagnostics, any_kind=True)
        return self._json(self.given)

    def _json(self, settings: Mapping[str, Any] | None) -> bytes:
        """Settings that are no file, as JSON; what JSON can't say is reported (E002)."""
        try:
            return orjson.dumps(settings, _plain_mapping, _EXACT)
        except TypeError as error:
            cause = error.__cause__ or error
            message = f"the settings are not JSON: {cause}"
            self.diagnostics.error("E002", message, None, "give what a settings file could say")
            return b""

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Everything found while loading; filled by `policy` and `settings`."""
        return Diagnostics()

    @cached_property
    def _bundle(self) -> Bundle | None:
        from callgate.load.bundle import load_bundle

        return load_bundle(self.bundle, self.diagnostics, self._layers, _NOT_DECIDING)

    @cached_property
    def policy(self) -> Policy:
        """The typed policy; raises PolicyError with all diagnostics."""
        from callgate.compiler.assemble import assemble
        from callgate.compiler.reach import report_unreachable
        from callgate.compiler.stricter import report_weakening

        policy = None if self._bundle is None else assemble(self._bundle, self.diagnostics)
        self.diagnostics.raise_errors()
        assert policy is not None
        report_weakening(policy, self.diagnostics)
        self.diagnostics.raise_errors()
        report_unreachable(policy, self.diagnostics)
        return policy

    @cached_property
    def _given(self) -> tuple[Mapping[str, Any] | None, Document | None]:
        """The settings as they were given, with the file that they stand in, if any."""
        if not isinstance(self.given, Path):
            if self._settings_bytes == b"":
                self.diagnostics.raise_errors()
            return self.given, None
        from callgate.load.settings_file import parse_settings

        data = self._settings_bytes
        if data is None:  # that was reported
            return None, None
        document = parse_settings(str(self.given), data, self.diagnostics)
        return (document.data if document else None), document

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """Dotted name → value, defaults filled in; raises PolicyError with all diagnostics."""
        from callgate.compiler.settings_checks import SettingsFindings, settings_of

        policy = self.policy
        raw, document = self._given
        settings = settings_of(policy, raw, self.diagnostics, document)
        if self.overlay:
            settings = settings.overlay(self.overlay, self.diagnostics)
        # Who gives no settings is told only what keeps the defaults from being used.
        given = raw is not None
        checks = [c for c in policy.settings_checks if given or c.severity is Severity.ERROR]
        if checks and self.overlay is None:
            findings = SettingsFindings(policy, checks).of(settings, raw, document)
            self.diagnostics.items.extend(findings)
        self._mask_secrets()
        self.diagnostics.raise_errors()
        values: Mapping[str, Any] = settings.values
        return values

    @cached_property
    def given_settings(self) -> Mapping[str, Any]:
        """The settings that were given and not left at their default: dotted name → value."""
        from callgate.compiler.settings_checks import settings_of

        settings = settings_of(self.policy, self._given[0], Diagnostics(), self._given[1])
        if self.overlay:
            settings = settings.overlay(self.overlay, Diagnostics())
        return {name: settings.values[name] for name in sorted(settings.given)}

    def secret_values(self, names: Sequence[str]) -> tuple[Any, ...]:
        """The values that were given for secret settings: they are masked, and nothing else."""
        places = [place for place in (self._given[0], self.overlay) if place]
        if not places:
            return ()
        from callgate.load.settings import snake_case

        found: list[Any] = []
        for place in places:
            for name in names:
                value: Any = place
                for part in name.split("."):
                    inner = value if isinstance(value, Mapping) else {}
                    value = next((v for k, v in inner.items() if snake_case(k) == part), None)
                found.append(value)
        return tuple(value for value in found if value is not None)

    @cached_property
    def _secrets(self) -> tuple[Any, ...]:
        known = self.policy.vocabulary.settings.values()
        return self.secret_values([item.name for item in known if item.field.secret])

    def _mask_secrets(self) -> None:
        """Take the values of secret settings out of what is reported of other ones."""
        if not self._secrets or not self.diagnostics.items:
            return
        masking = self.policy.masking
        masker = Masker(masking.names, masking.patterns)
        secrets = masker.of_settings(self._secrets)
        self.diagnostics.items[:] = [
            _masked(item, secrets) if item.of_settings else item for item in self.diagnostics.items
        ]

    def compile(self) -> tuple[DecisionGraph, SourceMap, tuple[Diagnostic, ...]]:
        """The graph of the policy under the settings; raises PolicyError with all diagnostics."""
        from callgate.compiler.build import compile_policy

        graph, sources = compile_policy(self.policy, self.settings, self._settled, self._secrets)
        return graph, sources, tuple(self.diagnostics.sorted())

    def guards_over(self, graph: DecisionGraph) -> DecisionGraph:
        """See `recompile_guards`; raises PolicyError with all diagnostics."""
        from callgate.compiler.build import recompile_guards

        return recompile_guards(self.policy, self.settings, graph, self._settled)

    @cached_property
    def _settled(self) -> Settled:
        from callgate.compiler.build import settle

        return settle(self.policy)

    def overlaid(self, overlay: Mapping[str, Any]) -> PolicySource:
        """The same bundle and settings with `overlay` laid over them; shares the policy."""
        return self._sharing(PolicySource(self.bundle, self.given, overlay))

    def under_defaults(self) -> PolicySource:
        """The same bundle without settings, whatever its settings checks say of the defaults;
        shares the policy."""
        return self._sharing(PolicySource(self.bundle, overlay={}))

    def _sharing(self, other: PolicySource) -> PolicySource:
        other.__dict__ |= {"policy": self.policy, "_settled": self._settled}
        return other


def _plain_mapping(value: Any) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"they hold a {type(value).__name__}")


def _masked(item: Diagnostic, secrets: Sequence[str]) -> Diagnostic:
    """A finding without these texts; its place is then a point, so that none of them is shown."""
    found = [secret for secret in secrets if secret in item.message or secret in item.help]
    if not found:
        return item
    message, help = item.message, item.help
    for secret in found:
        message, help = message.replace(secret, MASK), help.replace(secret, MASK)
    at = item.span and Span(
        item.span.file, item.span.line, item.span.column, item.span.line, item.span.column
    )
    return replace(item, message=message, help=help, span=at)
