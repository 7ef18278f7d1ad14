"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from callgate.engine import Engine

__all__ = ["bundle_options", "call_options", "format_option", "is_given", "loaded"]

F = TypeVar("F", bound=Callable[..., Any])


def bundle_options(command: F) -> F:
    """`--bundle` and `--settings`."""
    settings = click.option(
        "--settings",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="YAML settings; the agent runtime's own config.yaml will do.",
    )
    bundle = click.option(
        "--bundle",
        default="echo",
        show_default=True,
        metavar="NAME|DIR",
        help="The policy: the name of a bundle that comes with callgate, or a folder.",
    )
    return bundle(settings(command))


def call_options(command: F) -> F:
    """`--tool`, `--arg` and `--context`: one call on the command line."""
    context = click.option(
        "--context",
        "context",
        multiple=True,
        metavar="K=V",
        help="A field of the call's context; true, 3 and a,b are read as the field's type.",
    )
    arg = click.option(
        "--arg",
        "args",
        multiple=True,
        metavar="K=V",
        help="An argument of the tool, as text; K:=V takes V as JSON.",
    )
    tool = click.option("--tool", metavar="NAME", help="The tool that is called.")
    return tool(arg(context(command)))


def format_option(*formats: str, default: bool = True) -> Callable[[F], F]:
    """`--format`, the first of `formats` being the default, or None without `default`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0] if default else None,
        show_default=default,
        help="How the result is written.",
    )


def is_given(context: click.Context, *names: str) -> bool:
    """Whether somebody gave one of these parameters, also with its default for a value."""
    default = click.core.ParameterSource.DEFAULT
    return any(context.get_parameter_source(name) is not default for name in names)


def loaded(bundle: str, settings: Path | None, *, cache: bool) -> Engine:
    """The engine of `--bundle` and `--settings`; warnings are counted on standard error.

    Where they can't be used, reports why and exits.
    """
    from callgate.engine import Engine
    from callgate.model.diagnostic import PolicyError, Severity

    try:
        engine = Engine.load(bundle, settings, cache=cache)
    except PolicyError as error:
        from callgate.cli.reports import refuse

        refuse(error.diagnostics, [bundle], settings)
    warnings = sum(item.severity is Severity.WARNING for item in engine.diagnostics)
    if warnings:
        also = f" --settings {settings}" if settings else ""
        noun = "warning" if warnings == 1 else "warnings"
        click.echo(f"callgate: {warnings} {noun}; see `callgate lint {bundle}{also}`", err=True)
    return engine
