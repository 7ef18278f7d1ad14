"""The version of the policy that the gates of a state folder go by, where nobody names a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callgate.cli.state_option import told_state_errors, used_folder

if TYPE_CHECKING:
    from callgate.engine import Engine

__all__ = ["version_form", "version_of"]


def version_of(state: Path, engine: Engine) -> Engine:
    """An engine of the version that was put in force last, or else of the one that a gate began
    with last; `engine` where it is of that version, or none is kept. One that can't be used is told
    on standard error; then it is `engine`, too."""
    from callgate.gate.control import Control
    from callgate.gate.fresh import engine_of
    from callgate.gate.versions import VersionError, Versions
    from callgate.model.graph import GraphError

    with told_state_errors():
        folder = used_folder(state)
        versions = Versions(folder)
        digest = Control(folder).read().digest or next((v.digest for v in versions.all()), None)
        if digest in (None, engine.graph.digest):
            return engine
        try:
            return engine_of(versions.load(str(digest)), engine.source.bundle, None, ())
        except (VersionError, GraphError) as error:
            click.echo(f"callgate: {error}; `{engine.policy.name}` is shown", err=True)
            return engine


def version_form(engine: Engine) -> dict[str, Any]:
    """What a version tells of its policy. Its title and what it extends stand in the source."""
    bundle = engine.graph.document["bundle"]
    return {
        "bundle": bundle["name"],
        "version": bundle["version"],
        "title": "",
        "digest": engine.graph.digest,
        "engine": engine.program.engine,
        "extends": [],
    }
