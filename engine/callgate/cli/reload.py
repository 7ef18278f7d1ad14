"""`callgate reload`: which version of the policy running gates go by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from callgate.cli import exits
from callgate.cli.options import bundle_options, format_option
from callgate.cli.state_option import operator, state_folder, state_option, told_state_errors
from callgate.cli.state_record import record

if TYPE_CHECKING:
    from callgate.engine import Engine
    from callgate.gate.control import Control
    from callgate.gate.state import StateFolder
    from callgate.gate.versions import Versions

__all__ = ["command"]


@click.command("reload", short_help="Put the policy as it is now, or an earlier one, in force.")
@bundle_options
@state_option
@click.option(
    "--to",
    metavar="DIGEST",
    help="Go back to this version; the first 8 digits will do.",
)
@click.option("--list", "listed", is_flag=True, help="List the versions that are kept.")
@format_option("pretty", "json")
@click.pass_context
def command(
    context: click.Context,
    bundle: str,
    settings: Path | None,
    state: Path | None,
    to: str | None,
    listed: bool,
    format_: str,
) -> int:
    """Check and compile the policy from its source, and have the gates that share a state folder go
    over to it at their next check. Each compiles it once more by itself and takes it only if that
    gives the same version. With errors nothing changes.

    \b
      callgate reload --bundle policies/acme --settings config.yaml
      callgate reload --list
      callgate reload --to sha256:1f0c9b27

    A version that was gone back to stays, also when a gate starts anew, until the next reload.

    Exit codes: 0 done, 3 the policy, its settings or the version can't be used, 1 other failures.
    """
    from callgate.gate.control import Control
    from callgate.gate.versions import Versions

    if (to is not None) + listed + _given(context, "bundle", "settings") > 1:
        raise click.UsageError("--to, --list, and --bundle or --settings exclude one another")
    with told_state_errors():
        folder = state_folder(state, create=True)
        versions, control = Versions(folder), Control(folder)
        if listed:
            _show_list(versions, control, format_)
            return exits.OK
        digest = _compiled(bundle, settings, versions) if to is None else _earlier(to, versions)
        was = control.read().digest
        set_now = control.publish(digest, pinned=to is not None)
        versions.mark(digest)
    told = {
        "digest": digest,
        "generation": set_now.generation,
        "was": was,
        "pinned": set_now.pinned,
    }
    _record(folder, "policy.rollback" if set_now.pinned else "policy.reload", told)
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(told)
        return exits.OK
    from callgate.cli.paint import Painter

    before = "as before" if was == digest else f"before: {was}" if was else "the first"
    lines = [[("✓ ", "allow"), (digest, "strong")], [(f"  {before}", "dim")]]
    if set_now.frozen is not None:
        lines.append([("  gates are frozen: nothing passes without a person", "ask")])
    Painter().write(lines)
    return exits.OK


def _given(context: click.Context, *names: str) -> bool:
    default = click.core.ParameterSource.DEFAULT
    return any(context.get_parameter_source(name) is not default for name in names)


def _compiled(bundle: str, settings: Path | None, versions: Versions) -> str:
    """Compile what the options name and keep it; its digest."""
    from callgate.gate.fresh import ChangedError, compile_fresh
    from callgate.model.diagnostic import PolicyError

    try:
        engine = compile_fresh(bundle, settings)
    except PolicyError as error:
        from callgate.cli.reports import refuse

        refuse(error.diagnostics, [bundle], settings)
    except ChangedError as error:
        _stop(str(error))
    _count_warnings(engine, bundle, settings)
    versions.store(engine.graph)
    return engine.graph.digest


def _count_warnings(engine: Engine, bundle: str, settings: Path | None) -> None:
    from callgate.analysis.texts import counted
    from callgate.model.diagnostic import Severity

    warnings = sum(item.severity is Severity.WARNING for item in engine.diagnostics)
    if warnings:
        also = f" --settings {settings}" if settings else ""
        told = f"{counted(warnings, 'warning')}; see `callgate lint {bundle}{also}`"
        click.echo(f"callgate: {told}", err=True)


def _earlier(text: str, versions: Versions) -> str:
    """The digest of a version that is kept, intact, and runs here."""
    from callgate.gate.versions import VersionError
    from callgate.model.graph import GraphError
    from callgate.runtime.interpreter import Program
    from callgate.runtime.masking import escape

    try:
        digest = versions.find(text)
    except VersionError as error:
        raise click.ClickException(f"{escape(str(error))} (`callgate reload --list`)") from None
    try:
        Program(versions.load(digest))
    except (VersionError, GraphError) as error:
        _stop(str(error))
    return digest


def _stop(why: str) -> NoReturn:
    click.echo(f"callgate: {why}", err=True)
    raise click.exceptions.Exit(exits.FINDINGS)


def _record(folder: StateFolder, kind: str, told: dict[str, object]) -> None:
    from callgate.gate.state import StateError

    try:
        record(folder, kind, by=operator(), **told)
    except StateError as error:
        click.echo(f"callgate: the reload is set, but not recorded: {error}", err=True)


def _show_list(versions: Versions, control: Control, format_: str) -> None:
    set_now = control.read()
    kept = versions.all()
    if format_ == "json":
        from callgate.cli.writers import write_json

        write_json(
            [
                {
                    "digest": version.digest,
                    "at": version.at.isoformat(),
                    "in_force": version.digest == set_now.digest,
                }
                for version in kept
            ]
        )
        return
    from callgate.cli.paint import Painter

    painter = Painter()
    for version in kept:
        mark = "✓ " if version.digest == set_now.digest else "  "
        painter.write([[(mark, "allow"), (version.time, ""), (f"  {version.digest}", "strong")]])
    if not kept:
        painter.write([[("no version is kept yet", "dim")]])
