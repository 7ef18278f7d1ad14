"""A bundle as its authors work on it: its files, its tests and an engine, read and checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from callgate.compiler.collector import without_collector
from callgate.compiler.program_examples import check_program_examples
from callgate.compiler.settings_checks import check_settings_examples
from callgate.compiler.source import PolicySource
from callgate.engine import Engine
from callgate.load.bundle import Bundle, load_bundle
from callgate.load.document import Document
from callgate.load.files import BundleFiles, read_layers
from callgate.model.diagnostic import Diagnostic, Diagnostics, PolicyError
from callgate.model.policy import Policy
from callgate.policytest.cases import Case, read_cases

__all__ = ["Loaded", "Loader", "load", "shared_loader"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read at `where`.

    `files`: path as shown and bytes of every file, of the bundle first and then of those that it
    extends. `bundle` and `engine` are None where they can't be used; `findings` then has an error.
    `cases` are those that could be read. `findings`: everything found while loading, sorted.
    """

    where: str
    files: tuple[BundleFiles, ...]
    bundle: Bundle | None
    engine: Engine | None
    cases: tuple[Case, ...]
    findings: tuple[Diagnostic, ...]

    def usable(self) -> Engine:
        """The engine; raises PolicyError with the findings where the bundle can't be used."""
        if self.engine is None:
            raise PolicyError(self.findings)
        return self.engine

    @property
    def policy(self) -> Policy | None:
        """The typed policy, or None where the bundle can't be used."""
        return self.engine.policy if self.engine is not None else None

    @property
    def documents(self) -> tuple[Document, ...]:
        """All files of the bundle that could be read, with those that it inherits."""
        return self.bundle.documents if self.bundle is not None else ()

    @property
    def own_files(self) -> frozenset[str]:
        """The paths of the bundle's own files: what it inherits is somebody else's to mend."""
        return frozenset(file for file, _ in self.files[0]) if self.files else frozenset()


@without_collector()
def load(
    where: str | Path,
    settings: Mapping[str, Any] | Path | None = None,
    layers: Sequence[BundleFiles] | None = None,
) -> Loaded:
    """Read, check and compile a bundle with its tests, examples of programs and of settings checks.

    `where`: a bundle's folder or the name of an embedded one. `settings`: those to check as well;
    None is the bundle by itself, whatever its settings checks say of the defaults. `layers`: its
    files as `read_layers` gives them, where they are not to be read. Never raises PolicyError: what
    is wrong is in `findings`.
    """
    found = Diagnostics()
    if layers is None:
        layers = read_layers(where, found)
    bundle = load_bundle(where, found, layers)
    if bundle is None:
        return Loaded(str(where), tuple(layers), None, None, (), tuple(found.sorted()))
    cases = read_cases(bundle.documents, found)
    overlay: Mapping[str, Any] | None = {} if settings is None else None
    source = PolicySource.of_bundle(bundle, layers, settings, overlay, found)
    engine: Engine | None = None
    try:
        engine = Engine.of_source(source)
        check_settings_examples(engine.policy, found)
    except PolicyError:
        engine = None  # what was raised is in `found`
    extractor = None if engine is None else engine.program.extractor
    check_program_examples(bundle.documents, found, extractor)
    usable = None if found.has_errors else engine
    return Loaded(str(where), tuple(layers), bundle, usable, tuple(cases), tuple(found.sorted()))


Loader = Callable[[str, Path | None, Sequence[BundleFiles]], Loaded]
"""Loads a bundle from files that were read: where it is, the settings to check as well, its
files."""


def shared_loader() -> Loader:
    """A loader that loads the same files once, for several checks of them."""
    known: dict[tuple[str, Path | None], tuple[Sequence[BundleFiles], Loaded]] = {}

    def loader(where: str, settings: Path | None, layers: Sequence[BundleFiles]) -> Loaded:
        kept = known.get((where, settings))
        if kept is None or kept[0] != layers:
            kept = known[where, settings] = (layers, load(where, settings, layers))
        return kept[1]

    return loader
