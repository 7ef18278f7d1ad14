"""`callgate reload`: which version of the policy running gates go by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from callgate.cli import exits
from callgate.cli.options import bundle_options, format_option, is_given
from callgate.cli.state_option import operator, state_option, told_state_errors, used_folder
from callgate.cli.state_record import record

if TYPE_CHECKING:
    from callgate.engine import Engine
    from callgate.gate.control import Control
    from callgate.gate.state import StateFolder
    from callgate.gate.versions import Versions

__all__ = ["command"]

_SAME: Final = (
    "Gates take it at their next check if they run with the same bundle and settings;",
    "one with others stays at its version, and logs why.",
)
_PINNED: Final = (
    "Pinned: gates go by it, whatever bundle and settings they are given,",
    "until the next `callgate reload`.",
)


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
    gives the same version: a gate must run with the same bundle and the same settings, or it stays
    at its version and logs why. With errors nothing changes.

    \b
      callgate reload --bundle policies/acme --settings config.yaml
      callgate reload --list
      callgate reload --to sha256:1f0c9b27

    A version that was gone back to stays, with the settings it was made with, also when a gate
    starts anew, until the next reload. `--list` shows that, and what else operators have set.

    Exit codes: 0 done, 3 the policy, its settings or the version can't be used, 1 other failures.
    """
    from callgate.gate.control import Control
    from callgate.gate.versions import Versions

    if (to is not None) + listed + is_given(context, "bundle", "settings") > 1:
        raise click.UsageError("--to, --list, and --bundle or --settings exclude one another")
    with told_state_errors():
        folder = used_folder(state)
        versions, control = Versions(folder), Control(folder)
        if listed:
            _show_list(versions, control, format_)
            return exits.OK
        if to is None:
            engine = _compiled(bundle, settings, versions)
            digest = engine.graph.digest
            what = _told_source(engine, bundle, settings)
        else:
            digest = _earlier(to, versions)
            what = _told_version(digest, versions)
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
    lines = [[("✓ ", "allow"), (digest, "strong")], [(f"  {what}", "")], [(f"  {before}", "dim")]]
    lines += [[(f"  {line}", "ask")] for line in (_PINNED if set_now.pinned else _SAME)]
    if set_now.frozen is not None:
        lines.append([("  gates are frozen: nothing passes without a person", "ask")])
    Painter().write(lines)
    return exits.OK


def _told_source(engine: Engine, bundle: str, settings: Path | None) -> str:
    """What was compiled, in one line."""
    from callgate.runtime.masking import escape

    policy = engine.policy
    file = "no settings file" if settings is None else f"settings {settings.absolute()}"
    where = "" if policy.name == bundle else f" in {bundle}"
    return escape(f"{policy.name} {policy.version}{where}, {file}")


def _told_version(digest: str, versions: Versions) -> str:
    """A version that was gone back to, in one line."""
    times = [version.time for version in versions.all() if version.digest == digest]
    return f"a version of {times[0]}" if times else "an earlier version"


def _compiled(bundle: str, settings: Path | None, versions: Versions) -> Engine:
    """Compile what the options name, and keep it."""
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
    return engine


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
                    "pinned": set_now.pinned and version.digest == set_now.digest,
                }
                for version in kept
            ]
        )
        return
    from callgate.cli.gate_state import gate_form, gate_lines
    from callgate.cli.paint import Painter

    painter = Painter()
    for version in kept:
        mark = "✓ " if version.digest == set_now.digest else "  "
        painter.write([[(mark, "allow"), (version.time, ""), (f"  {version.digest}", "strong")]])
    if not kept:
        painter.write([[("no version is kept yet", "dim")]])
    painter.write([[], *gate_lines(gate_form(control))])
