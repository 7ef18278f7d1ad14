"""One entry under `cases`: where it stands, what it says, and the fixtures that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from callgate.load.document import Document
from callgate.load.words import did_you_mean
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from callgate.model.suggest import closest
from callgate.policytest.case import Case
from callgate.policytest.columns import apart, merged

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry number `index` of a document of kind `tests`."""

    document: Document
    index: int
    diagnostics: Diagnostics

    @property
    def data(self) -> Mapping[str, Any]:
        """What stands there."""
        found: Mapping[str, Any] = self.document.data["cases"][self.index]
        return found

    def span(self, *path: str | int) -> Span:
        """Where a part of it stands."""
        return self.document.span("cases", self.index, *path)

    def error(self, code: str, message: str, help: str, *path: str | int) -> None:
        """Report a mistake in a part of it."""
        self.diagnostics.error(code, message, self.span(*path), help)

    def base(self, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The call under `key` and the settings, each laid over those of the fixtures, in their
        order. A fixture that there is not is reported (S004)."""
        call: dict[str, Any] = {}
        settings: dict[str, Any] = {}
        fixtures = self.document.data.get("fixtures") or {}
        used = self.data.get("use") or ()
        for number, name in enumerate([used] if isinstance(used, str) else used):
            if name not in fixtures:
                help = did_you_mean(closest(name, fixtures)) or "give it under `fixtures`"
                place = ("use",) if isinstance(used, str) else ("use", number)
                self.error("S004", f"`{name}` is no fixture of this file", help, *place)
                continue
            given = fixtures[name]
            of_call, of_settings = apart(given.get("call") or {}, given.get("settings"))
            call, settings = merged(call, of_call), merged(settings, of_settings)
        own_call, own_settings = apart(self.data.get(key) or {}, self.data.get("settings"))
        return merged(call, own_call), merged(settings, own_settings)

    def case(
        self,
        name: str,
        call: Mapping[str, Any],
        settings: Mapping[str, Any],
        expect: Mapping[str, Any],
        *path: str | int,
    ) -> Case:
        """A case of it; `path`: where in it a person would mend the case."""
        confirmed = self.data.get("confirmed") is not False
        return Case(name, call, settings, expect, self.span(*path), confirmed)
