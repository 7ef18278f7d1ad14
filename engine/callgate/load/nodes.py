"""The tree of a YAML file: its values, and where each of them stands.

`start` and `end` are offsets in the file's text, in code points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from callgate.load.scalars import core_value

__all__ = ["Mapping", "Node", "Scalar", "Sequence", "to_data"]


@dataclass(slots=True, eq=False)
class Scalar:
    """A text. `text` is its value before it is read as a number or boolean; `style` is "" for a
    plain scalar, else its first character: one of `'`, `"`, `|` and `>`."""

    text: str
    style: str
    start: int
    end: int

    @property
    def data(self) -> Any:
        """The value as YAML 1.2 reads it."""
        return self.text if self.style else core_value(self.text)


@dataclass(slots=True, eq=False)
class Mapping:
    """Keys with their values, in the order of the file.

    `lost`: something in it was refused and is left out, so what seems missing may not be.
    """

    start: int
    end: int
    entries: dict[str, tuple[Scalar, Node]] = field(default_factory=dict)
    lost: bool = False


@dataclass(slots=True, eq=False)
class Sequence:
    """Items in order; `lost` as in `Mapping`."""

    start: int
    end: int
    items: list[Node] = field(default_factory=list)
    lost: bool = False


Node = Scalar | Mapping | Sequence


def to_data(node: Node) -> Any:
    """The plain value of a node: dicts, lists, texts, numbers, booleans and None."""
    if isinstance(node, Scalar):
        text = node.text
        return text if node.style else core_value(text)
    if isinstance(node, Mapping):
        return {key: to_data(value) for key, (_, value) in node.entries.items()}
    return [to_data(item) for item in node.items]
