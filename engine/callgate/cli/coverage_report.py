"""What of a policy its tests reach, in every form that it is shown in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from callgate.cli.coverage_lcov import lcov_of
from callgate.cli.coverage_source import annotated
from callgate.cli.coverage_table import rules_table, table
from callgate.cli.paint import Painter
from callgate.cli.whole_file import replace_text, write_report
from callgate.cli.writers import json_text
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.lines import File, files_of
from callgate.policytest.coverage.summary import Figure, Figures, figures, missing

__all__ = ["STYLES", "falls_short", "show", "told"]

STYLES: Final = ("table", "annotated", "html", "lcov", "json")
"""The forms of a report: a table, the policy's text with counts, pages, a tracefile, JSON."""


def show(
    coverage: Coverage, painter: Painter, style: str = "table", output: Path | None = None
) -> None:
    """Write a report. `style`: one of `STYLES`. `output`: the file to write, a folder for
    `annotated` and `html`; None is the painter's stream. Raises click.UsageError where a style
    can't go there, and click.ClickException where nothing can be written."""
    if style == "html" and output is None:
        raise click.UsageError("html is written to a folder: name it")
    files = files_of(coverage)
    try:
        if output is None:
            _to_stream(coverage, files, painter, style)
        elif style == "html":
            from callgate.cli.coverage_html import pages

            _to_folder(pages(coverage, files), output)
        elif style == "annotated":
            texts = {f"{_flat(file.name)}.txt": _plain(annotated(file)) for file in files}
            _to_folder(texts, output)
        else:
            output.parent.mkdir(parents=True, exist_ok=True)
            write_report(output, _text(coverage, files, style))
    except OSError as error:
        raise click.ClickException(f"can't write {output}: {error.strerror}") from None
    if output is not None:
        click.echo(f"callgate: coverage written to {output}", err=True)


def _to_stream(coverage: Coverage, files: list[File], painter: Painter, style: str) -> None:
    if style == "table":
        painter.write([*rules_table(coverage), [], *table(coverage, files, painter.width)])
    elif style == "annotated":
        for file in files:
            painter.write([*annotated(file, painter.width), []])
    else:
        painter.stream.write(_text(coverage, files, style))


def _text(coverage: Coverage, files: list[File], style: str) -> str:
    if style == "lcov":
        return lcov_of(files)
    if style == "json":
        return json_text(told(coverage), indent=True) + "\n"
    return _plain([*rules_table(coverage), [], *table(coverage, files, 100)])


def _plain(lines: list[list[tuple[str, str]]]) -> str:
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def _flat(name: str) -> str:
    return name.lstrip("./").replace("/", "__")


def _to_folder(texts: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        replace_text(folder / name, text)


def told(coverage: Coverage) -> dict[str, Any]:
    """The JSON form: the figures of all and of each file, and what is missing."""
    return {
        **_told(figures(coverage)),
        "files": [
            {"file": file.name, **_told(figures(coverage, file.items))}
            for file in files_of(coverage)
        ],
        "missing": [
            {
                "kind": one.kind,
                "what": one.item.kind,
                "id": one.item.name,
                "file": one.place[0],
                "line": one.place[1],
                "condition": one.text or None,
                "never": None if one.kind == "node" else one.outcome,
                "message": one.words,
            }
            for one in missing(coverage)
        ],
        "excluded": [
            {"id": item.name, "reason": item.excluded}
            for item in coverage.plan.items.values()
            if item.excluded
        ],
    }


def _told(found: Figures) -> dict[str, Any]:
    return {
        "nodes": _figure(found.nodes),
        "branches": _figure(found.branches),
        "parts": {**_figure(found.parts), "unknown": found.unknown},
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "reached": figure.reached,
        "total": figure.total,
        "percent": round(figure.percent, 2),
    }


def falls_short(coverage: Coverage, percent: float) -> str:
    """Why nodes and branches together are reached less than a limit asks for, in one line; "" where
    they are not. `percent`: from 0 to 100."""
    found = figures(coverage)
    both = found.nodes + found.branches
    if 100 * both.reached >= percent * both.total:
        return ""
    left = both.total - both.reached
    return (
        f"coverage is {_cut(both.percent)} % of nodes and branches, and {percent:g} % is asked "
        f"for: {left:,} not reached"
    )


def _cut(percent: float) -> str:
    """Never rounded up to a limit that it does not reach."""
    return f"{int(percent * 100) / 100:g}"
