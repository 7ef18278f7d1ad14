"""What lint found as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callgate.cli.lint_outcome import Outcome
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.runtime.masking import escape

__all__ = ["command", "github_text"]

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github_text(outcome: Outcome) -> str:
    """One command per finding and line."""
    return "".join(_of(item.diagnostic) for item in outcome.findings)


def command(kind: str, properties: Mapping[str, object], title: str, text: str) -> str:
    """A line with the command of a kind: `error`, `warning` or `notice`. `properties`: where it is
    shown (`file`, `line`, `col`, `endColumn`)."""
    told = {**properties, "title": title}
    pairs = ",".join(f"{key}={_property(str(value))}" for key, value in told.items())
    return f"::{kind} {pairs}::{_data(text)}\n"


def _of(item: Diagnostic) -> str:
    span = item.span
    properties: dict[str, object] = {}
    if span is not None:
        properties = {"file": span.file, "line": span.line, "col": span.column}
        if span.end_line == span.line:
            properties["endColumn"] = span.end_column
    help = f" ({item.help})" if item.help else ""
    return command(_COMMANDS[item.severity], properties, item.code, item.message + help)


def _data(text: str) -> str:
    """A text in which nothing ends the command, and no character acts on a terminal."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escape(text)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
