"""The decision graph: what a policy and its settings compile into, and all that decides.

The graph is its JSON form: `DecisionGraph.document` is what the digest covers, what a cache file
holds and what the interpreter runs. Nodes stand in the order of the walk and edges only go
forward, so a walk always ends. Conditions stay in their JSON form until they are first needed.

    {"schema": "callgate.graph/3",
     "bundle":   {"name", "version"},
     "steps":    [[id, title], …],
     "visibility": {"entry": node number, "step": number of its first step, "codes": {rule: code}}
                 or null: the second flow, whose nodes and steps stand behind the approval flow's,
     "nodes":    [["branch", step, condition, then, otherwise, "then" | "otherwise" when unknown],
                  ["switch", step, expression, [[value, target], …], default],
                  ["guards", step, next],
                  ["consult", step, rule, who, {answer: target, …}, [RE2 of replies that are none]],
                  ["decide", step, rule, "allow" | "ask" | "deny", reason or null],
                  ["note", step, rule, "allow" | "ask" | "deny", reason or null, next, whether the
                   rule is a shadow, the exception that counts or null]],
     "guards":   [{"id", "decide", "approval", "unresolved", "tools", "each", "when", "reason",
                   "shadow", "exceptions": [[id, condition], …],
                   "index": {"needs", "programs", "mentions", "words"}: what the condition asks
                   for, so that it is read only for calls that may have it}, …],
     "tools":    {name: {"capabilities", "reserved", "needs", "effects"}}, "aliases": {alias: name},
     "dynamic":  [{"id", "when", "capabilities", "effects", "listed"}, …],
     "risk":     {"levels", "default", "tools", "declared", "raises"} or null; a rule of the last
                 two: {"id", "when", "level", "tools", "quiet": tools it can't concern when a call
                 declares nothing},
     "programs": {…}, "languages": {…}, "masking": {"names", "patterns", "weak", "settings":
                 secret ones},
     "zones":    the version of the time-zone data that conditions read, or null,
     "gate":     {"wait_seconds", "approvers": [sender, …], "signed_answers", "lasting": condition
                 or null: every call, "families": {name: [tool, …]}, "grant_days": 0: no end,
                 "reviewer": {"base_url", "model", "key_from", "timeout_seconds", "retries"} or
                 null}: what the live gate knows of the policy besides,
     "context":  {field: [type, members or null, default]},
     "args":     {tool: {name: [type, required]}}}

Node numbers and targets count from 1; steps from 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson

__all__ = [
    "GRAPH_SCHEMA",
    "VISIBILITY",
    "VISIBLE",
    "DecisionGraph",
    "FoldedRule",
    "GraphError",
    "NodeOrigin",
    "RuleOrigin",
    "SourceMap",
    "as_json",
    "canonical",
    "digest_of",
]

GRAPH_SCHEMA: Final = "callgate.graph/3"

VISIBILITY: Final = "visibility"
"""The name of the second flow: which tools are shown."""

VISIBLE: Final = "visible"
"""The last word of the second flow: its step, its rule, and the reason code of what is shown."""

_PARTS: Final[Mapping[str, type]] = {
    "bundle": dict,
    "steps": list,
    "nodes": list,
    "guards": list,
    "tools": dict,
    "aliases": dict,
    "dynamic": list,
    "programs": dict,
    "languages": dict,
    "masking": dict,
    "gate": dict,
    "context": dict,
    "args": dict,
}


class GraphError(ValueError):
    """A JSON document that isn't a decision graph, or not an intact one."""


class DecisionGraph:
    """A decision graph: its JSON document, canonical bytes and digest. A `digest` that is not given
    is computed when it is first asked for: most graphs of a test run are never asked."""

    __slots__ = ("_digest", "document")

    document: Mapping[str, Any]

    def __init__(self, document: Mapping[str, Any], digest: str | None = None) -> None:
        self.document = document
        self._digest = digest

    @property
    def digest(self) -> str:
        """`sha256:…` of the canonical JSON."""
        digest = self._digest
        if digest is None:
            digest = self._digest = digest_of(canonical(self.document))
        return digest

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> DecisionGraph:
        """The graph of a document; raises GraphError when the document isn't a graph.

        What it holds is the document as its canonical JSON says it: what runs is what the digest
        is about, read back or not.
        """
        _check_structure(document)
        return cls.of_json(as_json(document))

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> DecisionGraph:
        """The same for a document that is made of what `as_json` gave."""
        _check_structure(document)
        return cls(document)

    @classmethod
    def from_json(cls, text: bytes, digest: str | None = None) -> DecisionGraph:
        """Read a graph, and check its structure and, when given, its digest (`sha256:…`)."""
        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise GraphError(f"not JSON: {error}") from None
        if digest is not None and digest_of(text) == digest:
            _check_structure(document)  # the text is the canonical one: no need to write it again
            return cls(document, digest)
        graph = cls.of(document)
        if digest is not None and graph.digest != digest:
            raise GraphError(f"digest is {graph.digest}, expected {digest}")
        return graph

    def to_json(self) -> bytes:
        """The canonical JSON: sorted keys, no spaces, UTF-8."""
        return canonical(self.document)

    @property
    def nodes(self) -> list[list[Any]]:
        """The nodes in order; node number n is `nodes[n - 1]`."""
        nodes: list[list[Any]] = self.document["nodes"]
        return nodes

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Id and title of each step, in order."""
        return [(id_, title) for id_, title in self.document["steps"]]

    @property
    def visibility(self) -> Mapping[str, Any] | None:
        """The second flow's entry, first step and reason codes; None where there is none."""
        found: Mapping[str, Any] | None = self.document.get(VISIBILITY)
        return found

    def steps_of(self, flow: str = "") -> range:
        """The numbers of the steps of the approval flow, or of `visibility`."""
        second = self.visibility
        count = len(self.document["steps"])
        first = count if second is None else int(second["step"])
        return range(first, count) if flow == VISIBILITY else range(first)


class NodeOrigin(NamedTuple):
    """Where a node comes from: step and rule ids, the condition as text, and its place."""

    step: str
    rule: str
    condition: str
    file: str
    line: int


class RuleOrigin(NamedTuple):
    """Where a rule or guard comes from: its title, its place, and its condition as text ("" when it
    has none)."""

    title: str = ""
    file: str = ""
    line: int = 0
    condition: str = ""


@dataclass(frozen=True, slots=True)
class FoldedRule:
    """A step or rule (`rule` is "" for a whole step) that these settings switch off, and why."""

    step: str
    rule: str
    title: str
    why: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class SourceMap:
    """What the digest doesn't cover: places and texts, beside the graph.

    `nodes` is in step with the graph's nodes; `rules` has the origin of every rule and guard
    id; `folded` lists what the settings switched off.
    """

    nodes: tuple[NodeOrigin, ...] = ()
    rules: Mapping[str, RuleOrigin] = field(default_factory=dict)
    folded: tuple[FoldedRule, ...] = ()


def canonical(document: Any) -> bytes:
    """Canonical JSON: keys sorted, no white space; graphs hold no floats."""
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def as_json(value: Any) -> Any:
    """A value as its canonical JSON says it, read back."""
    return orjson.loads(canonical(value))


def digest_of(data: bytes) -> str:
    """`sha256:` and the hex digest."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _check_structure(document: Any) -> None:
    if not isinstance(document, dict) or document.get("schema") != GRAPH_SCHEMA:
        raise GraphError(f"not a {GRAPH_SCHEMA} document")
    for name, kind in _PARTS.items():
        if not isinstance(document.get(name), kind):
            raise GraphError(f"`{name}` is missing or of the wrong type")
    nodes, steps = document["nodes"], len(document["steps"])
    last = len(nodes)
    if not nodes:
        raise GraphError("no nodes")
    second = document.get(VISIBILITY)
    if second is not None and not _is_flow(second, last, steps):
        raise GraphError("`visibility` is malformed")
    for number, node in enumerate(nodes, start=1):
        try:
            targets = _targets(node)
            step = node[1]
        except (TypeError, IndexError, ValueError, KeyError, AttributeError):
            raise GraphError(f"node {number} is malformed") from None
        if type(step) is not int or not 0 <= step < steps:
            raise GraphError(f"node {number} names no step")
        for target in targets:
            if type(target) is not int or not number < target <= last:
                raise GraphError(f"node {number} has an edge that does not go forward")


def _is_flow(second: Any, last: int, steps: int) -> bool:
    if not isinstance(second, dict) or not isinstance(second.get("codes"), dict):
        return False
    entry, step = second.get("entry"), second.get("step")
    return type(entry) is int and 1 <= entry <= last and type(step) is int and 0 < step < steps


def _targets(node: list[Any]) -> list[int]:
    kind = node[0]
    if kind == "branch":
        _, _, _, then, otherwise, unknown = node
        if unknown not in ("then", "otherwise"):
            raise ValueError
        return [then, otherwise]
    if kind == "decide":
        _, _, _, effect, _ = node
        if effect not in ("allow", "ask", "deny"):
            raise ValueError
        return []
    if kind == "switch":
        _, _, _, table, default = node
        return [default, *(target for _, target in table)]
    if kind == "guards":
        return [node[2]]
    if kind == "note":
        _, _, _, effect, _, after, _, _ = node
        if effect not in ("allow", "ask", "deny"):
            raise ValueError
        return [after]
    if kind == "consult":
        return list(node[4].values())
    raise ValueError
