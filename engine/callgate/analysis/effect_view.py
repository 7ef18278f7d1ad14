"""The effects of a call, made ready to be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from callgate.analysis.effect_text import ShownText
from callgate.effects.shell.tree import Span

__all__ = [
    "ArgumentView",
    "EffectView",
    "EffectsView",
    "FiredView",
    "NodeKind",
    "RuleView",
    "TreeNode",
]

NodeKind = Literal[
    "script", "command", "pipeline", "sequence", "group", "subshell", "branch", "loop", "function"
]


@dataclass(frozen=True, slots=True)
class FiredView:
    """A guard on one effect. `sure`: its condition holds, and is not only unknown; `idle`: why it
    decides nothing (`shadow`, or the id of an exception)."""

    rule: str
    decide: str
    sure: bool
    idle: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        told: dict[str, Any] = {"rule": self.rule, "decide": self.decide, "sure": self.sure}
        return {**told, "idle": self.idle} if self.idle else told


@dataclass(frozen=True, slots=True)
class EffectView:
    """One effect: `form` as in a decision, what it is called, where it stands and what fires on it.

    `unresolved`: why something about it is not known. `line` and `column` count from 1; 0 where it
    has no place in an argument's text.
    """

    id: int
    form: Mapping[str, Any]
    phrase: str
    argument: str | None
    span: Span | None
    line: int
    column: int
    guards: tuple[FiredView, ...]
    unresolved: tuple[str, ...] = ()

    @property
    def severity(self) -> str:
        """The strictest that a guard decides for it: deny, ask, note or nothing."""
        found = {fired.decide for fired in self.guards if not fired.idle}
        return next((word for word in ("deny", "ask", "note") if word in found), "")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: that of a decision, and more keys."""
        return {
            "id": self.id,
            **self.form,
            "phrase": self.phrase,
            "argument": self.argument,
            "line": self.line or None,
            "column": self.column or None,
            "why_unresolved": list(self.unresolved),
            "guards": [fired.to_dict() for fired in self.guards],
        }


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A part of a shell text. `text` is what is shown of it; `lead` what stands before it in a
    compound command (`then`, `else`, a case's pattern).

    `operator`: what joins it to the one before (`&&`, `||`, `;`, `&`, `|`). `via`: the wrapper or
    interpreter that runs it, or `substitution`; "" where it stands in the text itself. `cwd`: the
    folder it runs in, None where nobody knows. `stdin`: where its input comes from, if it is not
    the call's. `unresolved`: words of it that are not known before it runs, and why. `effects`:
    the ids of its effects.
    """

    kind: NodeKind
    text: str
    span: Span
    line: int
    operator: str = ""
    lead: str = ""
    via: str = ""
    cwd: str | None = None
    stdin: str = ""
    unresolved: tuple[str, ...] = ()
    effects: tuple[int, ...] = ()
    children: tuple[TreeNode, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "kind": self.kind,
            "operator": self.operator,
            "lead": self.lead,
            "via": self.via,
            "text": self.text,
            "span": list(self.span),
            "line": self.line,
            "cwd": self.cwd,
            "stdin": self.stdin,
            "unresolved": list(self.unresolved),
            "effects": list(self.effects),
            "children": [child.to_dict() for child in self.children],
        }


@dataclass(frozen=True, slots=True)
class ArgumentView:
    """An argument whose text has effects; `tree` where it is shell text."""

    name: str
    text: ShownText
    tree: TreeNode | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; masked parts are `***`, so that spans count in the call's own text."""
        return {
            "argument": self.name,
            "text": "\n".join(line.shown for line in self.text.lines),
            "tree": self.tree.to_dict() if self.tree else None,
        }


@dataclass(frozen=True, slots=True)
class RuleView:
    """A guard that fires somewhere: why, where it stands, and on which effects; none where it is
    about the call as a whole."""

    rule: str
    decide: str
    approval: str | None
    reason: str
    place: str
    effects: tuple[int, ...]
    idle: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        told: dict[str, Any] = {
            "rule": self.rule,
            "decide": self.decide,
            "approval": self.approval,
            "reason": self.reason,
            "place": self.place,
            "effects": list(self.effects),
        }
        return {**told, "idle": self.idle} if self.idle else told


@dataclass(frozen=True, slots=True)
class EffectsView:
    """A call, its arguments with effects, all effects, the guards that fire on them, and the
    decision in its JSON form. `judged` is false where there was too much to judge all of them."""

    decision: Mapping[str, Any]
    arguments: tuple[ArgumentView, ...]
    effects: tuple[EffectView, ...]
    rules: tuple[RuleView, ...]
    judged: bool = True

    def of_argument(self, name: str) -> Iterator[EffectView]:
        """The effects that have a place in an argument's text."""
        return (item for item in self.effects if item.argument == name and item.span is not None)

    @property
    def placeless(self) -> tuple[EffectView, ...]:
        """The effects without a place in a text."""
        names = {argument.name for argument in self.arguments}
        return tuple(
            item for item in self.effects if item.span is None or item.argument not in names
        )

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of docs/formats.md."""
        told = self.decision
        kept = ("decision", "step", "rule", "reason", "pending", "error", "assumed", "policy")
        return {
            "tool": told["tool"],
            "called_as": told["called_as"],
            "arguments": [argument.to_dict() for argument in self.arguments],
            "effects": [effect.to_dict() for effect in self.effects],
            "rules": [rule.to_dict() for rule in self.rules],
            "judged": self.judged,
            "decision": {key: told[key] for key in kept},
        }
