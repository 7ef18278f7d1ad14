"""`callgate lint`: everything that loading, checking and compiling a policy finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from callgate.cli import exits
from callgate.cli.options import format_option
from callgate.model.diagnostic import Diagnostic, Diagnostics, PolicyError, Severity

__all__ = ["command"]


@click.command("lint", short_help="Check policies and settings.")
@format_option("pretty", "json")
@click.option(
    "--settings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check this settings file, too, against the policy's vocabulary.",
)
@click.argument("paths", nargs=-1, metavar="[PATH…]")
def command(format_: str, settings: Path | None, paths: tuple[str, ...]) -> int:
    """Check policies: YAML, schema, conditions, types, rules and their examples.

    PATH is a bundle's folder or the name of a bundle that comes with callgate (default: echo).

    \b
      callgate lint policies/acme
      callgate lint policies/acme --settings config.yaml --format json

    Exit codes: 0 without errors (there may be warnings), 3 with errors.
    """
    found: dict[Diagnostic, None] = {}
    for path in paths or ("echo",):
        found.update(dict.fromkeys(_findings(path, settings)))
    findings = sorted(found, key=lambda item: item.sort_key)
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json([_told(item) for item in findings])
    else:
        _show(findings, paths or ("echo",), settings)
    failed = any(item.severity is Severity.ERROR for item in findings)
    return exits.FINDINGS if failed else exits.OK


def _findings(path: str, settings: Path | None) -> Sequence[Diagnostic]:
    from callgate.analysis.expiry import expiring
    from callgate.compiler.program_examples import check_program_examples
    from callgate.compiler.settings_checks import check_settings_examples
    from callgate.engine import Engine
    from callgate.load.bundle import load_bundle
    from callgate.policytest.cases import read_cases

    # Tests decide nothing, so an engine does not read them.
    found = Diagnostics()
    bundle = load_bundle(path, found)
    documents = bundle.documents if bundle else ()
    read_cases(documents, found)
    check_program_examples(documents, found)
    try:
        engine = Engine.load(path, settings) if settings else Engine.of_policy(path)
        if settings:
            check_settings_examples(engine.policy, found)
        endings = expiring(engine.policy, datetime.now(UTC))
        return [*engine.diagnostics, *endings, *found]
    except PolicyError as error:
        return [*error.diagnostics, *found]


def _told(item: Diagnostic) -> dict[str, Any]:
    span = item.span
    return {
        "code": item.code,
        "severity": item.severity.value,
        "file": span.file if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
        "message": item.message,
        "help": item.help,
    }


def _show(findings: Sequence[Diagnostic], bundles: Sequence[str], settings: Path | None) -> None:
    from callgate.analysis.texts import counted
    from callgate.cli.paint import Painter
    from callgate.cli.reports import diagnostic_lines, source_lines

    painter = Painter()
    lines = source_lines(bundles, settings)
    for item in findings:
        told = diagnostic_lines(item, lines)
        # Where there is nothing to do, one line will do.
        brief = item.severity is Severity.INFO and not item.help
        painter.write(told[:1] if brief else [*told, []])
    counts = Counter(item.severity for item in findings)
    words = [counted(counts[severity], severity.value) for severity in Severity if counts[severity]]
    style = "deny" if counts[Severity.ERROR] else "allow"
    found = ", ".join(words) or "no findings"
    painter.write([[(f"{counted(len(bundles), 'bundle')} checked: {found}", style)]])
