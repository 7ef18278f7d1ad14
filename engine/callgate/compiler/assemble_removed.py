"""What is missing because the bundle removes it: the mistakes that come of it say so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from callgate.model.diagnostic import Diagnostic, Diagnostics
from callgate.model.inheritance import Replacement

__all__ = ["explain_removals"]

_CODES: Final[Mapping[str, frozenset[str]]] = {
    "tool": frozenset({"C005", "T002"}),
    "capability": frozenset({"C006", "T002"}),
    "need": frozenset({"C041", "T002"}),
    "list": frozenset({"T001", "T003"}),
    "setting": frozenset({"T001", "T003"}),
    "context": frozenset({"T003"}),
    "fact": frozenset({"T001"}),
    "enum": frozenset({"S004"}),
    "profile": frozenset({"C013"}),
    "step": frozenset({"C002"}),
}
"""The kinds of things that others need, and what their absence is reported as."""

_ROOTS: Final = {"setting": "settings.", "context": "call."}
_QUOTED: Final = re.compile(r"`([^`]*)`")


def explain_removals(diagnostics: Diagnostics, replacements: Iterable[Replacement]) -> None:
    """Add to what is reported missing where the bundle removes it."""
    removed = [item for item in replacements if not item.redefined and item.span is not None]
    if not removed:
        return
    for index, found in enumerate(diagnostics.items):
        for item in removed:
            if item.span is not None and _is_about(found, item):
                diagnostics.items[index] = replace(
                    found,
                    help="replace or remove this as well, or keep what it needs",
                    related=(*found.related, ("it is removed here", item.span)),
                )
                break


def _is_about(found: Diagnostic, item: Replacement) -> bool:
    """Whether a diagnostic says that a removed thing is missing."""
    if found.code not in _CODES.get(item.kind, ()):
        return False
    if item.kind == "step":
        return item.name == "otherwise"
    words = _QUOTED.findall(found.message)
    if not words:
        return False
    name = _ROOTS.get(item.kind, "") + item.name
    # Of a dotted name, one part is missing in what the parts before it name.
    missing = f"{words[1]}.{words[0]}" if found.code == "T003" and len(words) > 1 else words[0]
    return name == missing or (found.code in ("T001", "T003") and name.startswith(f"{missing}."))
