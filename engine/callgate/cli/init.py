"""`callgate init`: a new bundle with tests, from a template."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from callgate.cli import exits
from callgate.cli.paint import Painter, pad

__all__ = ["command"]

_CONFIG = ".callgate.yaml"


@click.command("init", short_help="Make a new bundle, with tests.")
@click.option(
    "--template",
    metavar="NAME",
    help="What it begins as: echo, minimal or coding (default: echo; asked for on a terminal).",
)
@click.option("--name", metavar="NAME", help="The bundle's name (default: that of its folder).")
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
def command(template: str | None, name: str | None, folder: Path | None) -> int:
    """Make a new bundle in DIR (default: policies/NAME, called as this folder), with rules,
    examples and tests that pass, and name it in .callgate.yaml, so that lint, fmt, test and ci find
    it.

    \b
      echo      rules of your own on top of the bundle echo
      minimal   everything in a few short files: tools, risk, guards, flow
      coding    tools and rules for coding agents, on top of echo

    \b
      callgate init
      callgate init policies/shop --template minimal

    Exit codes: 0 made, 1 not.
    """
    from callgate.model.suggest import closest
    from callgate.scaffold.templates import create, templates

    known = templates()
    template = template or _asked(list(known))
    if template not in known:
        near = closest(template, list(known))
        hint = f"did you mean `{near}`?" if near else f"there are {', '.join(known)}"
        raise click.UsageError(f"`{template}` is no template; {hint}")
    name = name or _name_of(folder.absolute().name if folder else Path.cwd().name)
    target = folder or Path("policies") / name
    try:
        written = create(template, target, name)
    except (ValueError, FileExistsError) as error:
        raise click.ClickException(str(error)) from None
    painter = Painter()
    configured = _configured(target)
    painter.write([[(f"made {target}", "allow"), (f", from the template {template}", "")]])
    painter.write([[(f"  {path}", "")] for path in written])
    painter.write([[(f"  {configured}", "")]])
    painter.write([[], [("next", "strong")]])
    steps = {
        "callgate test": "its tests, and those of what it extends",
        "callgate lint": "what is wrong or could be better",
        f"callgate new rule my.rule --bundle {target}": "a rule of your own",
        f"callgate eval --bundle {target} --tool …": "decide a call",
    }
    width = max(map(len, steps))
    painter.write(
        [[(f"  {pad(step, width)}", "name"), (f"   {what}", "dim")] for step, what in steps.items()]
    )
    return exits.OK


def _asked(names: list[str]) -> str:
    """The template that somebody at a terminal chooses; elsewhere the first."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "echo"
    answer: str = click.prompt("What should it begin as", default="echo", type=click.Choice(names))
    return answer


def _name_of(folder: str) -> str:
    """The name of a folder as a bundle's."""
    return re.sub(r"[^a-z0-9]+", "-", folder.lower()).strip("-") or "policy"


def _configured(target: Path) -> str:
    """Name the bundle in the configuration of this folder, and say what was done."""
    path = Path(_CONFIG)
    bundle = Path(os.path.relpath(target)).as_posix()
    if path.exists():
        return f"{_CONFIG} is there already: add `{bundle}` to its `bundles`"
    path.write_text(
        f"# What lint, fmt, test and ci take when no path is given.\nbundles: [{bundle}]\n"
    )
    return _CONFIG
