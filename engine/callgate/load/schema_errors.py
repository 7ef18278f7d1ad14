"""What a schema does not allow, said in the words of the rule file, at the key or value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from callgate.load import schema_keys, schema_words
from callgate.load.document import Document
from callgate.load.findings import Finding
from callgate.load.schema_keys import Path, Report
from callgate.load.schemas import resolve
from callgate.load.words import any_of, did_you_mean, found, shown
from callgate.load.yaml_errors import in_quotes
from callgate.model.diagnostic import Diagnostics
from callgate.model.suggest import closest

__all__ = ["report_findings"]


def report_findings(
    document: Document, findings: Iterable[Finding], diagnostics: Diagnostics
) -> list[Path]:
    """Report each finding; the paths of what has to go for the rest to be valid."""
    report = Report(document, diagnostics)
    for finding in findings:
        _dispatch(report, finding)
    return report.offending


def _dispatch(report: Report, finding: Finding) -> None:
    if finding.on_key:
        _malformed_key(report, finding)
    else:
        _HANDLERS.get(finding.keyword, _empty)(report, finding)


def _several_shapes(report: Report, finding: Finding) -> None:
    """`anyOf`: what counts is what the alternative of the value's type finds wrong."""
    kind = report.document.kind
    parts = [resolve(part, kind) for part in finding.argument]
    fitting = {n for n, p in enumerate(parts) if schema_words.accepts(p, finding.value, kind)}
    if not fitting:
        _wrong_type(report, finding)
    if _was_text(report, finding, parts):
        return
    for number, inner in finding.inner:
        if number in fitting:
            _dispatch(report, inner)


def _was_text(report: Report, finding: Finding, parts: list[Mapping[str, Any]]) -> bool:
    """Report a mapping that was meant as a text, where both may stand (S003): it has no key of a
    mapping that could."""
    texts = any(part.get("type") == "string" for part in parts)
    keys = {key for part in parts for key in part.get("properties", ())}
    if not (texts and isinstance(finding.value, dict)) or keys & finding.value.keys():
        return False
    node = report.document.node(*finding.path)
    raw = report.document.source.text[node.start : node.end].strip()
    if not raw or raw[0] == "{":
        return False
    report.offending.append(finding.path)
    message = f"YAML read a mapping here: {shown(raw)}"
    report.error("S003", message, finding.path, in_quotes(" ".join(raw.split())))
    return True


def _wrong_type(report: Report, finding: Finding) -> None:
    report.offending.append(finding.path)
    wanted = schema_words.expected(finding.schema, report.document.kind)
    message = f"expected {wanted}, found {found(finding.value)}"
    report.error("S003", message, finding.path, _type_help(report, finding, wanted))


def _type_help(report: Report, finding: Finding, wanted: str) -> str:
    document, path = report.document, finding.path
    if isinstance(finding.value, dict | list):
        raw = document.source.text[document.node(*path).start :][:1]
        if raw in ("{", "[") and wanted in ("a string", "a condition", "an expression"):
            return f"a text that begins with `{raw}` must be in quotes"
    elif finding.value is not None:
        text = document.text(*path).value
        if wanted == "a string":
            return f'put it in quotes: "{text}"'
        if wanted.startswith("a list of"):
            return f"write [{text}]"
    sample = schema_words.example(finding.schema)
    return f"for example `{sample}`" if sample else ""


def _not_allowed(report: Report, finding: Finding) -> None:
    if not isinstance(finding.value, str):
        _wrong_type(report, finding)
        return
    report.offending.append(finding.path)
    options = schema_words.choices(finding.schema) or []
    help = did_you_mean(closest(finding.value, options)) or f"write {any_of(options)}"
    key = next((step for step in reversed(finding.path) if isinstance(step, str)), "")
    message = f"{shown(finding.value)} is not allowed as `{key}`"
    report.error("S004", message, finding.path, help)


def _malformed(report: Report, finding: Finding) -> None:
    report.offending.append(finding.path)
    title = finding.schema.get("title", "")
    what = f"not a valid {title.lower()}" if title else "not allowed here"
    help = schema_words.description(finding.schema)
    report.error("S004", f"{shown(finding.value)} is {what}", finding.path, help)


def _malformed_key(report: Report, finding: Finding) -> None:
    path = (*finding.path, finding.value)
    report.offending.append(path)
    span = report.document.span(*path, key=True)
    help = schema_words.description(finding.schema)
    report.diagnostics.error("S004", f"{shown(finding.value)} is not a valid name", span, help)


def _repeated(report: Report, finding: Finding) -> None:
    first: dict[str, int] = {}
    for index, item in enumerate(finding.value):
        earlier = first.setdefault(repr(item), index)
        if earlier != index:
            report.offending.append((*finding.path, index))
            report.diagnostics.error(
                "S004",
                f"{shown(str(item))} is listed twice",
                report.document.span(*finding.path, index),
                "remove one of the two",
                related=(("first listed here", report.document.span(*finding.path, earlier)),),
            )


def _empty(report: Report, finding: Finding) -> None:
    """`minLength`, `minItems`, `minProperties`: all of them are 1."""
    report.offending.append(finding.path)
    if not isinstance(finding.value, str) and report.lost(finding.path):
        return
    what = found(finding.value).removeprefix("a ")
    sample = schema_words.example(finding.schema)
    help = f"for example `{sample}`" if sample else "write something, or leave the key out"
    report.error("S004", f"this {what} is empty", finding.path, help)


_HANDLERS: Final[Mapping[str, Callable[[Report, Finding], None]]] = {
    "additionalProperties": schema_keys.unknown,
    "required": schema_keys.missing,
    "dependencies": schema_keys.partners,
    "not": schema_keys.excluding,
    "oneOf": schema_keys.alternatives,
    "anyOf": _several_shapes,
    "type": _wrong_type,
    "enum": _not_allowed,
    "const": _not_allowed,
    "pattern": _malformed,
    "uniqueItems": _repeated,
}
