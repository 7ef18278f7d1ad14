"""The authors' tools' configuration: `.callgate.yaml`, or `[tool.callgate]` of pyproject.toml.

It is looked for in the working directory and the folders above it, up to the root of the repository
where that lies in one; the nearest one counts, alone. Outside a repository, one that another user
could have written does not count.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.files import CONFIGURATION
from callgate.load.nodes import Mapping, Node, to_data
from callgate.load.one_file import read_file, reason_of
from callgate.load.prune import drop_paths
from callgate.load.repository import could_be_foreign, repository_of
from callgate.load.schemas import surely_valid
from callgate.load.source import Source, read_source
from callgate.load.toml_tree import toml_tree
from callgate.load.words import found
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.resources import bundle_names

__all__ = ["Project", "find_project"]

_YAML: Final = CONFIGURATION
_TOML: Final = "pyproject.toml"
_TABLE: Final = "tool.callgate"
_KIND: Final = "config"


@dataclass(frozen=True, slots=True)
class Project:
    """What the nearest configuration says; without one, nothing.

    `folder`: where it stands, or the working directory. `data`: what it holds, as its schema allows
    it. `document`: the same with places; None without one.
    """

    folder: Path
    data: dict[str, Any] = field(default_factory=dict)
    document: Document | None = None

    @property
    def bundles(self) -> tuple[str, ...]:
        """The bundles to work on where none is given: names of embedded ones, and folders as paths
        that lead there from the working directory."""
        return tuple(map(self._from_here, self.data.get("bundles", ())))

    @property
    def fail_under(self) -> float | None:
        """How many percent of the rules the tests have to cover, or None."""
        value: float | None = self.data.get("test", {}).get("fail-under")
        return value

    @property
    def source_lines(self) -> list[str] | None:
        """The lines of its file, for diagnostics about it."""
        return self.document.source.lines if self.document else None

    def _from_here(self, bundle: str) -> str:
        if "/" not in bundle and bundle in bundle_names():
            return bundle
        path = os.path.relpath(self.folder / bundle)
        return path if os.sep in path or path == "." else f"./{path}"


def find_project(diagnostics: Diagnostics, start: Path | None = None) -> Project:
    """The configuration that counts in a folder (None: the working directory).

    What is wrong with it is reported (as errors) and left out.
    """
    try:
        here = (start or Path()).absolute()
    except OSError:  # the working directory is gone
        return Project(Path())
    root = repository_of(here)
    for folder in (here, *here.parents):
        trees = [tree for tree in (_yaml(folder, diagnostics), _toml(folder, diagnostics)) if tree]
        if len(trees) == 2:
            diagnostics.error(
                "S006",
                f"`{_YAML}` and `[{_TABLE}]` of {_TOML} both stand in this folder",
                Span(trees[0][0].file, 1, 1, 1, 1),
                "keep one of the two",
            )
        if trees:
            if root is None and not _own(folder, trees[0][0], diagnostics):
                return Project(here)
            return _checked(folder, *trees[0], diagnostics)
        if folder == root:
            break
    return Project(here)


def _own(folder: Path, source: Source, diagnostics: Diagnostics) -> bool:
    """Whether nobody else could have written a configuration."""
    try:
        why = could_be_foreign(folder / Path(source.file).name)
    except OSError:
        return True  # that was reported when it was read
    if why:
        help = "remove it, or put one of your own into the folder that you work in"
        message = f"this configuration does not count: {why}"
        diagnostics.error("Y013", message, Span(source.file, 1, 1, 1, 1), help)
    return not why


def _yaml(folder: Path, diagnostics: Diagnostics) -> tuple[Source, Node] | None:
    path = folder / _YAML
    if not os.path.lexists(path):
        return None
    from callgate.load.reader import parse_yaml

    shown = _shown(path)
    data = read_file(path, shown, diagnostics)
    source = None if data is None else read_source(shown, data, diagnostics)
    root = None if source is None else parse_yaml(source, diagnostics, conditions=False)
    if source is None or root is None:
        return Source(shown, ""), Mapping(0, 0)  # that was reported
    return source, root


def _toml(folder: Path, diagnostics: Diagnostics) -> tuple[Source, Node] | None:
    path = folder / _TOML
    if not os.path.lexists(path):
        return None
    shown = _shown(path)
    data = read_file(path, shown, diagnostics)
    if data is None or b"callgate" not in data:
        return None
    try:
        text = data.decode()
        tables = tomllib.loads(text).get("tool", {})
    except (ValueError, RecursionError) as error:  # of UTF-8 as well
        deep = isinstance(error, RecursionError)
        why = "it is nested too deep" if deep else reason_of(error)
        message = f"`{_TOML}` can't be read: {why}"
        diagnostics.error("Y001", message, Span(shown, 1, 1, 1, 1), "mend what is no TOML in it")
        return None
    table = tables.get("callgate") if isinstance(tables, dict) else None
    if not isinstance(table, dict):
        return None
    return Source(shown, text), toml_tree(text, table, _TABLE)


def _checked(folder: Path, source: Source, root: Node, diagnostics: Diagnostics) -> Project:
    if not isinstance(root, Mapping):
        message = f"expected a mapping, found {found(to_data(root))}"
        span = source.span(root.start, root.start + 1)
        diagnostics.error("S003", message, span, "for example `bundles: [policies/acme]`")
        return Project(folder)
    document = Document(_KIND, source, root)
    collector = diagnostics
    while not surely_valid(_KIND)(document.data):
        from callgate.load.findings import find
        from callgate.load.schema_errors import report_findings

        findings = find(_KIND, document.data)
        if not findings:
            break
        if not drop_paths(root, report_findings(document, findings, collector)):
            return Project(folder, {}, Document(_KIND, source, Mapping(0, 0)))
        document = Document(_KIND, source, root)
        collector = Diagnostics()  # what is missing now follows from what was reported
    return Project(folder, document.data, document)


def _shown(path: Path) -> str:
    """A path from the working directory, as far as it leads there."""
    try:
        text = os.path.relpath(path)
    except (OSError, ValueError):
        text = str(path)
    return text.encode("utf-8", "backslashreplace").decode()
