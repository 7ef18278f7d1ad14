"""The options of `callgate test` that say what is run and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from callgate.cli.options import is_given
from callgate.cli.test_run import Choice

__all__ = ["Options", "modes", "run_options"]

F = TypeVar("F", bound=Callable[..., Any])

_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, dir_okay=False)


class _Jobs(click.ParamType[int]):
    name = "N|auto"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        if value == "auto":
            from callgate.policytest.parallel import processors

            return processors()
        if isinstance(value, int) or (str(value).isdecimal() and 1 <= int(value) <= 256):
            return int(value)
        return int(self.fail(f"`{value}` is no number of processes: write 1, 2, … or auto"))


_OPTIONS: Final = [
    click.option(
        "-k",
        "expression",
        default="",
        metavar="EXPR",
        help="Only cases whose name, file or expected rule has these words: `and`, `or`, `not` and "
        "parentheses.",
    ),
    click.option("-x", "--exitfirst", is_flag=True, help="Stop at the first failure."),
    click.option("--maxfail", type=click.IntRange(1), metavar="N", help="Stop at N failures."),
    click.option(
        "-j",
        "--jobs",
        type=_Jobs(),
        default=1,
        metavar="N|auto",
        help="Run cases in so many processes.",
    ),
    click.option(
        "--durations",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Show the N slowest cases.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Show failures and totals alone."),
    click.option("--watch", is_flag=True, help="Run again whenever a file changes."),
    click.option("--no-cache", is_flag=True, help="Run also what has not changed."),
    click.option("--coverage", is_flag=True, help="Show what of the policy the tests reach."),
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 100),
        metavar="PERCENT",
        help="Exit with 3 where less is reached; with --mutate, where fewer changes are noticed.",
    ),
    click.option("--coverage-html", type=_FOLDER, metavar="DIR", help="Coverage as pages."),
    click.option("--coverage-lcov", type=_FILE, metavar="FILE", help="Coverage as a tracefile."),
    click.option(
        "--coverage-annotate",
        type=_FOLDER,
        metavar="DIR",
        help="Coverage as the policy's files with counts.",
    ),
    click.option("--generate", is_flag=True, help="Propose cases for what the tests do not reach."),
    click.option(
        "--mutate",
        is_flag=True,
        help="Change the policy in small ways, and show which changes no test notices.",
    ),
    click.option(
        "--limit",
        type=click.IntRange(1),
        metavar="N",
        help="With --generate and --mutate: so many cases or changes at most.",
    ),
    click.option(
        "--only",
        multiple=True,
        metavar="WORD",
        help="With --mutate: only these kinds of change or rules.",
    ),
]


def run_options(command: F) -> F:
    """The options that `modes` reads."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `given`: anything but the defaults; `fail_under`: None where the command
    line does not say."""

    choice: Choice
    durations: int
    quiet: bool
    watch: bool
    fail_under: float | None
    coverage_html: Path | None
    coverage_lcov: Path | None
    coverage_annotate: Path | None
    generate: bool
    mutate: bool
    limit: int | None
    only: tuple[str, ...]
    given: bool


def modes(given: Mapping[str, Any]) -> Options:
    """The options of a command line. Raises click.UsageError for those that don't go together."""
    most = 1 if given["exitfirst"] else given["maxfail"] or 0
    reports = [given[f"coverage_{name}"] for name in ("html", "lcov", "annotate")]
    mutate, generate = given["mutate"], given["generate"]
    if mutate and generate:
        raise click.UsageError("--generate and --mutate are two things: ask for one at a time")
    if given["limit"] is not None and not (mutate or generate):
        raise click.UsageError("--limit goes with --generate or --mutate")
    if given["only"] and not mutate:
        raise click.UsageError("--only goes with --mutate")
    covering = given["coverage"] or any(reports)
    wanted = covering or (given["fail_under"] is not None and not mutate)
    if (mutate or generate) and (covering or given["watch"] or given["expression"] or most):
        raise click.UsageError("--generate and --mutate run all cases, and show no coverage")
    choice = Choice(given["expression"], most, given["jobs"], wanted, not given["no_cache"])
    return Options(
        choice,
        given["durations"],
        given["quiet"],
        given["watch"],
        given["fail_under"],
        given["coverage_html"],
        given["coverage_lcov"],
        given["coverage_annotate"],
        generate,
        mutate,
        given["limit"],
        tuple(given["only"]),
        is_given(click.get_current_context(), *given),
    )
