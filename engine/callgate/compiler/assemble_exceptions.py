"""What keeps a rule from deciding: `enforce: shadow`, and exceptions until some day."""

from __future__ import annotations

import re
from typing import Any, Final

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.check import Binder
from callgate.lang.check_uses import Use
from callgate.model.policy import RuleException
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS

__all__ = ["build_exceptions", "build_shadow"]

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NO_ZONE: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)
_HELP: Final = "write a day, as in `2027-01-15`, or a time, as in `2027-01-15T18:00:00+01:00`"


def build_shadow(assembly: Assembly, entry: Entry) -> bool:
    """Whether a rule only shows what it would decide. Of a consult that nobody knows (C052)."""
    shadow = entry.word("enforce") == "shadow"
    if shadow and "consult" in entry:
        assembly.diagnostics.error(
            "C052",
            "what a rule that consults would decide is not known unless somebody is asked",
            entry.span("enforce"),
            "leave `enforce` out, or write a rule that decides",
        )
    return shadow


def build_exceptions(
    assembly: Assembly,
    entry: Entry,
    use: Use,
    tools: tuple[str, ...] | None = None,
    each: Binder | None = None,
) -> tuple[RuleException, ...]:
    """A rule's exceptions. `use`: what their conditions are for."""
    entries = entry.elements("exceptions")
    if not entries:
        return ()
    if entry.word("decide") not in ("deny", "ask"):
        assembly.diagnostics.error(
            "C050",
            f"{_what(entry)} has nothing that an exception could lift",
            entry.child("exceptions").name_span(),
            "only rules that deny or ask have exceptions: put it into the rule's `when`",
        )
        return ()
    found = [_exception(assembly, item, use, tools, each) for item in entries]
    return tuple(item for item in found if item is not None)


def _what(entry: Entry) -> str:
    if "consult" in entry:
        return "a rule that consults"
    return {"allow": "a rule that allows", "note": "a note"}.get(entry.word("decide"), "this rule")


def _exception(
    assembly: Assembly,
    entry: Entry,
    use: Use,
    tools: tuple[str, ...] | None,
    each: Binder | None,
) -> RuleException | None:
    id_ = entry.word("id")
    if id_:
        assembly.register(id_, entry.child("id"))
    text = entry.text("when")
    when = assembly.checker.condition(text, use, tools, each) if text else None
    until = _until(assembly, entry)
    if when is None or until is UNKNOWN:
        return None
    expires, owner, reason = (entry.word(key) for key in ("until", "owner", "reason"))
    return RuleException(id_, when, until, expires, owner, reason, entry.span())


def _until(assembly: Assembly, entry: Entry) -> Any:
    """The end of an exception in microseconds, or UNKNOWN: that is reported (C051)."""
    text = entry.word("until")
    if not text:
        return UNKNOWN
    time = OPERATIONS["time"].implementation
    found = time(f"{text}T00:00:00Z" if _DAY.fullmatch(text) else text)
    if found is UNKNOWN:
        zone = bool(_NO_ZONE.fullmatch(text))
        assembly.diagnostics.error(
            "C051",
            f"`{text}` does not say its zone" if zone else f"`{text}` is no day and no time",
            entry.span("until"),
            f"write `{text}{'' if text.count(':') > 1 else ':00'}Z` for UTC" if zone else _HELP,
        )
    return found
