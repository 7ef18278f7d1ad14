"""`callgate tools`: which tools are shown, and what approval a call of each would meet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callgate.cli import exits
from callgate.cli.options import bundle_options, format_option, loaded
from callgate.cli.tool_options import context_of, looked_at, missing_of, seen_options

if TYPE_CHECKING:
    from callgate.engine import Engine

__all__ = ["command"]


@click.command("tools", short_help="List the tools: shown or hidden and why, and what they need.")
@bundle_options
@format_option("pretty", "json")
@seen_options
@click.option("--why", metavar="TOOL", help="Walk this one tool through all the checks.")
@click.argument("names", nargs=-1, metavar="[TOOL…]")
def command(
    bundle: str,
    settings: Path | None,
    format_: str,
    context: tuple[str, ...],
    missing: tuple[str, ...],
    why: str | None,
    names: tuple[str, ...],
) -> int:
    """List every tool: whether the model gets to see it and why not, its risk, and what approval a
    call would meet in this context before its arguments are seen.

    TOOL names the tools to list instead of the whole catalogue; tools of MCP servers, which stand
    in no catalogue, are listed so.

    \b
      callgate tools --settings config.yaml
      callgate tools --context channel=telegram --context unattended=true
      callgate tools --missing vision mcp_github_push vision_analyze
      callgate tools --why web_search --settings config.yaml

    Approval: none, reviewer, person, denied; ask where a rule asks without saying whom; depends
    where nothing can be said without the arguments.
    """
    if why is not None and names:
        raise click.UsageError("--why takes one tool; leave out the others")
    engine = loaded(bundle, settings, cache=why is None)
    program = engine.program
    found = context_of(program, context)
    gone = missing_of(program, missing, (why,) if why else names)
    if why is not None:
        looked_at(program, (why,))
        return _why(engine, why, found, gone, format_)

    from callgate.analysis.tool_rows import tool_rows

    rows = tool_rows(program, looked_at(program, names), found, gone)
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json([row.to_dict() for row in rows])
    else:
        from callgate.cli.paint import Painter
        from callgate.cli.tool_table import table_of

        painter = Painter()
        painter.write(table_of(rows, painter.width))
    return exits.OK


def _why(
    engine: Engine, name: str, context: dict[str, Any], missing: list[str], format_: str
) -> int:
    from callgate.analysis.explain import explain
    from callgate.analysis.facts import open_settings
    from callgate.analysis.tool_checks import tool_checks
    from callgate.analysis.tool_rows import call_for, tool_rows

    program, policy = engine.program, engine.policy
    call = call_for(name, context, missing)
    row = tool_rows(program, [name], context, missing)[0]
    settings = open_settings(policy, engine.settings)
    shown = program.visibility(call)
    checks = []
    if shown is not None and policy.visibility is not None:
        checks = tool_checks(shown, policy.visibility, program.sources, settings)
    met = explain(program.unseen.approval(call), settings)
    if format_ == "json":
        from callgate.cli.writers import write_json

        told = {**row.to_dict(), "checks": [check.to_dict() for check in checks]}
        write_json({**told, "steps": [step.to_dict() for step in met.steps]})
    else:
        from callgate.cli.paint import Painter
        from callgate.cli.tool_why import why_of

        painter = Painter()
        painter.write(why_of(row, checks, met, painter.width))
    return exits.OK
