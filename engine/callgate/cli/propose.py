"""`callgate test --generate`: propose test cases for what the tests do not reach."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from callgate.analysis.texts import counted
from callgate.cli import exits
from callgate.cli.paint import Line, Painter
from callgate.cli.whole_file import replace_text
from callgate.cli.writers import json_text
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.summary import Missing
from callgate.policytest.loaded import Loaded
from callgate.policytest.proposals.file import examples_text, in_file
from callgate.policytest.proposals.propose import Proposals, propose
from callgate.policytest.run import run_tests

__all__ = ["run"]

_MOST_TOLD: Final = 40


def run(
    *,
    loaded: Loaded,
    painter: Painter,
    format_: str = "pretty",
    output: Path | None = None,
    limit: int | None = None,
) -> int:
    """Run the tests, search for calls that come to what they miss, and write those as cases that
    nobody has confirmed; gives the exit code.

    `format_`: `pretty` is the text of a test file, `json` an object. `output`: a test file that the
    cases are added to, or a new one. `limit`: how many cases at most. Progress, and what could not
    be reached, go to standard error. Raises PolicyError where the bundle can't be used, and
    click.ClickException where the file can't be written.
    """
    coverage = Coverage.of(loaded)
    run_tests(loaded, observer=coverage)
    found = propose(loaded, coverage, limit, done=_progress)
    _progress_ends()
    if format_ == "json":
        painter.stream.write(json_text(_told(found), indent=True) + "\n")
    else:
        if found.found:
            _write(found, painter, output)
        painter.stream.write(examples_text(found.examples))
    Painter(sys.stderr).write(_summary(found, output))
    return exits.OK


def _write(found: Proposals, painter: Painter, output: Path | None) -> None:
    try:
        if output is None:
            painter.stream.write(in_file(found.found, "a test file"))
            return
        data = output.read_bytes() if output.exists() else None
        replace_text(output.resolve(), in_file(found.found, str(output), data))
        if data is None:
            click.echo(
                f"callgate: `{output}` is new: list it under `files` in bundle.yaml", err=True
            )
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"can't write {output}: {error.strerror}") from None


def _progress(done: int, all_: int, found: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2K{done} of {all_} conditions tried, {counted(found, 'case')}")
        sys.stderr.flush()


def _progress_ends() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")


def _summary(found: Proposals, output: Path | None) -> list[Line]:
    covers = sum(len(case.covers) for case in found.found)
    covers += sum(len(example.covers) for example in found.examples)
    left = found.unreached
    if not covers and not left:
        return [[("nothing is missing: every node, branch and part is reached", "allow")]]
    where = f" in {output}" if output is not None and found.found else ""
    cases = counted(len(found.found), "case")
    if found.examples:
        cases += f" and {counted(len(found.examples), 'example')}"
    what = counted(covers, "thing")
    words = f"{cases} proposed{where} for {what} that no test reached ({found.walks:,} calls tried)"
    lines: list[Line] = [[(words, "strong")]]
    if found.found:
        lines.append([("confirm each: delete its line `confirmed: false`", "")])
    if found.examples:
        text = "examples stand on standard output: put each into its guard's `examples`"
        lines.append([(text, "")])
    if left:
        lines.append([(f"{counted(len(left), 'thing')} not reached:", "ask")])
        lines.extend([(f"  {_place(one)}", "dim"), (_words(one), "")] for one in left[:_MOST_TOLD])
        if len(left) > _MOST_TOLD:
            lines.append([(f"  … and {len(left) - _MOST_TOLD} more; `--format json` has all", "")])
    return lines


def _place(one: Missing) -> str:
    file, line = one.place
    return f"{file}:{line}: "


def _words(one: Missing) -> str:
    what = f"`{one.text}` " if one.kind == "part" else ""
    return f"{one.item.name}: {what}{one.words}"


def _told(found: Proposals) -> dict[str, Any]:
    return {
        "proposals": [
            {"case": proposal.case, "covers": list(proposal.words)} for proposal in found.found
        ],
        "examples": [
            {
                "guard": one.guard,
                "kind": "match" if one.fires else "pass",
                "call": one.call,
                "covers": list(one.words),
            }
            for one in found.examples
        ],
        "unreached": [
            {
                "kind": one.kind,
                "id": one.item.name,
                "file": one.place[0],
                "line": one.place[1],
                "condition": one.text or None,
                "never": None if one.kind == "node" else one.outcome,
            }
            for one in found.unreached
        ],
        "calls": found.walks,
    }
