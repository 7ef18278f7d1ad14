"""Where in a settings file a finding points to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.settings import spells
from callgate.model.span import Span

__all__ = ["SettingsPlaces"]

_NOWHERE: Final = object()


class SettingsPlaces:
    """The places of settings in a file, whichever way their keys are spelt.

    A span never covers more than a key, or a value that is no list or mapping: the lines of a
    settings file are shown, and others than the one in question may hold secrets.
    """

    def __init__(
        self, raw: Mapping[str, Any], document: Document | None, aliases: Mapping[str, str]
    ) -> None:
        self._raw = raw
        self._document = document
        self._aliases = aliases

    def of(
        self, name: str, entry: Any = None, secret: bool = False
    ) -> list[tuple[Span | None, Any]]:
        """Where a setting or section stands, or in it an entry of a list or map, with the entry as
        it is written: at each place, where a list has it twice or under an alias. Where the file
        does not say it, the section around it, or else the beginning of the file."""
        path: list[str | int] = []
        value: Any = self._raw
        for part in name.split("."):
            key, inner = _item(value, part)
            if inner is _NOWHERE:
                return [(self._key(path), entry)]
            path.append(key)
            value = inner
        if isinstance(value, Mapping) and isinstance(entry, str) and entry in value:
            return [(self._key([*path, entry]), entry)]
        if isinstance(value, list | tuple) and entry is not None:
            written = [
                (self._value([*path, index]), item)
                for index, item in enumerate(value)
                if item == entry or self._aliases.get(str(item)) == entry
            ]
            if written:
                return written
        if secret or value is None or isinstance(value, Mapping | list | tuple):
            return [(self._key(path), entry)]
        return [(self._value(path), entry)]

    def _value(self, path: list[str | int]) -> Span | None:
        return None if self._document is None else self._document.span(*path)

    def _key(self, path: list[str | int]) -> Span | None:
        if self._document is None:
            return None
        if not path:
            return Span(self._document.file, 1, 1, 1, 1)
        return self._document.span(*path, key=True)


def _item(value: Any, name: str) -> tuple[str, Any]:
    """The key of a mapping that is spelt so in one way or another, and what it holds."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(key, str) and spells(key, name):
                return key, item
    return name, _NOWHERE
