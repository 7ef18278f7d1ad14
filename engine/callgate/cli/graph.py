"""`callgate graph`: draw the decision graph of a policy."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from callgate.cli import exits
from callgate.cli.options import bundle_options, format_option, loaded

__all__ = ["command"]


@click.command("graph", short_help="Draw the decision graph.")
@bundle_options
@format_option("svg", "dot", "mermaid", "json")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there instead of to standard output.",
)
def command(bundle: str, settings: Path | None, format_: str, output: Path | None) -> int:
    """Draw the graph that decides: steps from top to bottom, with their rules and decisions.

    `svg` is a picture that needs no other program; `dot` and `mermaid` are texts for Graphviz and
    Mermaid; `json` is the graph itself, which the policy's digest covers.

    \b
      callgate graph -o policy.svg
      callgate graph --bundle policies/acme --settings config.yaml --format mermaid
    """
    from callgate.analysis.drawing import draw

    engine = loaded(bundle, settings, cache=False)
    text = draw(engine.graph, engine.source_map, format_)
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8", errors="backslashreplace")
    return exits.OK
