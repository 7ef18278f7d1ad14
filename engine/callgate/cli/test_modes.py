"""`callgate test --generate` and `--mutate`: what else is done with a bundle's tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from callgate.cli.paint import Painter
from callgate.cli.reports import refuse
from callgate.cli.test_options import Options
from callgate.model.diagnostic import PolicyError
from callgate.policytest.loaded import load

__all__ = ["run_mode"]


def run_mode(bundles: Sequence[str], options: Options, format_: str, output: Path | None) -> int:
    """Do it for one bundle; gives the exit code."""
    if len(bundles) != 1:
        raise click.UsageError("--generate and --mutate take one PATH")
    if format_ == "junit":
        raise click.UsageError("--generate and --mutate write `pretty` or `json`")
    try:
        loaded = load(bundles[0])
        loaded.usable()
    except PolicyError as error:
        refuse(error.diagnostics, bundles, None)
    painter = Painter()
    if options.generate:
        from callgate.cli import propose

        return propose.run(
            loaded=loaded, painter=painter, format_=format_, output=output, limit=options.limit
        )
    from callgate.cli import mutate

    if output is not None:
        raise click.UsageError("-o does not go with --mutate")
    return mutate.run(
        loaded=loaded,
        painter=painter,
        format_=format_,
        jobs=options.choice.jobs,
        limit=options.limit,
        only=options.only,
        fail_under=options.fail_under,
    )
