"""`callgate init`: a new bundle with tests, from a template."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from callgate.cli import exits
from callgate.cli.paint import Painter, pad

__all__ = ["command"]


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
    from callgate.cli.init_config import configured
    from callgate.cli.new_entry import one_of
    from callgate.load.files import MANIFEST
    from callgate.scaffold.templates import create, templates

    known = templates()
    template = _asked(known) if template is None else template
    one_of(template, known, "a template")
    name = _name_of(folder.absolute().name if folder else Path.cwd().name) if name is None else name
    target = folder or Path("policies") / name
    try:
        written = create(template, target, name)
    except (ValueError, FileExistsError) as error:
        raise click.ClickException(str(error)) from None
    done, named = configured(target)
    painter = Painter()
    painter.write([[(f"made {target}", "allow"), (f", from the template {template}", "")]])
    painter.write([[(f"  {path}", "")] for path in written])
    painter.write([[(f"  {done}", "")], []])
    extends = "\nextends:" in (target / MANIFEST).read_text("utf-8")
    _show_next(painter, shlex.quote(str(target)), named, extends)
    return exits.OK


def _show_next(painter: Painter, folder: str, named: bool, extends: bool) -> None:
    """What to do with a new bundle. `named`: the configuration names it; `extends`: another."""
    path = "" if named else f" {folder}"
    option = "" if named else f" --bundle {folder}"
    steps = {
        f"callgate test{path}": f"its tests{', and those of what it extends' if extends else ''}",
        f"callgate lint{path}": "what is wrong or could be better",
        f"callgate new rule my.rule --each write{option}": "a rule of your own",
        f"callgate tools --bundle {folder}": "the tools that it knows, and how risky they are",
    }
    width = max(map(len, steps))
    painter.write([[("next", "strong")]])
    painter.write(
        [[(f"  {pad(step, width)}", "name"), (f"   {what}", "dim")] for step, what in steps.items()]
    )


def _asked(known: Mapping[str, str]) -> str:
    """The template that somebody at a terminal chooses; elsewhere echo. `known`: their titles."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "echo"
    width = max(map(len, known))
    Painter().write(
        [[(f"  {pad(name, width)}", "name"), (f"   {known[name]}", "")] for name in known]
    )
    names = click.Choice(list(known))
    answer: str = click.prompt("What should it begin as", "echo", type=names, show_choices=False)
    return answer


def _name_of(folder: str) -> str:
    """The name of a folder as that of a bundle; never one that comes with callgate."""
    from callgate.resources import bundle_names

    name = re.sub(r"[^a-z0-9]+", "-", folder.lower()).strip("-") or "policy"
    return f"{name}-policy" if name in bundle_names() else name
