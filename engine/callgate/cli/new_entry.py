"""What the commands of `callgate new` share: the bundle, and writing into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from callgate.cli import exits
from callgate.cli.paint import Painter
from callgate.model.diagnostic import Diagnostics, PolicyError, Severity

if TYPE_CHECKING:
    from callgate.scaffold.adding import Addition, Member

__all__ = ["bundle_option", "example", "pair", "write_entry"]

F = TypeVar("F", bound=Callable[..., Any])


def bundle_option(command: F) -> F:
    """`--bundle`: the folder of the bundle that is added to."""
    return click.option(
        "--bundle",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The bundle's folder (default: the one that .callgate.yaml names).",
    )(command)


def pair(text: str, sign: str, what: str) -> tuple[str, str]:
    """The two parts of an option's value. Raises click.UsageError."""
    left, found, right = text.partition(sign)
    if not (found and left.strip() and right.strip()):
        raise click.UsageError(f"`{text}`: {what}")
    return left.strip(), right.strip()


def example(text: str) -> Any:
    """A call given as an example: JSON where it begins with a brace, else as it is."""
    if not text.lstrip().startswith("{"):
        return text
    import json

    try:
        return json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"`{text}` is no JSON: {error}") from None


def write_entry(
    bundle: Path | None, what: str, additions: Sequence[Addition | Member], next_: str
) -> int:
    """Add to the bundle, say where, and check the result; the exit code. `what`: the entry in
    words; `next_`: what its author should do now. Raises click.ClickException."""
    from callgate.cli.reports import diagnostic_lines, source_lines
    from callgate.policytest.loaded import load
    from callgate.scaffold.adding import add

    folder = bundle or _only_bundle()
    if not (folder / "bundle.yaml").is_file():
        raise click.UsageError(f"`{folder}` is no bundle's folder; `callgate init` makes one")
    try:
        files = add(folder, additions)
    except PolicyError as error:
        first = error.diagnostics[0]
        raise click.ClickException(f"{folder} has to be mended first: {first.line}") from None
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    painter = Painter()
    painter.write([[(f"added {what}", "allow"), (" to ", ""), (", ".join(map(str, files)), "")]])
    errors = [d for d in load(folder).findings if d.severity is Severity.ERROR]
    lines = source_lines([str(folder)], None)
    for item in errors:
        painter.write([[], *diagnostic_lines(item, lines, painter.wrap)])
    if errors:
        painter.write([[], [("it is written, and has to be mended", "deny")]])
        return exits.FINDINGS
    painter.write([[("next: ", "strong"), (next_, "")]])
    return exits.OK


def _only_bundle() -> Path:
    from callgate.load.project import find_project

    found = Diagnostics()
    project = find_project(found)
    if found.has_errors:
        raise click.ClickException(found.sorted()[0].line)
    folders = [Path(name) for name in project.bundles if "/" in name]
    if len(folders) != 1:
        raise click.UsageError("say which bundle: --bundle DIR")
    return folders[0]
