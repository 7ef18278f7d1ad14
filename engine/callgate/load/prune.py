"""Taking what was reported out of a tree, so that later stages can check the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from callgate.load.nodes import Mapping, Node, Scalar, Sequence

__all__ = ["drop_paths", "drop_scalars"]


def drop_paths(root: Mapping, paths: Iterable[tuple[str | int, ...]]) -> bool:
    """Remove the values at these paths from their mappings and lists.

    False when the root itself is among them: then nothing is left to check.
    """
    whole = True
    holders: dict[int, Node] = {}
    doomed: dict[int, set[int]] = {}
    for path in paths:
        if not path:
            whole = False
            continue
        node: Node = root
        for step in path:
            holder = node
            if isinstance(holder, Mapping) and isinstance(step, str):
                node = holder.entries[step][1]
            elif isinstance(holder, Sequence) and isinstance(step, int):
                node = holder.items[step]
        holders[id(holder)] = holder
        doomed.setdefault(id(holder), set()).add(id(node))
    for identity, holder in holders.items():
        _drop(holder, doomed[identity])
    return whole


def drop_scalars(node: Node, starts: Collection[int]) -> None:
    """Remove the scalars that begin at these offsets."""
    if isinstance(node, Scalar):
        return
    children = (
        [pair[1] for pair in node.entries.values()] if isinstance(node, Mapping) else node.items
    )
    _drop(node, {id(c) for c in children if isinstance(c, Scalar) and c.start in starts})
    for child in children:
        drop_scalars(child, starts)


def _drop(holder: Node, doomed: set[int]) -> None:
    if not doomed or isinstance(holder, Scalar):
        return
    holder.lost = True
    if isinstance(holder, Mapping):
        kept = {key: pair for key, pair in holder.entries.items() if id(pair[1]) not in doomed}
        holder.entries = kept
    else:
        holder.items = [item for item in holder.items if id(item) not in doomed]
