"""Every tool as the model and its user meet it: shown or hidden and why, its risk, and the approval
that a call would meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.model.decision import Decision
from callgate.model.graph import VISIBLE, RuleOrigin
from callgate.runtime.interpreter import Program
from callgate.runtime.render import View

__all__ = ["ToolRow", "call_for", "known_tools", "summary_of", "tool_rows"]

_NOTHING: Final[Mapping[str, Any]] = {}
_PENDING: Final = {"reviewer": "reviewer", "human": "person"}


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool. `reason`: the reason code, `visible` where it is shown; `rule`, `file` and `line`:
    what decided that; `why`: the same in words, "" where it is shown. `approval`: see
    docs/formats.md; `approval_rule` to `approval_line`: what decided it, and where that stands."""

    name: str
    visible: bool
    reason: str
    rule: str | None
    file: str | None
    line: int | None
    risk: str | None
    capabilities: tuple[str, ...]
    approval: str
    called_as: str
    why: str
    approval_rule: str
    approval_why: str
    approval_file: str | None
    approval_line: int | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "name": self.name,
            "visible": self.visible,
            "reason": self.reason,
            "rule": self.rule,
            "file": self.file,
            "line": self.line,
            "risk": self.risk,
            "capabilities": list(self.capabilities),
            "approval": self.approval,
            "called_as": self.called_as,
            "why": self.why,
            "approval_rule": self.approval_rule,
            "approval_why": self.approval_why,
            "approval_file": self.approval_file,
            "approval_line": self.approval_line,
        }


def known_tools(program: Program) -> list[str]:
    """The names in the catalogue, sorted."""
    return sorted(program.graph.document["tools"])


def call_for(name: str, context: Mapping[str, Any], missing: Sequence[str]) -> dict[str, Any]:
    """The call that stands for any call of a tool in a context."""
    return {"tool": name, "context": dict(context), "observed": {"missing": list(missing)}}


def tool_rows(
    program: Program,
    names: Iterable[str],
    context: Mapping[str, Any] = _NOTHING,
    missing: Sequence[str] = (),
) -> list[ToolRow]:
    """A row for each tool by its name or alias, in a call's `context`. `missing`: what the host
    found missing."""
    return [_row(program, call_for(name, context, missing)) for name in names]


def summary_of(rows: Iterable[ToolRow]) -> dict[str, int]:
    """How many tools there are of each reason code, `visible` first, then the most frequent."""
    counts = Counter(row.reason for row in rows)
    order = sorted(counts, key=lambda code: (code != VISIBLE, -counts[code], code))
    return {code: counts[code] for code in order}


def _row(program: Program, call: Mapping[str, Any]) -> ToolRow:
    shown, met = program.visibility(call), program.unseen.approval(call)
    view = View(program.unseen.program, met)
    frame = view.frame
    reason = program.unseen.code_of(shown)
    visible, rule, why, place = reason == VISIBLE, None, "", RuleOrigin()
    decided = _place(program, met)
    if shown is not None:
        rule, place = shown.rule, _place(program, shown)
        why = "" if visible else View(program.unseen.program, shown).reason()
    return ToolRow(
        view.show(frame.tool if frame else call["tool"]),
        visible,
        reason,
        rule,
        place.file or None,
        place.line or None,
        getattr(frame, "risk", None),
        tuple(getattr(frame, "capabilities", ())),
        _approval(met),
        view.show(call["tool"]),
        why,
        met.rule,
        view.reason(),
        decided.file or None,
        decided.line or None,
    )


def _place(program: Program, decision: Decision) -> RuleOrigin:
    known = program.sources.rules.get(decision.rule)
    if known is not None or not decision.trace:
        return known or RuleOrigin()
    origin = program.origin(abs(decision.trace[-1]))
    return RuleOrigin("", origin.file, origin.line)


def _approval(decision: Decision) -> str:
    """What approval a call meets, in one word."""
    if decision.failure is not None:
        return "depends"
    if decision.pending is not None:
        return _PENDING.get(decision.pending, "ask")
    return {"allow": "none", "deny": "denied"}.get(decision.decision, "ask")
