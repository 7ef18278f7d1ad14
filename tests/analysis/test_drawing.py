"""Drawings: the pictures of `acme`, and any text in them staying text and in its place."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.analysis.drawing import FORMATS, draw
from callgate.analysis.drawing_chart import dot_of, mermaid_of
from callgate.analysis.drawing_svg import WIDTH, svg_of
from callgate.analysis.drawing_text import MONO, SANS, width_of, wrap
from callgate.analysis.flow_view import FlowView, GuardView, Outcome, RuleView, StepView
from callgate.model.graph import DecisionGraph, FoldedRule
from tests.acme import acme, golden

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "</text><script>alert(1)</script>",
    '"]; x["',
    "a\\",
    "&amp; \x00\x1b[31m\u202e\ud800",
    "word " * 30,
    "x" * 300,
)
ENDING = {"svg": "svg", "dot": "dot", "mermaid": "mmd"}


@pytest.mark.parametrize("format_", sorted(ENDING))
def test_the_picture_of_acme(format_: str) -> None:
    engine = acme()
    text = draw(engine.graph, engine.source_map, format_)
    digest = engine.graph.digest[:23]
    plain = text.replace(digest, "sha256:0000000000000000")
    assert plain == golden(f"drawing/acme.{ENDING[format_]}", plain)


def test_the_json_is_the_graph() -> None:
    engine = acme()
    text = draw(engine.graph, engine.source_map, "json")
    assert DecisionGraph.from_json(text.encode(), engine.graph.digest).nodes == engine.graph.nodes
    assert "json" in FORMATS
    assert json.loads(text)["bundle"] == {"name": "acme", "version": "2.1.0"}


TEXT = st.text(max_size=40) | st.sampled_from(HOSTILE)
OUTCOME = st.builds(
    Outcome,
    st.sampled_from(["allow", "ask", "deny", "next"]),
    TEXT,
    st.sampled_from([None, "none", "any", "person"]),
    TEXT,
)
RULE = st.builds(RuleView, TEXT, TEXT, TEXT, OUTCOME) | st.builds(
    RuleView,
    TEXT,
    TEXT,
    TEXT,
    st.none(),
    st.sampled_from(["grant", "human", "other"]),
    st.lists(st.tuples(st.sampled_from(["once", "deny", "none"]), OUTCOME), max_size=3).map(tuple),
)
STEP = st.builds(
    StepView,
    TEXT,
    TEXT,
    TEXT,
    st.booleans(),
    TEXT,
    st.lists(RULE, max_size=3).map(tuple),
    st.none() | OUTCOME,
    st.lists(st.builds(FoldedRule, TEXT, TEXT, TEXT, TEXT, TEXT, st.just(1)), max_size=2).map(
        tuple
    ),
    st.booleans(),
)
GUARD = st.builds(
    GuardView,
    TEXT,
    TEXT,
    st.sampled_from(["deny", "ask", "note"]),
    st.sampled_from(["any", "person"]),
    TEXT,
    st.just(()),
    TEXT,
)
FLOW = st.builds(
    FlowView,
    TEXT,
    TEXT,
    TEXT,
    st.lists(STEP, min_size=1, max_size=4).map(tuple),
    st.lists(GUARD, max_size=3).map(tuple),
)


@settings(max_examples=25, deadline=None)
@given(FLOW)
def test_any_text_is_drawn_as_text(view: FlowView) -> None:
    root = ElementTree.fromstring(svg_of(view))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "path", "circle", "text",
    }  # fmt: skip
    assert root.find(f"{SVG}title") is not None
    assert root.find(f"{SVG}desc") is not None
    height = float(root.attrib["height"])
    for element in root.iter(f"{SVG}text"):
        x, y, size = (float(element.attrib[name]) for name in ("x", "y", "font-size"))
        family = MONO if element.attrib.get("class") == "m" else SANS
        width = width_of(element.text or "", size, family, "font-weight" in element.attrib)
        start = {"end": x - width, "middle": x - width / 2}.get(
            element.attrib.get("text-anchor", ""), x
        )
        assert 0 < y < height
        assert start >= 0 or element.attrib.get("text-anchor") == "end"
        if "text-anchor" not in element.attrib:
            assert start + width <= WIDTH, element.text


@settings(max_examples=25, deadline=None)
@given(FLOW)
def test_labels_stay_inside_their_quotes(view: FlowView) -> None:
    for line in mermaid_of(view).splitlines():
        assert line.count('"') % 2 == 0
    for line in dot_of(view).splitlines():
        assert re.sub(r'"(?:[^"\\]|\\.)*"', "", line).count('"') == 0


@settings(deadline=None)
@given(st.text(max_size=200), st.floats(20, 400), st.sampled_from([MONO, SANS]))
def test_wrapped_lines_fit(text: str, width: float, family: str) -> None:
    for line in wrap(text, 13, width, family):
        assert width_of(line, 13, family) <= width or len(line) == 1


def test_a_condition_breaks_before_its_operator() -> None:
    text = "call.tool in settings.tools.deny and not call.nested"
    assert wrap(text, 13, 330, MONO) == ["call.tool in settings.tools.deny", "and not call.nested"]
