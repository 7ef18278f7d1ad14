"""Which bundle a manifest extends; read before anything else of it, to know whose files to read."""

from __future__ import annotations

from callgate.load.nodes import Mapping, Scalar
from callgate.load.reader import parse_yaml
from callgate.load.source import read_source
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span

__all__ = ["extended"]


def extended(file: str, data: bytes) -> tuple[str, Span] | None:
    """What stands after `extends` in a manifest, and where; None when nothing usable does.

    What is wrong in the manifest is reported when it is read as a whole.
    """
    source = read_source(file, data, Diagnostics())
    root = parse_yaml(source, Diagnostics()) if source is not None else None
    if source is None or not isinstance(root, Mapping) or "extends" not in root.entries:
        return None
    node = root.entries["extends"][1]
    if not isinstance(node, Scalar) or not isinstance(node.data, str) or not node.text:
        return None
    return node.text, source.span(node.start, node.end)
