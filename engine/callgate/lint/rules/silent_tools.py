"""Tools that change something, or connect, of which no guard sees anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.catalogue import Tool
from callgate.model.diagnostic import Severity

__all__ = ["SilentTool"]

_SEES: Final = frozenset({"read", "mention"})
"""Effects that change nothing."""


class SilentTool(Rule):
    """A tool without effects that has a capability which brings some to other tools."""

    code = "L220"
    name = "silent-tool"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        tools = subject.policy.tools
        brought = _brought(tools)
        for tool in tools.values():
            if tool.effects or tool.reserved or not subject.own(tool.span):
                continue
            for capability in tool.capabilities:
                if capability in brought:
                    kind, other = brought[capability]
                    assert tool.span is not None
                    related = ((f"`{other.name}` says what it does", other.span),)
                    yield self.found(
                        f"`{tool.name}` has `{capability}` and says `effects: none`, so that no "
                        "guard sees what it does",
                        tool.span,
                        f"give it an effect, as `{other.name}` has with `{kind}`; where none of "
                        "its arguments says what it does, ignore this with a reason",
                        related=tuple((word, span) for word, span in related if span),
                    )
                    break


def _brought(tools: Mapping[str, Tool]) -> dict[str, tuple[str, Tool]]:
    """The capabilities that bring effects: kind and a tool that has this capability alone."""
    found: dict[str, tuple[str, Tool]] = {}
    for tool in tools.values():
        kinds = [effect.kind for effect in tool.effects if effect.kind not in _SEES]
        if len(tool.capabilities) == 1 and kinds:
            found.setdefault(tool.capabilities[0], (kinds[0], tool))
    return found
