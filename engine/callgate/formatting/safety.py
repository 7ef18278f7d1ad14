"""Whether two trees of a rule file mean the same."""

from __future__ import annotations

from callgate.formatting.shapes import Shape
from callgate.formatting.words import meaning
from callgate.load.nodes import Mapping, Node, Scalar, Sequence

__all__ = ["same_data"]


def same_data(old: Node, new: Node, shape: Shape) -> bool:
    """Whether the trees hold the same data: conditions are compared as trees, and only mappings
    whose keys the schema names may have them in another order. Raises ConditionError."""
    if isinstance(old, Scalar):
        if not isinstance(new, Scalar):
            return False
        if old.text == new.text:
            return _same(old.data, new.data)
        if not (isinstance(old.data, str) and isinstance(new.data, str)):
            return old.data is None and new.data is None
        return bool(shape.role) and meaning(old.text, shape.role) == meaning(new.text, shape.role)
    if isinstance(old, Mapping):
        if not isinstance(new, Mapping) or old.entries.keys() != new.entries.keys():
            return False
        if shape.ranks is None and list(old.entries) != list(new.entries):
            return False
        return all(
            same_data(value, new.entries[key][1], shape.of(key))
            for key, (_, value) in old.entries.items()
        )
    return (
        isinstance(new, Sequence)
        and len(old.items) == len(new.items)
        and all(
            same_data(one, other, shape.item)
            for one, other in zip(old.items, new.items, strict=True)
        )
    )


def _same(old: object, new: object) -> bool:
    # Not-a-number is no number of its own, and 1 is no 1.0.
    return type(old) is type(new) and (old == new or (old != old and new != new))
