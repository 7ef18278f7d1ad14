"""What guards remember: agents go back to the same files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from callgate.model.effect import EFFECT_SOURCES, EffectSet
from callgate.model.expr import And, Apply, Const, Expr, Fact, Get, Not, Or, Var, children
from callgate.runtime.codegen import Test
from callgate.runtime.frame import Frame
from callgate.stdlib.globs import active
from callgate.stdlib.places import telling
from callgate.stdlib.spelling import readings

__all__ = ["Silent", "of_path", "remembered"]

_MOST: Final = 1024
_PLACES: Final = frozenset({"touches", "holds", "has_part", "named"})
_CALLER: Final = (
    Fact("call.tool"),
    Fact("call.called_as"),
    Fact("call.home"),
    Fact("call.workspace"),
    Fact("declared.mcp_server"),
)

Key = tuple[Any, Any, tuple[str, ...]]
"""A path, whether it is meant as a tree, and the values of `_CALLER`."""


def of_path(expr: Expr, binder: str | None) -> bool:
    """Whether a condition depends on the path of its effect, and at most on whether that is meant
    as a tree, on which tool it is, and on the home folder and the workspace."""
    leaves = list(_leaves(expr))
    path, tree = (Get(Var(binder), name) if binder else None for name in ("path", "tree"))
    return path in leaves and all(
        leaf in (path, tree, *_CALLER) or isinstance(leaf, Const) for leaf in leaves
    )


def _leaves(expr: Expr) -> Iterator[Expr]:
    """The parts of a condition that are no logic and no operation."""
    if isinstance(expr, And | Or | Not | Apply):
        for part in children(expr):
            yield from _leaves(part)
    else:
        yield expr


def _caller(frame: Frame) -> tuple[str, ...]:
    """The values of `_CALLER`."""
    found = frame.caller
    if found is None:
        context, declared = frame.context, frame.declared
        found = frame.caller = (
            frame.tool,
            frame.called_as,
            context.get("home", ""),
            context.get("workspace", ""),
            declared.get("mcp_server", ""),
        )
    return found


def remembered(test: Test) -> Test:
    """A condition for which `of_path` holds, with a memory."""
    known: dict[Key, Any] = {}

    def recall(frame: Frame, effect: Any) -> Any:
        fields = effect.fields
        key = (fields["path"], fields.get("tree"), frame.caller or _caller(frame))
        value = known.get(key)
        if value is None:
            value = test(frame, effect)
            if len(known) >= _MOST:
                known.clear()
            known[key] = value
        return value

    return recall


class Silent:
    """Calls with one effect on which no guard had anything to say. For guards for which `of_path`
    holds (their conditions), and calls with effects of these kinds."""

    __slots__ = ("_endings", "_names", "_places", "calls")

    def __init__(self, kinds: Iterable[str], conditions: Sequence[Expr]) -> None:
        self.calls: set[Key] = set()
        self._places = all("path" in EFFECT_SOURCES[kind].fields for kind in kinds)
        self._names: frozenset[str] | None = None
        self._endings: tuple[str, ...] = ()
        said = [found for expr in conditions for found in _telling(expr)]
        if all(map(_needs_place, conditions)) and None not in said:
            known = [found for found in said if found is not None]
            self._names = frozenset[str]().union(*(names for names, _ in known))
            self._endings = tuple(ending for _, endings in known for ending in endings)

    def key(self, frame: Frame, effects: EffectSet) -> Key | None:
        """What the guards' answer depends on; None where that is more than one path."""
        if not self._places or len(effects.all) != 1:
            return None
        fields = effects.all[0].fields
        return fields["path"], fields.get("tree"), frame.caller or _caller(frame)

    def on(self, key: Key) -> bool:
        """Whether the guards are known to be silent: they were, or the path has none of the names
        that they look for."""
        return key in self.calls or self._nothing_in(key)

    def _nothing_in(self, key: Key) -> bool:
        path, tree, _ = key
        names = self._names
        if names is None or type(path) is not str or active(path):
            return False
        if tree is not False and tree is not None:
            return False
        for reading in readings(path):
            if not names.isdisjoint(reading) or reading[-1].endswith(self._endings):
                return False
        self.remember(key)
        return True

    def remember(self, key: Key) -> None:
        """Note that no guard had anything to say."""
        if len(self.calls) >= _MOST:
            self.calls.clear()
        self.calls.add(key)


def _needs_place(expr: Expr) -> bool:
    """Whether a condition is false of a path that is at none of its places and no tree."""
    match expr:
        case Apply(op=op, args=(Get(field="path"), Const(), *_)):
            return op in _PLACES
        case Get(field="tree") | Const(value=False):
            return True
        case And(items=items):
            return any(map(_needs_place, items))
        case Or(items=items):
            return all(map(_needs_place, items))
    return False


def _telling(expr: Expr) -> Iterator[tuple[frozenset[str], tuple[str, ...]] | None]:
    """What `telling` says of each test on places in a condition, but for those of trees alone."""
    if isinstance(expr, And) and any(isinstance(i, Get) and i.field == "tree" for i in expr.items):
        return
    match expr:
        case Apply(op=op, args=(_, Const(value=value), *_)) if op in _PLACES:
            yield telling(op, (value,) if isinstance(value, str) else tuple(value))
        case _:
            for part in children(expr):
                yield from _telling(part)
