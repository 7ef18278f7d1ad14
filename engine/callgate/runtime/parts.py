"""What of a graph made ready does not hang on its flow: graphs of one policy under different
settings mostly have it in common."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from callgate.effects import Extractor, match
from callgate.model.effect import EffectSet
from callgate.runtime.call_effects import CallEffects
from callgate.runtime.check import CallChecker
from callgate.runtime.codegen import Codegen
from callgate.runtime.frame import Frame
from callgate.runtime.guards import GuardSet
from callgate.runtime.operators import of_tools
from callgate.runtime.risk import Classifier
from callgate.stdlib.zones import version

__all__ = ["Parts", "PartsStore"]

_SECTIONS: Final = (
    "guards",
    "tools",
    "dynamic",
    "risk",
    "context",
    "args",
    "aliases",
    "programs",
    "languages",
    "zones",
)
_MOST: Final = 64


class Parts:
    """The guards, the checks of calls, risk and effects of a graph's document. Raises LookupError,
    TypeError, ValueError or AttributeError for one whose parts don't fit together.

    What programs do is no matter of settings: graphs of one bundle share the `extractor`.
    """

    def __init__(self, document: Mapping[str, Any], extractor: Extractor | None) -> None:
        zones = document["zones"]
        if zones is not None and zones != version():
            raise ValueError(f"made with the zone data {zones}, and here is {version()}")
        context = document["context"]
        defaults = {name: default for name, (_, _, default) in context.items()}
        self.codegen = Codegen(defaults, self.effects_of, match)
        self.codegen.shared.update(of_tools(document["tools"]))
        self.checker = CallChecker(context, document["args"], document["aliases"])
        self.classifier = Classifier(document, self.codegen)
        self.guards = GuardSet(document["guards"], self.codegen)
        self.extractor = extractor or Extractor(document["programs"], document["languages"])
        self._call_effects = CallEffects(document, self.extractor, self.codegen)

    def effects_of(self, frame: Frame) -> EffectSet:
        """The effects of a frame's call, extracted once."""
        effects = frame.effects
        if effects is None:
            effects = frame.effects = self._call_effects.of(frame)
        return effects


class PartsStore:
    """The parts of graphs of one policy, made once for all whose sections are the same objects, as
    those are that the compiler made together. Safe to share between threads."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, ...], tuple[list[Any], Parts]] = {}
        self._lock = Lock()

    def of(self, document: Mapping[str, Any], extractor: Extractor | None) -> Parts:
        """See `Parts`."""
        # The sections are kept, so that their ids stay their own.
        sections = [document[name] for name in _SECTIONS]
        key = tuple(map(id, sections))
        found = self._made.get(key)
        if found is None:
            found = sections, Parts(document, extractor)
            with self._lock:
                if len(self._made) >= _MOST:
                    self._made.pop(next(iter(self._made)))
                self._made[key] = found
        return found[1]
