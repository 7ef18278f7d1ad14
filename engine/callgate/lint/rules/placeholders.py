"""Reasons that nobody has written yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from callgate.lint.layout import REASONS, standing
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject

__all__ = ["PlaceholderReason"]

_REASONS: Final = {
    **REASONS,
    "bundle": ("replaces.*.reason",),
    "guards": (*REASONS["guards"], "rules.*.unresolved.pass", "rules.*.exceptions.*.reason"),
    "flow": (*REASONS["flow"], "steps.*.rules.*.exceptions.*.reason"),
}

_MARK: Final = re.compile(
    r"(?:^|[-.:;!?–—#([])\s*\b(?:TODO|FIXME|XXX|TBD)\b(?![.]?\w)|\b(?:TODO|FIXME|XXX):"
)
_PROMPT: Final = re.compile(
    r"\b(?:(?:say|write|explain|describe) (?:it |this )?here(?: why| what|\s*(?:[,;:.…]|\Z))"
    r"|fill (?:this |it )?in\b|(?:your|the) reason (?:goes )?here\b|lorem ipsum)",
    re.IGNORECASE,
)
_NOTHING: Final = re.compile(
    r"[\W_]*|(?:a |the )?(?:reason|why|because|placeholder|todo|tbd|tba|fixme|xxx+|n/?a|foo|foobar)"
    r"|<[^<>]*>|\[[^\[\]]*\]",
    re.IGNORECASE,
)


class PlaceholderReason(Rule):
    """A reason in which something stands for what is still to be written, such as `TODO`, `…` or
    the text that `callgate new rule` puts there."""

    code = "L321"
    name = "placeholder-reason"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for document, path, text in standing(subject.documents, _REASONS):
            if not isinstance(text, str):
                continue
            found = _MARK.search(text) or _PROMPT.search(text) or _NOTHING.fullmatch(text.strip())
            if found is not None:
                said = found[0].strip(" -.:;!?#([") or text.strip()
                yield self.found(
                    f"`{said}` stands where a reason is to be" if said else "the reason is empty",
                    document.span(*path),
                    "say why, and what the caller can do instead: whoever is refused or asked "
                    "reads this",
                )
