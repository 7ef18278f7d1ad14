"""Bytes of a YAML file → tree → document of its kind, with everything wrong in it reported."""

from __future__ import annotations

import re
from typing import Final

from yaml.events import ScalarEvent

from callgate.load.cut import drop_cut_conditions
from callgate.load.document import Document
from callgate.load.events import YAML_ERRORS, event_reader
from callgate.load.nodes import Mapping, Node, Scalar, to_data
from callgate.load.prune import drop_paths, drop_scalars
from callgate.load.schema_parameters import check_parameters
from callgate.load.schemas import kinds, surely_valid
from callgate.load.source import Source, read_source
from callgate.load.tree import build_tree
from callgate.load.words import any_of, did_you_mean, found, shown
from callgate.load.yaml_errors import explain
from callgate.model.diagnostic import Diagnostics
from callgate.model.suggest import closest

__all__ = ["guess_kind", "parse_yaml", "read_document"]

_MAX_MISTAKES: Final = 20
_MOST_SHOWN: Final = 200
"""How many of one file's mistakes in YAML are reported: no one reads more."""

_KIND: Final = re.compile(rb"^kind:[ \t]*[\"']?([a-z-]+)", re.MULTILINE)
BUNDLE: Final = "bundle"


def read_document(
    file: str, data: bytes, diagnostics: Diagnostics, manifest: bool = False
) -> Document | None:
    """The document in a rule file, or None when nothing of it can be used.

    What is wrong in it is reported, and left out of the result (`Document.incomplete`).
    `manifest`: whether this is a bundle's `bundle.yaml`.
    """
    known = len(diagnostics.items)
    source = read_source(file, data, diagnostics)
    if source is None:
        return None
    root = parse_yaml(source, diagnostics)
    if root is None:
        return None
    if not isinstance(root, Mapping):
        message = f"expected a mapping, found {found(to_data(root))}"
        help = "a rule file begins with `kind: …`"
        diagnostics.error("S003", message, source.span(root.start, root.start + 1), help)
        return None
    kind = _kind(root, source, diagnostics, manifest)
    if kind is None:
        return None
    drop_cut_conditions(root, source, diagnostics)
    document = Document(kind, source, root, incomplete=len(diagnostics.items) > known)
    return _checked(document, diagnostics)


def guess_kind(data: bytes) -> str | None:
    """The kind that a file seems to be of that could not be read, or None."""
    match = _KIND.search(data)
    kind = match[1].decode() if match else ""
    return kind if kind in kinds() else None


def parse_yaml(
    source: Source, diagnostics: Diagnostics, aliases: bool = False, conditions: bool = True
) -> Node | None:
    """The tree of a YAML text, or None when it has none.

    `aliases`: whether they may occur; `conditions`: whether the file may hold conditions, so that
    one that YAML cuts off is P002.
    """
    text = source.text
    blanked: set[int] = set()
    while True:
        attempt = Diagnostics()
        try:
            root = build_tree(event_reader(text), source, attempt, aliases)
        except YAML_ERRORS as error:
            mistake = explain(source, error, conditions, _last_scalar(text))
            diagnostics.error(
                mistake.code, mistake.message, source.span(mistake.start, mistake.end), mistake.help
            )
            value = mistake.value
            if value is None or value[0] in blanked or len(blanked) >= _MAX_MISTAKES:
                diagnostics.items += attempt.items[:_MOST_SHOWN]
                return None
            blanked.add(value[0])
            text = text[: value[0]] + "~".ljust(value[1] - value[0]) + text[value[1] :]
            continue
        diagnostics.items += attempt.items[:_MOST_SHOWN]
        if root is not None and blanked:
            drop_scalars(root, blanked)
        return root


def _last_scalar(text: str) -> Scalar | None:
    """The last scalar before the mistake that ends a YAML text."""
    last: Scalar | None = None
    next_event = event_reader(text)
    try:
        while (event := next_event()) is not None:
            kind = event.__class__
            if kind is ScalarEvent:
                start, end = event.start_mark.index, event.end_mark.index
                last = Scalar(event.value, event.style or "", start, end)
    except YAML_ERRORS:
        pass
    return last


def _kind(root: Mapping, source: Source, diagnostics: Diagnostics, manifest: bool) -> str | None:
    if "kind" not in root.entries:
        if not root.lost:
            first = next(iter(root.entries.values()), (root, root))[0]
            help = f"begin the file with `kind:` and one of {any_of(_allowed(manifest))}"
            span = source.span(first.start, first.end)
            diagnostics.error("S002", "`kind` is missing", span, help)
        return None
    node = root.entries["kind"][1]
    kind = node.data if isinstance(node, Scalar) else None
    span = source.span(node.start, node.end)
    if not isinstance(kind, str):
        message = f"expected a kind of file, found {found(to_data(node))}"
        diagnostics.error("S003", message, span, f"write one of {any_of(_allowed(manifest))}")
        return None
    if kind in _allowed(manifest):
        return kind
    help = did_you_mean(closest(kind, _allowed(manifest)))
    if kind == BUNDLE:
        message, help = "only `bundle.yaml` is of kind `bundle`", ""
    elif manifest:
        message = f"expected kind `bundle` in bundle.yaml, found {shown(kind)}"
    else:
        message = f"unknown kind {shown(kind)}"
    help = help or f"the kinds are {any_of(_allowed(manifest), last='and')}"
    diagnostics.error("S005", message, span, help)
    return None


def _allowed(manifest: bool) -> list[str]:
    return [BUNDLE] if manifest else [kind for kind in kinds() if kind != BUNDLE]


def _checked(document: Document, diagnostics: Diagnostics) -> Document | None:
    """The document without what the schema of its kind does not allow. A manifest may then lack
    keys that it must have: its files are read all the same, for what is wrong in them."""
    kind, collector = document.kind, diagnostics
    while not surely_valid(kind)(document.data):
        from callgate.load.findings import find
        from callgate.load.schema_errors import report_findings

        findings = find(kind, document.data)
        if not findings:
            break
        offending = report_findings(document, findings, collector)
        usable = drop_paths(document.root, offending)
        document = Document(kind, document.source, document.root, incomplete=True)
        if not usable:
            return document if kind == BUNDLE else None
        collector = Diagnostics()  # what is missing now follows from what was reported
    return check_parameters(document, diagnostics) if kind == "tools" else document
