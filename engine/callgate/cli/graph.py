"""`callgate graph`: draw the decision graph of a policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from callgate.cli import exits
from callgate.cli.options import bundle_options, format_option, loaded

__all__ = ["command"]

_ENDINGS: Final = {
    "": "svg",
    ".svg": "svg",
    ".dot": "dot",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".json": "json",
}


@click.command("graph", short_help="Draw the decision graph.")
@bundle_options
@format_option("svg", "dot", "mermaid", "json", default=False)
@click.option(
    "--flow",
    type=click.Choice(["approval", "visibility"]),
    default="approval",
    show_default=True,
    help="Which flow is drawn: the steps that decide a call, or the rules that hide tools.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there instead of to standard output.",
)
@click.argument("others", nargs=-1, metavar="")
def command(
    bundle: str,
    settings: Path | None,
    format_: str | None,
    flow: str,
    output: Path | None,
    others: tuple[str, ...],
) -> int:
    """Draw the graph that decides: steps from top to bottom, with their rules and decisions.

    Of the two flows in it one is drawn, see --flow; json has both.

    `svg` is a picture that needs no other program; `dot` and `mermaid` are texts for Graphviz and
    Mermaid; `json` is the graph itself, which the policy's digest covers. Without --format the
    ending of FILE says which: .svg, .dot, .mmd or .mermaid, .json; otherwise it is svg.

    \b
      callgate graph -o policy.svg
      callgate graph --flow visibility -o tools.svg
      callgate graph --bundle policies/acme --settings config.yaml --format mermaid
    """
    if others:
        raise click.UsageError(
            f"`graph` takes no argument `{others[0]}`; did you mean `--bundle {others[0]}`?"
        )
    format_ = format_ or _format_of(output)
    from callgate.analysis.drawing import draw

    engine = loaded(bundle, settings, cache=False)
    second = "" if flow == "approval" else flow
    if second and format_ != "json" and engine.graph.visibility is None:
        raise click.UsageError(f"`{bundle}` has no flow `{flow}`: it shows every tool")
    text = draw(engine.graph, engine.source_map, format_, second)
    if output is None:
        sys.stdout.write(text)
    else:
        from callgate.cli.whole_file import write_report

        write_report(output, text.encode("utf-8", "backslashreplace").decode())
    return exits.OK


def _format_of(output: Path | None) -> str:
    """The format that a file's ending names; raises click.UsageError for an unknown one."""
    ending = "" if output is None else output.suffix.lower()
    if ending not in _ENDINGS:
        known = ", ".join(filter(None, _ENDINGS))
        raise click.UsageError(f"`{ending}` names no format ({known}); say which by --format")
    return _ENDINGS[ending]
