"""The risk level and the capabilities of a call, by a graph's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from callgate.model.codec import decode_expr
from callgate.model.expr import facts_of
from callgate.runtime.codegen import Codegen, Test
from callgate.runtime.frame import EMPTY, Frame

__all__ = ["Classifier"]

_OF_NAME: Final = frozenset({"call.tool", "call.called_as"})

_Rule = tuple[str, str, frozenset[str] | None, Test, frozenset[str]]
"""Id, level, tools, condition, and the tools for which it can't hold when nothing is declared."""


class Classifier:
    """Fills in `risk` and `capabilities` of a frame."""

    def __init__(self, document: Mapping[str, Any], codegen: Codegen) -> None:
        risk = document["risk"]
        self._capabilities = {
            name: tuple(tool["capabilities"]) for name, tool in document["tools"].items()
        }
        self._dynamic = [(codegen.later(item["when"]), item) for item in document["dynamic"]]
        self._joining = [entry for entry in self._dynamic if entry[1]["listed"]]
        # What a call that declares nothing brings is then a matter of its tool's name.
        self._by_name = all(
            fact in _OF_NAME or fact.startswith("declared.")
            for _, item in self._joining
            for fact in facts_of(decode_expr(item["when"]))
        )
        self._joined: dict[str, Sequence[Mapping[str, Any]]] = {}
        self.has_risk = risk is not None
        self._levels: dict[str, int] = {}
        self._plain: dict[str, tuple[str, tuple[str, ...]]] = {}
        if risk is not None:
            self._names = tuple(risk["levels"])
            self._levels = {name: rank for rank, name in enumerate(self._names)}
            self._static = {tool: self._levels[level] for tool, level in risk["tools"].items()}
            self._default = self._levels[risk["default"]]
            self._declared = [_rule(item, codegen) for item in risk["declared"]]
            self._raises = [_rule(item, codegen) for item in risk["raises"]]
            rules = (*self._declared, *self._raises)
            # Tools whose risk without a declaration is a matter of one look-up.
            self._plain = {
                tool: (self._names[rank], self._capabilities[tool])
                for tool, rank in self._static.items()
                if tool in self._capabilities
                and all(
                    tool in quiet or (tools is not None and tool not in tools)
                    for _, _, tools, _, quiet in rules
                )
            }

    def classify(self, frame: Frame) -> None:
        """Set `frame.risk`, `frame.capabilities` and, where there are any, `frame.dynamic`: the
        `dynamic` entries that recognise, or may recognise, the call's tool."""
        tool = frame.tool
        dynamic = self.dynamic(frame)
        if dynamic:
            frame.dynamic = dynamic
        elif frame.declared is EMPTY:
            plain = self._plain.get(tool)
            if plain is not None:
                frame.risk, frame.capabilities = plain
                return
        found = {*self._capabilities.get(tool, ()), *(frame.declared.get("capabilities") or ())}
        for item in dynamic:
            found.update(item["capabilities"])
        frame.capabilities = tuple(sorted(found))
        if self.has_risk:
            frame.risk = self._risk(frame)[0]

    def dynamic(self, frame: Frame) -> Sequence[Mapping[str, Any]]:
        """The `dynamic` entries that recognise, or may recognise, a call's tool."""
        if frame.tool not in self._capabilities:
            return _holding(self._dynamic, frame)
        if frame.declared is not EMPTY or not self._by_name:
            return _holding(self._joining, frame)
        found = self._joined.get(frame.called_as)
        if found is None:
            found = self._joined[frame.called_as] = _holding(self._joining, frame)
        return found

    def explain(self, frame: Frame) -> list[tuple[str, str]]:
        """Where the risk comes from: (source, level) for every source that says something."""
        return self._risk(frame)[1] if self.has_risk else []

    def _risk(self, frame: Frame) -> tuple[str, list[tuple[str, str]]]:
        sources: list[tuple[str, str]] = []
        static = self._static.get(frame.tool)
        if static is not None:
            sources.append(("risk map", self._names[static]))
        declared = frame.declared.get("risk_level")
        if declared in self._levels:
            sources.append(("declared.risk_level", str(declared)))
        found, sure = self._first_holding(frame)
        # What may not hold must not stand in for what counts where nothing holds.
        if not sources and not sure:
            sources.append(("default", self._names[self._default]))
        sources.extend(found)
        sources.extend((name, level) for name, level, _ in self._holding(self._raises, frame))
        return max((level for _, level in sources), key=self._levels.__getitem__), sources

    def _first_holding(self, frame: Frame) -> tuple[list[tuple[str, str]], bool]:
        """The first `declared` rule that holds, with those before it that may hold; and whether
        there is one that surely does."""
        found = []
        for name, level, value in self._holding(self._declared, frame):
            found.append((name, level))
            if value is True:
                return found, True
        return found, False

    def _holding(self, rules: list[_Rule], frame: Frame) -> Iterator[tuple[str, str, Any]]:
        """The rules that hold, or may hold: doubt raises the risk, and never lowers it."""
        for name, level, tools, test, quiet in rules:
            if (frame.declared or frame.tool not in quiet) and (
                tools is None or frame.tool in tools
            ):
                value = test(frame)
                if value is not False:
                    yield name, level, value


def _holding(
    entries: Sequence[tuple[Test, Mapping[str, Any]]], frame: Frame
) -> Sequence[Mapping[str, Any]]:
    return [item for test, item in entries if test(frame) is not False]


def _rule(item: Mapping[str, Any], codegen: Codegen) -> _Rule:
    tools = None if item["tools"] is None else frozenset(item["tools"])
    test = codegen.later(item["when"])
    return item["id"], item["level"], tools, test, frozenset(item["quiet"])
