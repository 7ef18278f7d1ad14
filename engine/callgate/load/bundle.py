"""A bundle: the manifest, and the files it lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from callgate.load.additions import report_additions
from callgate.load.document import Document
from callgate.load.extending import Layer, lay_over
from callgate.load.files import MANIFEST, BundleFiles, plainly_extended, read_layers
from callgate.load.nodes import Sequence
from callgate.load.reader import guess_kind, read_document
from callgate.load.report import PrivateLines
from callgate.load.schemas import kinds
from callgate.load.words import did_you_mean
from callgate.model.diagnostic import Diagnostics
from callgate.model.inheritance import Base, Replacement
from callgate.model.suggest import closest

__all__ = ["Bundle", "bundle_lines", "load_bundle"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bundle, read and checked against their schemas.

    `documents` are in the manifest's order, after those of the bundle that it extends, without what
    it replaces there. `extends`: that bundle and those below it. `layers`: file → how many bundles
    lie below its own; 0 where it is not listed. `incomplete` names the kinds of
    file of which something was refused, reported and left out: what refers to a thing of such a
    kind and does not find it should not be reported once more.
    """

    name: str
    version: str
    title: str
    description: str
    manifest: Document
    documents: tuple[Document, ...]
    incomplete: frozenset[str]
    extends: tuple[Base, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    layers: Mapping[str, int] = field(default_factory=dict)

    def of_kind(self, kind: str) -> list[Document]:
        """The documents of a kind, in the manifest's order."""
        return [document for document in self.documents if document.kind == kind]


def load_bundle(
    where: str | Path,
    diagnostics: Diagnostics,
    layers: SequenceOf[BundleFiles] | None = None,
    without: frozenset[str] = frozenset(),
) -> Bundle | None:
    """The bundle at `where` (see `read_layers`), or None when it lists no files.

    `layers`: what `read_layers` returned for it, to parse exactly what was hashed. Whatever
    is wrong with any of the files is reported; the bundle then holds what is right, and empty texts
    for what the manifest should say of it. `without`: kinds of file that must be there but are not
    read.
    """
    if layers is None:
        layers = read_layers(where, diagnostics)
    bundle: Bundle | None = None
    for files in reversed(layers):
        own = _load(files, diagnostics, without)
        read_as = plainly_extended(files[0][1]) if own is not None else None
        bundle = _over(bundle, own, read_as, without, diagnostics)
    return bundle


def _over(
    base: Bundle | None,
    own: Bundle | None,
    read_as: str | None,
    without: frozenset[str],
    diagnostics: Diagnostics,
) -> Bundle | None:
    """A bundle laid over the one that it extends. `read_as`: the name by which that was read."""
    if own is None:
        return None
    if "extends" not in own.manifest.data:
        report_additions(own.documents, diagnostics)
        return own
    named = own.manifest.data["extends"]
    if base is None or read_as not in (None, named):
        if not diagnostics.has_errors:
            span = own.manifest.span("extends")
            help = "let it stand alone on a line: `extends: NAME`"
            diagnostics.error("Y016", f"the bundle `{named}` was not read", span, help)
        return replace(own, incomplete=frozenset(kinds()))
    lost = set(own.incomplete)
    mine = [document.file for document in own.documents]
    documents, replacements = lay_over(
        Layer(base.name, base.documents, set(base.incomplete)),
        Layer(own.name, own.documents, lost),
        own.manifest,
        without,
        diagnostics,
    )
    return replace(
        own,
        documents=tuple(documents),
        incomplete=base.incomplete | lost,
        extends=(Base(base.name, base.version), *base.extends),
        replacements=(*base.replacements, *replacements),
        layers={**base.layers, **dict.fromkeys(mine, len(base.extends) + 1)},
    )


def _load(files: BundleFiles, diagnostics: Diagnostics, without: frozenset[str]) -> Bundle | None:
    """The bundle of these files, without what it extends."""
    if not files or not files[0][0].endswith(f"/{MANIFEST}"):
        return None  # there is none, or it can't be read
    (manifest_file, manifest_data), *others = files
    prefix = manifest_file.removesuffix(MANIFEST)
    manifest = read_document(manifest_file, manifest_data, diagnostics, manifest=True)
    if manifest is None or "files" not in manifest.data:
        for file, data in others:
            read_document(file, data, diagnostics)
        return None
    contents = {file.removeprefix(prefix): data for file, data in others}
    missing = _compare(manifest, prefix, contents, diagnostics)
    listed = manifest.node("files")
    unsure = missing or (isinstance(listed, Sequence) and listed.lost)
    # Whatever it extends is not there: what is missing may be defined in it.
    unsure = unsure or (manifest.root.lost and b"extends" in manifest_data)
    incomplete = set(kinds()) if unsure else set()
    documents = []
    for path in dict.fromkeys(manifest.data["files"]):
        if path not in contents or guess_kind(contents[path]) in without:
            continue
        document = read_document(prefix + path, contents[path], diagnostics)
        if document is not None:
            documents.append(document)
        if document is None or document.incomplete:
            kind = document.kind if document else guess_kind(contents[path])
            incomplete |= {kind} if kind else set(kinds())
    said = manifest.data.get
    return Bundle(
        name=said("name", ""),
        version=said("version", ""),
        title=said("title", ""),
        description=said("description", ""),
        manifest=manifest,
        documents=tuple(documents),
        incomplete=frozenset(incomplete),
    )


def _compare(
    manifest: Document, prefix: str, contents: dict[str, bytes], diagnostics: Diagnostics
) -> bool:
    """Report files that are listed and missing, or there and not listed. True for missing ones."""
    listed: list[str] = manifest.data["files"]
    known = set(listed)
    unlisted = [path for path in contents if path not in known]
    unreadable = {d.span.file for d in diagnostics if d.code == "Y013" and d.span}
    missing = False
    for index, path in enumerate(listed):
        if path not in contents:
            missing = True
            if prefix + path in unreadable:
                continue
            help = did_you_mean(closest(path, unlisted))
            help = help or "restore the file, or take it out of the list"
            span = manifest.span("files", index)
            diagnostics.error("Y014", f"`{path}` is listed, but not there", span, help)
    for path in unlisted:
        span = manifest.span("files", key=True)
        help = "list it under `files`, or move it out of the bundle's folder"
        diagnostics.error("Y015", f"`{path}` is there, but not listed", span, help)
    return missing


def bundle_lines(files: BundleFiles) -> Callable[[str], list[str] | None]:
    """A function that gives the lines of a file by its shown path, for diagnostics.

    `files` are those of bundles; any other file among them is a settings file.
    """
    contents = dict(files)
    folders = tuple(
        file.removesuffix(MANIFEST) for file in contents if file.endswith(f"/{MANIFEST}")
    )

    @cache
    def lines(file: str) -> list[str] | None:
        data = contents.get(file)
        if data is None:
            return None
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        found = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return found if file.startswith(folders) else PrivateLines(found)

    return lines
