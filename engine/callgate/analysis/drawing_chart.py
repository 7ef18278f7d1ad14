"""The flow as text for Graphviz (dot) and Mermaid: a box per step and rule, an edge per outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from callgate.analysis.drawing_rows import MOST_ROWS
from callgate.analysis.drawing_text import clean
from callgate.analysis.flow_view import FlowView, Outcome, StepView
from callgate.analysis.texts import counted
from callgate.analysis.wording import DESPITE, QUESTIONS, grouped_answers, marks_of, title_of

__all__ = ["dot_of", "mermaid_of"]

_LINE: Final = 56
_MARK: Final = {
    "allow": "✓ ALLOW",
    "ask": "? ASK",
    "deny": "✕ DENY",
    "show": "✓ SHOW",
    "hide": "✕ HIDE",
}
_FILL: Final = {
    "allow": ("#d7f0e5", "#0b7a53"),
    "ask": ("#fdefcb", "#b57d00"),
    "deny": ("#fbdcd9", "#b3261e"),
}

_MERMAID: Final = frozenset('"#<>&;`\\')

Kind = Literal["step", "rule", "consult", "allow", "ask", "deny"]

_KIND: Final[Mapping[str, Kind]] = {"allow": "allow", "show": "allow", "ask": "ask"}


@dataclass(frozen=True, slots=True)
class _Box:
    name: str
    kind: Kind
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Edge:
    start: str
    end: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Chart:
    steps: tuple[tuple[StepView, tuple[_Box, ...]], ...]
    edges: tuple[_Edge, ...]


def mermaid_of(view: FlowView) -> str:
    """A Mermaid flowchart."""
    chart = _chart(view)
    out = ["flowchart TD"]
    for step, boxes in chart.steps:
        out.append(f'  subgraph {boxes[0].name}_step["{_mermaid(step.title)}"]')
        out.extend(f"    {box.name}{_shape(box)}" for box in boxes)
        out.append("  end")
    for edge in chart.edges:
        label = f'|"{_mermaid(edge.label)}"|' if edge.label else ""
        out.append(f"  {edge.start} -->{label} {edge.end}")
    for kind, (fill, line) in _FILL.items():
        out.append(f"  classDef {kind} fill:{fill},stroke:{line},color:#1b2430")
    return "\n".join(out) + "\n"


def _shape(box: _Box) -> str:
    text = "<br/>".join(map(_mermaid, box.lines))
    if box.kind in _FILL:
        return f'(["{text}"]):::{box.kind}'
    return f'{{{{"{text}"}}}}' if box.kind == "consult" else f'["{text}"]'


def _mermaid(text: str) -> str:
    """Mermaid reads labels as HTML: what could mean something there becomes an entity."""
    return "".join(f"#{ord(char)};" if char in _MERMAID else char for char in clean(text))


def dot_of(view: FlowView) -> str:
    """A Graphviz digraph."""
    chart = _chart(view)
    out = [
        f'digraph "{_dot(view.name)}" {{',
        f'  graph [label="{_dot(title_of(view))}", labelloc=t, rankdir=TB, fontname="Helvetica"];',
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
    ]
    for step, boxes in chart.steps:
        out.append(f"  subgraph cluster_{boxes[0].name} {{")
        out.append(f'    label="{_dot(step.title)}"; color="#d5dbe3";')
        out.extend(f"    {box.name} [{_attributes(box)}];" for box in boxes)
        out.append("  }")
    for edge in chart.edges:
        label = f' [label="{_dot(edge.label)}"]' if edge.label else ""
        out.append(f"  {edge.start} -> {edge.end}{label};")
    return "\n".join([*out, "}"]) + "\n"


def _attributes(box: _Box) -> str:
    text = "\\n".join(map(_dot, box.lines))
    if box.kind in _FILL:
        fill, line = _FILL[box.kind]
        return f'label="{text}", shape=box, fillcolor="{fill}", color="{line}"'
    shape = ", shape=hexagon, style=filled" if box.kind == "consult" else ""
    return f'label="{text}"{shape}'


def _dot(text: str) -> str:
    return clean(text).replace("\\", "\\\\").replace('"', '\\"')


def _chart(view: FlowView) -> _Chart:
    """Boxes and edges, both in the order of the walk."""
    active = [step for step in view.steps if step.active]
    entries = [f"s{number}" for number in range(1, len(active) + 1)]
    steps, edges = [], []
    for step, entry, after in zip(active, entries, [*entries, ""][1:], strict=True):
        boxes: list[_Box] = []
        for item in _parts(view, step, entry, after):
            if isinstance(item, _Box):
                boxes.append(item)
            elif item.end:
                edges.append(item)
        steps.append((step, tuple(boxes)))
    return _Chart(tuple(steps), tuple(edges))


def _parts(view: FlowView, step: StepView, entry: str, after: str) -> Iterator[_Box | _Edge]:
    """The boxes and edges of a step; `entry` is its own box, `after` the next step's."""
    about = [f"only when {step.condition}" if step.condition else f"step {step.id}"]
    if step.guards:
        guards = counted(len(view.guards), "guard")
        about.append(f"{guards}: a deny ends here, asks are carried on")
    if step.shows:
        about.append(f"finds {step.shows}")
    yield _Box(entry, "step", tuple(line for text in about for line in _wrapped(text)))
    if step.condition:
        yield _Edge(entry, after, "no")
    if step.guards and any(guard.decide == "deny" for guard in view.guards):
        yield from _outcome(f"{entry}denied", entry, Outcome("deny", "the guard"), "denied")
    last, label = entry, "yes" if step.condition else ""
    for index, rule in enumerate(step.rules[:MOST_ROWS], start=1):
        box = f"{entry}r{index}"
        question = QUESTIONS.get(rule.who, rule.who)
        texts = (rule.condition or ("" if question else "always"), question, *marks_of(rule))
        lines = [line for text in texts if text for line in _wrapped(text)]
        yield _Box(box, "consult" if rule.who else "rule", tuple(lines))
        yield _Edge(last, box, label)
        label = "no" if rule.condition and not rule.shadow else ""
        if rule.outcome is not None and not rule.shadow:
            yield from _outcome(f"{box}d", box, rule.outcome, "yes" if rule.condition else "")
        for number, (answers, outcome) in enumerate(grouped_answers(rule)):
            yield from _outcome(f"{box}a{number}", box, outcome, ", ".join(answers))
            if outcome.verdict == "next":
                label = ", ".join(answers) + (", or no" if rule.condition else "")
        last = box
    left = len(step.rules) - MOST_ROWS
    if left > 0:
        box = f"{entry}more"
        yield _Box(box, "rule", (f"… and {left:,} more {'rule' if left == 1 else 'rules'}",))
        yield _Edge(last, box, label)
        last, label = box, "no"
    if step.otherwise is not None:
        yield from _outcome(f"{entry}otherwise", last, step.otherwise, label)
    elif not step.rules or step.rules[-1].condition or label:
        yield _Edge(last, after, label)


def _outcome(name: str, start: str, outcome: Outcome, label: str) -> Iterator[_Box | _Edge]:
    if outcome.verdict == "next":
        return
    notes = [outcome.rule, DESPITE.get(outcome.despite or "", "")]
    kind = _KIND.get(outcome.verdict, "deny")
    if outcome.verdict in ("show", "hide"):
        notes += _wrapped(outcome.reason)
    yield _Box(name, kind, (_MARK[outcome.verdict], *(note for note in notes if note)))
    yield _Edge(start, name, label)


def _wrapped(text: str) -> list[str]:
    lines, line = [], ""
    for word in clean(text).split(" "):
        if line and len(line) + len(word) >= _LINE:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line] if line else lines
