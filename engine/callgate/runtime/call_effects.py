"""The effects of a call: which of its tool's effects hold, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callgate.effects import Extractor, Surroundings
from callgate.model.effect import EFFECT_KINDS, EffectSet
from callgate.runtime.codegen import Codegen, Test
from callgate.runtime.frame import Frame
from callgate.runtime.text_memory import TextMemory

__all__ = ["CallEffects"]


class CallEffects:
    """What the tools of a graph do."""

    def __init__(self, document: Mapping[str, Any], extractor: Extractor, codegen: Codegen) -> None:
        self._extractor = extractor
        self._codegen = codegen
        tools = document["tools"]
        self._specs = {name: self._specs_of(tool["effects"]) for name, tool in tools.items()}
        self._dynamic = {
            item["id"]: self._specs_of(item["effects"]) for item in document["dynamic"]
        }
        self._direct = {
            name: direct
            for name, specs in self._specs.items()
            if (direct := extractor.direct(specs)) is not None
        }
        self._memories = {
            name: memory
            for name, tool in tools.items()
            if (memory := TextMemory.of(tool["effects"])) is not None
        }

    def _specs_of(self, forms: list[list[Any]]) -> list[tuple[str, Any, Test | None]]:
        later = self._codegen.later
        return [
            (kind, _in_order(kind, fields), None if when is None else later(when))
            for kind, fields, when in forms
        ]

    def of(self, frame: Frame) -> EffectSet:
        """The effects of a frame's call."""
        observed = frame.observed
        # Where somebody looked and there are no links, the ways are as short as where nobody did.
        if not frame.dynamic and not observed.get("links"):
            looked = "links" in observed
            direct = self._direct.get(frame.tool)
            if direct is not None and (looked or not frame.live):
                context = frame.context
                cwd, workspace = context.get("cwd", ""), context.get("workspace", "")
                found = direct.effects(frame.args, cwd, workspace, looked)
                if found is not None:
                    return found
            memory = self._memories.get(frame.tool)
            if memory is not None and not observed.get("dns"):
                key = memory.key(frame)
                if key is not None:
                    found = memory.known.get(key)
                    if found is None:
                        found = self._extract(frame)
                        memory.keep(key, found)
                    return found
        return self._extract(frame)

    def _extract(self, frame: Frame) -> EffectSet:
        specs = self._specs.get(frame.tool, [])
        for item in frame.dynamic:
            specs = [*specs, *self._dynamic[item["id"]]]
        wanted = [
            (kind, fields)
            for kind, fields, when in specs
            if when is None or when(frame) is not False
        ]
        if not wanted:
            return EffectSet()
        context, observed = frame.context, frame.observed
        surroundings = Surroundings(
            cwd=context.get("cwd", ""),
            workspace=context.get("workspace", ""),
            home=context.get("home", ""),
            links=observed.get("links", {}),
            dns=observed.get("dns", {}),
            strict=frame.live,
            looked="links" in observed,
        )
        return self._extractor.extract(wanted, frame.args, surroundings)


def _in_order(kind: str, fields: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The sources of an effect's fields, what it is about first: JSON has no order."""
    order = list(EFFECT_KINDS[kind].fields) if kind in EFFECT_KINDS else sorted(fields)
    return {name: tuple(fields[name]) for name in sorted(fields, key=order.index)}
