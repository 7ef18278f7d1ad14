"""`callgate new tool`: add a tool to a bundle's catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from callgate.cli.new_entry import bundle_option, one_of, pair, write_entry

__all__ = ["command"]

_PARAM = "say which type it has, as in `path:string`"
_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_EFFECT = "say which argument it comes from, as in `write.path=path`"


@click.command("tool", short_help="Add a tool.")
@bundle_option
@click.option("--description", metavar="TEXT", help="What it does (default: from its name).")
@click.option("--capability", multiple=True, metavar="NAME", help="What it may touch.")
@click.option("--param", multiple=True, metavar="NAME:TYPE", help="An argument, with JSON's type.")
@click.option(
    "--effect",
    multiple=True,
    metavar="KIND.FIELD=ARGUMENT",
    help="What it does to the world: `write.path=file`, `connect.url=url`, `shell.text=command`.",
)
@click.option("--risk", metavar="LEVEL", help="Its level in the risk map (default: the map's own).")
@click.argument("name", metavar="NAME")
def command(
    bundle: Path | None,
    description: str | None,
    capability: tuple[str, ...],
    param: tuple[str, ...],
    effect: tuple[str, ...],
    risk: str | None,
    name: str,
) -> int:
    """Add the tool NAME to tools.yaml, and to the risk map with --risk.

    \b
      callgate new tool order_status --param order:string --risk read_only
      callgate new tool save_report --param file:string --effect write.path=file --risk write

    Where the bundle could not be used with it, nothing is added.

    Exit codes: 0 added, 1 not, 3 added to a bundle that has other errors.
    """
    from callgate.scaffold.adding import Member
    from callgate.scaffold.entries import new_tool
    from callgate.scaffold.layout import Addition

    parameters = dict(pair(text, ":", _PARAM) for text in param)
    for type_ in parameters.values():
        one_of(type_, _TYPES, "a type of JSON")
    effects: dict[str, dict[str, str]] = {}
    for text in effect:
        place, argument = pair(text, "=", _EFFECT)
        kind, field = pair(place, ".", _EFFECT)
        effects.setdefault(kind, {})[field] = f"args.{argument}"
    words = description or name.replace("_", " ").capitalize()
    try:
        tool = new_tool(name, words, capability, parameters, effects)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    additions: list[Addition | Member] = [tool]
    if risk is not None:
        additions.append(Member("risk-map", "tools", risk, name, "risk.yaml"))
    todo = "describe its arguments" + ("" if effects else "; say what it does under `effects`")
    return write_entry(bundle, f"the tool {name}", additions, f"{todo}; add a test that calls it")
