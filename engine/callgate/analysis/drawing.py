"""A decision graph as a picture or as text for other drawing programs."""

from __future__ import annotations

from typing import Final

from callgate.analysis.flow_view import view_of
from callgate.model.graph import DecisionGraph, SourceMap

__all__ = ["FORMATS", "draw"]

FORMATS: Final = ("svg", "dot", "mermaid", "json")


def draw(graph: DecisionGraph, source: SourceMap, format: str, flow: str = "") -> str:
    """A flow of the graph in one of `FORMATS`; `json` is the canonical JSON of the whole graph,
    which its digest covers."""
    if format == "json":
        return graph.to_json().decode() + "\n"
    view = view_of(graph, source, flow)
    if format == "svg":
        from callgate.analysis.drawing_svg import svg_of

        return svg_of(view)
    from callgate.analysis.drawing_chart import dot_of, mermaid_of

    return dot_of(view) if format == "dot" else mermaid_of(view)
