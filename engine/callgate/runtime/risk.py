"""The risk level and the capabilities of a call, by a graph's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callgate.model.codec import decode_expr
from callgate.runtime.codegen import Codegen, Test
from callgate.runtime.frame import EMPTY, Frame

__all__ = ["Classifier"]

_Rule = tuple[str, str, frozenset[str] | None, Test, frozenset[str]]
"""Id, level, tools, condition, and the tools for which it can't hold when nothing is declared."""


class Classifier:
    """Fills in `risk` and `capabilities` of a frame."""

    def __init__(self, document: Mapping[str, Any], codegen: Codegen) -> None:
        risk = document["risk"]
        self._capabilities = {
            name: tuple(tool["capabilities"]) for name, tool in document["tools"].items()
        }
        self._dynamic = [
            (codegen.compile(decode_expr(item["when"])), tuple(item["capabilities"]), item)
            for item in document["dynamic"]
        ]
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
                if tool in self._capabilities and all(tool in rule[4] for rule in rules)
            }

    def classify(self, frame: Frame) -> None:
        """Set `frame.risk` and `frame.capabilities`."""
        tool = frame.tool
        if frame.declared is EMPTY:
            plain = self._plain.get(tool)
            if plain is not None:
                frame.risk, frame.capabilities = plain
                return
        known = self._capabilities.get(tool)
        dynamic = self.dynamic(frame)
        brought = (
            known
            if known is not None
            else ()
            if dynamic is None
            else tuple(dynamic["capabilities"])
        )
        frame.capabilities = tuple(sorted({*brought, *(frame.declared.get("capabilities") or ())}))
        if self.has_risk:
            frame.risk = self._risk(frame)[0]

    def dynamic(self, frame: Frame) -> Mapping[str, Any] | None:
        """The `dynamic` entry that recognises a tool outside the catalogue, or None."""
        if frame.tool in self._capabilities:
            return None
        for test, _, item in self._dynamic:
            if test(frame) is True:
                entry: Mapping[str, Any] = item
                return entry
        return None

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
        sources.extend(self._holding(self._declared, frame)[:1])
        if not sources:
            sources.append(("default", self._names[self._default]))
        sources.extend(self._holding(self._raises, frame))
        return max((level for _, level in sources), key=self._levels.__getitem__), sources

    def _holding(self, rules: list[_Rule], frame: Frame) -> list[tuple[str, str]]:
        # Unknown counts as holding, in `raises` so that doubt raises the risk.
        return [
            (name, level)
            for name, level, tools, test, quiet in rules
            if (frame.declared or frame.tool not in quiet)
            and (tools is None or frame.tool in tools)
            and test(frame) is not False
        ]


def _rule(item: Mapping[str, Any], codegen: Codegen) -> _Rule:
    tools = None if item["tools"] is None else frozenset(item["tools"])
    test = codegen.compile(decode_expr(item["when"]))
    return item["id"], item["level"], tools, test, frozenset(item["quiet"])
