"""`callgate status`: the policy, the settings and the tools at a glance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from callgate.cli import exits
from callgate.cli.options import bundle_options, format_option, is_given, loaded
from callgate.cli.state_option import state_option, told_state_errors, used_folder
from callgate.cli.tool_options import context_of, looked_at, missing_of, seen_options

if TYPE_CHECKING:
    from callgate.engine import Engine

__all__ = ["command"]


@click.command("status", short_help="Show the policy, the settings and the tools at a glance.")
@bundle_options
@format_option("pretty", "json")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@state_option
@seen_options
@click.pass_context
def command(
    run: click.Context,
    bundle: str,
    settings: Path | None,
    format_: str,
    as_json: bool,
    state: Path | None,
    context: tuple[str, ...],
    missing: tuple[str, ...],
) -> int:
    """Show which policy is in force, what the settings set, and how many tools are visible or
    hidden, by reason. With `--state`, also what operators have set for the gates that use that
    folder: the version they want, a freeze, break-glass and how often it was used; and where
    neither `--bundle` nor `--settings` is given, the policy shown is the version that these gates
    go by. As JSON it has a row for every tool, too. Secrets are masked.

    \b
      callgate status --settings config.yaml
      callgate status --settings config.yaml --json
      callgate status --settings config.yaml --state /var/lib/agent/gate
      callgate status --json --missing vision | jq .summary
    """
    from callgate.analysis.tool_rows import summary_of, tool_rows

    source = engine = loaded(bundle, settings, cache=False)
    if state is not None and not is_given(run, "bundle", "settings"):
        from callgate.cli.status_version import version_of

        engine = version_of(state, source)
    program = engine.program
    found = context_of(program, context)
    gone = missing_of(program, missing, ())
    rows = tool_rows(program, looked_at(program, ()), found, gone)
    told: dict[str, Any] = {
        "policy": _policy(engine, source),
        # A version has its settings in it, and no longer knows which were given.
        "settings": None if engine is not source else _settings(engine, settings),
        "summary": summary_of(rows),
        "tools": [row.to_dict() for row in rows],
    }
    if state is not None:
        told["gate"] = _gate(state)
    if as_json or format_ == "json":
        from callgate.cli.writers import write_json

        write_json(told)
    else:
        from callgate.cli.paint import Painter
        from callgate.cli.status_card import status_of

        painter = Painter()
        painter.write(status_of(told, rows, painter.width))
        if "gate" in told:
            from callgate.cli.gate_state import gate_lines
            from callgate.cli.glass_uses import glass_lines

            painter.write([[("gates of this state folder", "strong")], *gate_lines(told["gate"])])
            painter.write(glass_lines(told["gate"]["break_glass_uses"]))
            if told["gate"]["wanted"] not in (None, told["policy"]["digest"]):
                painter.write(
                    [[("  the bundle and settings shown here give another version", "ask")]]
                )
    return exits.OK


def _gate(state: Path) -> dict[str, Any]:
    """What operators have set in a state folder."""
    from callgate.cli.gate_state import gate_form
    from callgate.cli.glass_uses import glass_uses
    from callgate.gate.control import Control

    with told_state_errors():
        folder = used_folder(state)
        control = Control(folder)
        return {**gate_form(control), "break_glass_uses": glass_uses(folder, control)}


def _policy(engine: Engine, source: Engine) -> dict[str, Any]:
    if engine is not source:
        from callgate.cli.status_version import version_form

        return version_form(engine)
    policy = engine.policy
    return {
        "bundle": policy.name,
        "version": policy.version,
        "title": policy.title,
        "digest": engine.graph.digest,
        "engine": engine.program.engine,
        "extends": [{"bundle": base.name, "version": base.version} for base in policy.extends],
    }


def _settings(engine: Engine, file: Path | None) -> dict[str, Any]:
    return {"file": None if file is None else str(file), "set": _given(engine)}


def _given(engine: Engine) -> dict[str, Any]:
    """What the settings set: dotted name → value, as it may be shown."""
    known = engine.policy.vocabulary.settings
    return {
        name: _masked(engine, value, known[name].field.secret)
        for name, value in engine.given.items()
    }


def _masked(engine: Engine, value: Any, secret: bool) -> Any:
    from callgate.runtime.masking import MASK

    masker, secrets = engine.program.masker, engine.program.settings_secrets
    if secret:
        return MASK if value else None
    if isinstance(value, str):
        return masker.show(value, secrets)
    if isinstance(value, dict):
        return {
            masker.show(key, secrets): MASK
            if masker.is_secret(key)
            else _masked(engine, item, False)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_masked(engine, item, False) for item in value]
    return value
