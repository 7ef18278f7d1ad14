"""What lint found as SARIF 2.1.0."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from callgate import __version__
from callgate.cli.lint_outcome import Outcome
from callgate.cli.page import page_lines
from callgate.cli.writers import json_text
from callgate.lint.catalogue import all_rules
from callgate.lint.rule import Edit, Finding
from callgate.load.bundle import bundle_lines
from callgate.load.report import SourceLines
from callgate.model.codes import CODES
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span
from callgate.resources import page_text

__all__ = ["sarif_text"]

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_FINGERPRINT: Final = "callgateFinding/v1"


def sarif_text(outcome: Outcome) -> str:
    """The log: one run, with every code that was found as a rule. Columns count code points."""
    codes = sorted({item.diagnostic.code for item in outcome.findings})
    index = {code: number for number, code in enumerate(codes)}
    lines = bundle_lines(outcome.files)
    seen: Counter[str] = Counter()
    run = {
        "tool": {
            "driver": {
                "name": "callgate",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The folder that callgate was started in."}}
        },
        "results": [_result(item, index, lines, seen) for item in outcome.findings],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=True) + "\n"


def _rule(code: str) -> dict[str, Any]:
    """A reporting descriptor: of a settings check, nothing but its id is known here."""
    told: dict[str, Any] = {"id": code}
    if code not in CODES:
        return told
    told["shortDescription"] = {"text": CODES[code]}
    page = page_text(code)
    plain = "\n".join("".join(text for text, _ in line) for line in page_lines(page))
    told["help"] = {"text": plain, "markdown": page}
    for rule in all_rules():
        if rule.code == code:
            told["name"] = rule.name
            level = _LEVELS[rule.severity] if rule.severity else "none"
            told["defaultConfiguration"] = {"level": level, "enabled": rule.severity is not None}
    return told


def _result(
    finding: Finding, index: dict[str, int], lines: SourceLines, seen: Counter[str]
) -> dict[str, Any]:
    item = finding.diagnostic
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": index[item.code],
        "level": _LEVELS[item.severity],
        "message": {"text": f"{item.message} ({item.help})" if item.help else item.message},
        "partialFingerprints": {_FINGERPRINT: _fingerprint(item, lines, seen)},
    }
    if item.span is not None:
        result["locations"] = [{"physicalLocation": _place(item.span)}]
    if item.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(span), "message": {"text": role}}
            for number, (role, span) in enumerate(item.related)
        ]
    if finding.fix:
        result["fixes"] = [_fix(item, finding.fix)]
    return result


def _fingerprint(item: Diagnostic, lines: SourceLines, seen: Counter[str]) -> str:
    """What stays the same when lines are added elsewhere: code, file, message and the text of the
    line, and which of several such findings it is. Lines of settings may hold secrets."""
    parts = [item.code, item.message]
    if item.span is not None:
        parts.append(item.span.file)
        known = None if item.of_settings else lines(item.span.file)
        if known is not None and 0 < item.span.line <= len(known):
            parts.append(known[item.span.line - 1].strip())
    data = "\0".join(parts).encode("utf-8", "backslashreplace")
    digest = hashlib.sha256(data).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _fix(item: Diagnostic, edits: tuple[Edit, ...]) -> dict[str, Any]:
    changes: dict[str, list[Edit]] = {}
    for edit in edits:
        changes.setdefault(edit.span.file, []).append(edit)
    return {
        "description": {"text": item.help or "Mend it."},
        "artifactChanges": [
            {
                "artifactLocation": _file(file),
                "replacements": [
                    {
                        "deletedRegion": _region(edit.span),
                        "insertedContent": {"text": edit.text},
                    }
                    for edit in of_file
                ],
            }
            for file, of_file in changes.items()
        ],
    }


def _place(span: Span) -> dict[str, Any]:
    return {"artifactLocation": _file(span.file), "region": _region(span)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _file(file: str) -> dict[str, str]:
    """A path below the working directory from there, any other as a whole."""
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        return {"uri": path.resolve().as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}
