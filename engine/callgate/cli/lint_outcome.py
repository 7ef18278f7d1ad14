"""Checking the bundles of a command line; what was found in unchanged ones is kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from callgate.lint.report import Report
from callgate.lint.rule import Finding
from callgate.load.files import BundleFiles, bundle_folders, read_layers
from callgate.load.project import Project, find_project
from callgate.model.diagnostic import Diagnostics, Severity
from callgate.storage.results import Results, bundle_key, engine_stamp, key_of

if TYPE_CHECKING:
    from callgate.lint.config import LintConfig
    from callgate.lint.mending import Mended
    from callgate.policytest.loaded import Loader

__all__ = ["Bundle", "Outcome", "check_all"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was checked: as it was given, its files as they were, what was found, whether
    that was kept from last time, and what mending it did."""

    where: str
    layers: Sequence[BundleFiles]
    report: Report
    cached: bool = False
    mended: Mended | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that was found: `findings` of bundles, settings and configuration, sorted.

    `ignored`: how many findings were left out. `refused`: why nothing is kept, or "".
    """

    bundles: tuple[Bundle, ...]
    findings: tuple[Finding, ...]
    ignored: int
    settings: Path | None
    project: Project
    refused: str = ""

    def fails(self, level: str) -> bool:
        """Whether a finding is at this level or above."""
        least = Severity(level).rank
        return any(item.diagnostic.severity.rank <= least for item in self.findings)

    @property
    def files(self) -> BundleFiles:
        """All files that findings may be about, with what is in them."""
        found = [file for bundle in self.bundles for layer in bundle.layers for file in layer]
        for bundle in self.bundles:
            found.extend(bundle.mended.files.items() if bundle.mended else ())
        if self.settings is not None and self.settings.is_file():
            found.append((str(self.settings), self.settings.read_bytes()))
        return found


def check_all(
    paths: Sequence[str],
    settings: Path | None,
    *,
    mend: bool,
    cache: bool,
    loader: Loader | None = None,
) -> Outcome:
    """Check bundles: `paths`, or those of the configuration, or echo. `mend`: in memory, what can
    be mended. `loader`: loads what others check as well. Nothing is written but to the cache."""
    found = Diagnostics()
    project = find_project(found)
    results = Results() if cache and not mend else None
    work = _Work(settings, project, datetime.now(UTC), results, loader)
    given = paths or project.bundles or ("echo",)
    bundles = tuple(work.bundle(path, mend) for path in dict.fromkeys(given))
    told = [Finding(item) for item in found.sorted()]
    told.extend(work.about_config(bundles, everything=not paths))
    told.extend(item for bundle in bundles for item in bundle.report.findings)
    findings = {item.diagnostic: item for item in told}
    return Outcome(
        bundles,
        tuple(sorted(findings.values(), key=lambda item: item.diagnostic.sort_key)),
        sum(bundle.report.ignored for bundle in bundles),
        settings,
        project,
        results.refused if results else "",
    )


@dataclass
class _Work:
    settings: Path | None
    project: Project
    now: datetime
    results: Results | None
    loader: Loader | None = None
    wrong: Diagnostics = field(default_factory=Diagnostics)

    @cached_property
    def config(self) -> LintConfig:
        """What the configuration says; what is wrong in it is in `wrong`. Made only where it is
        needed: it imports all rules."""
        from callgate.lint.config import lint_config

        return lint_config(self.project, self.wrong)

    def about_config(self, bundles: Sequence[Bundle], everything: bool) -> tuple[Finding, ...]:
        """What there is to say about the configuration. `everything`: its ignores are for these
        bundles, and no others."""
        document = self.project.document
        if document is None or "lint" not in self.project.data:
            return ()
        used = sorted({entry for bundle in bundles for entry in bundle.report.used_entries})
        text = [document.file, document.source.text, str(used if everything else "")]
        day = self.now.date()
        key = key_of("lint-config", engine_stamp(), day.isoformat(), *text)
        if self.results is not None and (report := self._kept(self.results, key)) is not None:
            return report.findings
        from callgate.lint.plain import to_plain

        config = self.config
        found = [*self.wrong.sorted(), *config.ended(day)]
        found.extend(config.unused(used, day) if everything else ())
        report = Report(tuple(map(Finding, found)))
        if self.results is not None:
            self.results.write(key, to_plain(report))
        return report.findings

    def bundle(self, where: str, mend: bool) -> Bundle:
        found = Diagnostics()
        layers = read_layers(where, found)
        if mend:
            return self._mended(where, layers, found)
        key = None if found.items else self._key(where, layers)
        if self.results is None or key is None:
            return Bundle(where, layers, self._check(where, layers, found))
        if (report := self._kept(self.results, key)) is not None:
            return Bundle(where, layers, report, cached=True)
        from callgate.lint.plain import to_plain

        report = self._check(where, layers, found)
        self.results.write(key, to_plain(report))
        return Bundle(where, layers, report)

    def _kept(self, results: Results, key: str) -> Report | None:
        from callgate.lint.plain import from_plain

        value = results.read(key)
        try:
            return None if value is None else from_plain(value)
        except (ValueError, LookupError, TypeError):
            return None

    def _key(self, where: str, layers: Sequence[BundleFiles]) -> str | None:
        """The digest of everything that findings depend on; None where that can't be read twice."""
        given: BundleFiles = []
        if self.settings is not None:
            try:
                if not self.settings.is_file():
                    return None
                given.append((str(self.settings), self.settings.read_bytes()))
            except OSError:
                return None
        said = orjson.dumps(self.project.data.get("lint", {}), option=orjson.OPT_SORT_KEYS)
        return key_of(
            "lint",
            engine_stamp(),
            self.now.date().isoformat(),
            where,
            str(len(given)),
            bundle_key(given),
            os.fspath(self.project.folder),
            *(os.fspath(folder.resolve()) for folder in bundle_folders(where)),
            said.decode(),
            *map(bundle_key, layers),
        )

    def _check(self, where: str, layers: Sequence[BundleFiles], found: Diagnostics) -> Report:
        """What is found in these files. `found`: what reading them found."""
        from dataclasses import replace

        from callgate.lint.run import lint
        from callgate.policytest.loaded import load

        loaded = (self.loader or load)(where, self.settings, layers)
        loaded = replace(loaded, findings=(*found.sorted(), *loaded.findings))
        return lint(loaded, self.now, self.config)

    def _mended(self, where: str, layers: Sequence[BundleFiles], found: Diagnostics) -> Bundle:
        from callgate.lint.mending import mend

        mended = mend(layers, lambda files: self._check(where, files, found))
        return Bundle(where, layers, mended.report, mended=mended)
