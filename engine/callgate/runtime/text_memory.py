"""What was read in texts before: agents go back to the same commands.

The effects of a call depend on a few of its arguments and on where it runs. Decisions are never
kept: the guards and the flow run on every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from callgate.model.codec import decode_expr
from callgate.model.effect import EffectSet
from callgate.model.expr import facts_of
from callgate.runtime.frame import Frame

__all__ = ["TextMemory"]

_MOST: Final = 1024
_HEAVIEST: Final = 16_384
_CHARACTERS: Final = 64
"""So many characters of a text weigh as much as one effect."""
_READ: Final = frozenset({"shell", "code"})
"""The kinds of a tool's effects that are read out of a text, which is worth remembering."""

Key = tuple[str | bool | None, ...]


class TextMemory:
    """The effects of one tool's calls whose arguments are texts, as many as weigh no more than a
    few long scripts. `known` is for reading."""

    __slots__ = ("_names", "_weight", "known")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._weight = 0
        self.known: dict[Key, EffectSet] = {}

    @classmethod
    def of(cls, effects: Sequence[Sequence[Any]]) -> TextMemory | None:
        """That of a tool's effects as in a graph; None where no text is read, or where a condition
        looks at more than arguments."""
        names: set[str] = set()
        if not any(kind in _READ for kind, _, _ in effects):
            return None
        for _, fields, when in effects:
            names.update(source[1] for source in fields.values() if source[0] == "arg")
            for fact in facts_of(decode_expr(when)) if when is not None else ():
                root, _, name = fact.partition(".")
                if root != "args":
                    return None
                names.add(name)
        return cls(sorted(names))

    def key(self, frame: Frame) -> Key | None:
        """What the effects of a call without links and addresses depend on; None where that is
        more than texts. What a dry run assumes is unknown in a live frame."""
        context, args = frame.context, frame.args
        key: list[str | bool | None] = [frame.live, "links" in frame.observed]
        key += [context.get("cwd"), context.get("workspace"), context.get("home")]
        for name in self._names:
            value = args.get(name)
            if value is not None and type(value) is not str:
                return None
            key.append(value)
        return tuple(key)

    def keep(self, key: Key, effects: EffectSet) -> None:
        """Remember the effects of a call."""
        length = sum(len(part) for part in key if type(part) is str)
        weight = 1 + len(effects.all) + length // _CHARACTERS
        if weight > _HEAVIEST // 4:
            return
        if len(self.known) >= _MOST or self._weight + weight > _HEAVIEST:
            self.known.clear()
            self._weight = 0
        self._weight += weight
        self.known[key] = effects
