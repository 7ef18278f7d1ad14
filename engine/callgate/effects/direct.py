"""The short way for tools whose effects are paths in arguments: most calls of most agents.

It gives what `Extractor.extract` gives, or nothing where that has more to look at: links, a home
folder, special files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from callgate.effects.paths import Paths, normal
from callgate.effects.programs import Programs
from callgate.effects.surroundings import Surroundings
from callgate.model.effect import Effect, EffectSet
from callgate.model.values import Unknown

__all__ = ["DirectPaths"]

_KINDS: Final = frozenset({"read", "write"})
_MAX_PATH: Final = 1024


class DirectPaths:
    """A tool that reads and writes the paths in some of its arguments, and does nothing else."""

    __slots__ = ("_devices", "_parts", "_sinks")

    def __init__(self, parts: tuple[tuple[str, str, Any, bool], ...], programs: Programs) -> None:
        self._parts = parts
        self._sinks = programs.sinks
        self._devices = programs.devices

    @classmethod
    def of(
        cls, specs: Sequence[tuple[str, Mapping[str, Sequence[Any]], Any]], programs: Programs
    ) -> DirectPaths | None:
        """That of a tool's effects (kind, fields, condition); None when they need more."""
        parts = []
        for kind, fields, when in specs:
            source = fields.get("path", ("",))
            tree = fields.get("tree", ("const", False))
            if when is not None or kind not in _KINDS or source[0] != "arg":
                return None
            if tree[0] != "const" or not isinstance(tree[1], bool):
                return None
            parts.append((kind, source[1], source[2] if len(source) > 2 else None, tree[1]))
        return cls(tuple(parts), programs) if parts else None

    def effects(
        self, args: Mapping[str, Any], cwd: str, workspace: str, observed: bool = False
    ) -> EffectSet | None:
        """The effects of a call without links; None when it takes the long way. `observed`:
        somebody looked, and there are none; then an unknown folder takes the long way, too."""
        base = _base(cwd, workspace)
        if base is None:
            return None
        found: list[Effect] = []
        by_kind: dict[str, list[Effect]] = {}
        assumed = [] if observed else ["links"]
        looked: list[str] = []
        for kind, name, default, tree in self._parts:
            text = args.get(name)
            if text is None:
                text = default
            if type(text) is not str or not 0 < len(text) < _MAX_PATH or "\0" in text:
                return None
            first = text[0]
            if text[-1].isspace():
                return None
            if first == "/":
                whole = text
            elif first == "~" or ":/" in text or first.isspace():
                return None
            else:
                whole = f"{base}/{text}"
            path = normal(whole)
            if type(path) is not str:
                return None
            if path[0] == ".":
                if observed:
                    return None
                if len(assumed) == 1:
                    assumed.append("cwd")
            if kind == "write" and (path in self._sinks or path.startswith(self._devices)):
                return None
            effect = Effect(kind, {"path": path, "tree": tree}, True, (), (0, len(text)), name)
            found.append(effect)
            looked.append(path if path == whole or "/.." not in whole else whole)
            by_kind.setdefault(kind, []).append(effect)
        return EffectSet(found, by_kind, assumed, looked)


@lru_cache(maxsize=1024)
def _base(cwd: str, workspace: str) -> str | None:
    """The folder that paths in arguments are relative to; None when it is of no use here."""
    base: str | Unknown = Paths(Surroundings(cwd, workspace)).base
    return base if isinstance(base, str) and len(base) < _MAX_PATH else None
