"""What an effect is called: one phrase for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN

__all__ = ["PHRASES", "phrase_of"]


class _Told:
    """The fields of an effect as texts. `show` makes a value fit to be shown; `source` is what
    stands in the place of a field that is not resolved."""

    def __init__(self, fields: Mapping[str, Any], show: Callable[[Any], str], source: str) -> None:
        self.fields = fields
        self.show = show
        self.source = source

    def __getitem__(self, name: str) -> str:
        value = self.fields[name]
        if value is UNKNOWN:
            return self.source
        return self.show(value) or "an empty text"

    def known(self, name: str) -> bool:
        return self.fields[name] is not UNKNOWN and self.fields[name] is not None

    def either(self, name: str, certainly: str, perhaps: str) -> str:
        """A text for a flag that is true, or one for a flag that is not known."""
        value = self.fields[name]
        return certainly if value is True else perhaps if value is UNKNOWN else ""

    def target(self) -> str:
        """A URL or host with the class of its addresses."""
        place = self["url"] if self.known("url") else self["host"]
        return f"{place} ({self['address_class']})" if self.known("address_class") else place

    def texts(self, name: str) -> str:
        value = self.fields[name]
        if value is UNKNOWN:
            return ""
        return "".join(" …" if item is UNKNOWN else f" {self.show(item)}" for item in value)


def _connect(told: _Told) -> str:
    text = f"connects to {told.target()}"
    if not told.known("url"):
        port = f"port {told['port']}" if told.known("port") else ""
        scheme = told["scheme"] if told.known("scheme") else ""
        text += "".join(f", {part}" for part in (scheme, port) if part)
    return text


def _permission(told: _Told) -> str:
    parts = []
    if told.fields["mode"] is not None:
        parts.append(f"sets the mode {told['mode']} on {told['path']}")
    if told.fields["owner"] is not None:
        parts.append(f"makes {told['owner']} the owner of {told['path']}")
    open_ = told.either("world_writable", ", which everybody may then write", "")
    return (" and ".join(parts) or f"changes the permissions of {told['path']}") + open_


def _delete(told: _Told) -> str:
    below = " with everything below it"
    return f"deletes {told['path']}{told.either('recursive', below, f', perhaps{below}')}"


def _sql(told: _Told) -> str:
    tables = told.fields["tables"]
    if told.fields["statement"] is UNKNOWN:
        return f"SQL that is not known: {told.source}"
    names = [] if tables is UNKNOWN else tables
    listed = ", ".join("…" if name is UNKNOWN else told.show(name) for name in names)
    named = f" on {listed}" if listed else ""
    where = told.fields["has_where"]
    limit = "" if where is UNKNOWN else ", with a WHERE" if where else ""
    if where is False and told["statement"] in _LIMITED:
        limit = ", without a WHERE"
    return f"SQL: {told['statement']}{named}{limit}"


_LIMITED: Final = frozenset({"delete", "update"})
"""The statements that a WHERE would limit."""


def _opaque(told: _Told) -> str:
    return f"{'too much to read' if told.fields['bound'] else 'not understood'}: {told['reason']}"


_SOURCES: Final = {
    "inline": "written in the call",
    "file": "from a file",
    "stdin": "from standard input",
    "download": "from a download",
}

PHRASES: Final[Mapping[str, Callable[[_Told], str]]] = {
    "read": lambda told: f"reads {told['path']}" + told.either("tree", " and all below it", ""),
    "write": lambda told: f"writes {told['path']}" + told.either("tree", " or below it", ""),
    "delete": _delete,
    "permission": _permission,
    "connect": _connect,
    "run": lambda told: f"runs {told['program_path']}{told.texts('words')}",
    "interpret": lambda told: (
        f"runs {told['language']} text {_SOURCES.get(told['source'], told['source'])}"
    ),
    "privilege": lambda told: f"takes the rights of {told['user']}",
    "service": lambda told: f"service {told['name']}: {told['action']}",
    "signal": lambda told: f"sends {told['signal']} to {told['target']}",
    "power": lambda told: f"power of the machine: {told['action']}",
    "device": lambda told: f"{told['action']}s the device {told['path']}",
    "sql": _sql,
    "schedule": lambda told: f"schedules {told['text']}",
    "environment": lambda told: f"sets {told['name']} to {told['value']}",
    "transfer": lambda told: f"sends {told['path']} to {told.target()}",
    "forkbomb": lambda told: f"fork bomb: {told['function']} starts itself again and again",
    "mention": lambda told: f"names {told['path']}",
    "opaque": _opaque,
}
"""One phrase for each kind of effect; the effect is what the call "does"."""


def phrase_of(effect: Effect, show: Callable[[Any], str], source: str) -> str:
    """An effect in a phrase; `source` stands for what is not resolved in it."""
    text = PHRASES[effect.kind](_Told(effect.fields, show, source))
    # That a text is named is sure; what is done with it is what nobody knows.
    return text if effect.certain or effect.kind == "mention" else f"perhaps {text}"
