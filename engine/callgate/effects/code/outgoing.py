"""What code may send away: all that it reads, to every host that it connects to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from callgate.effects.shell.tree import Span
from callgate.effects.sink import Sink
from callgate.effects.state import State
from callgate.model.effect import Effect

__all__ = ["add_outgoing"]

_MAX_PAIRS: Final = 256


def add_outgoing(sink: Sink, start: int, sources: Mapping[str, Span], state: State) -> None:
    """Add what the effects from number `start` on come to together. `sources`: what the code has
    at hand without reading it, and where it says so."""
    found = sink.effects[start:]
    connects = [effect for effect in found if effect.kind == "connect"]
    if not connects:
        return
    _remote(sink, found, state)
    paths: dict[str, Span | None] = {
        effect.fields["path"]: effect.span
        for effect in found
        if effect.kind == "read" and isinstance(effect.fields["path"], str)
    }
    paths.update(sources)
    hosts = {str(effect.fields["host"]): effect for effect in connects}
    if len(paths) * len(hosts) > _MAX_PAIRS:
        sink.opaque("more files and hosts than can be told apart", None, state.through)
        return
    at = replace(state, certain=False)
    for path, span in paths.items():
        for connect in hosts.values():
            fields = {name: connect.fields[name] for name in ("url", "host", "address_class")}
            sink.add("transfer", {"path": path, **fields}, span, at)


def _remote(sink: Sink, found: Sequence[Effect], state: State) -> None:
    """A shell that waits for input in code that connects may get it from there."""
    for effect in found:
        fields = effect.fields
        if effect.kind == "interpret" and fields["source"] == "stdin" and not fields["remote"]:
            at = replace(state, certain=False, through=effect.through)
            sink.add("interpret", {**fields, "remote": True}, effect.span, at)
