"""`callgate test --from-log`: a recorded decision as a test case."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from callgate.cli import exits
from callgate.cli.log_store import opened
from callgate.cli.whole_file import replace_text
from callgate.load.one_file import MAX_BYTES

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.store import Store

__all__ = ["write_case"]

_DRY: Final = (
    "it would not come out the same as a test, which is a dry run: there, what nobody looked at is "
    "taken for granted"
)
_OTHER_GRAPH: Final = (
    ": it was decided by another version, or under settings of its own, which are not recorded and "
    "which the case then needs as `settings`"
)


def write_case(id_: str, records: Path | None, output: Path | None, bundle: str | None) -> int:
    """Write the test case of a decision to a file, at its end if there is one, or to standard
    output; returns the exit code. `id_`: the decision's, or how it begins; `bundle`: where the case
    is tried, by default the embedded one of that name."""
    from callgate.policytest.from_log import added, new_file

    with opened(records, tells=False) as store:
        entry = _found(store, id_)
        case, policy = _case(store, entry)
    _try(case, policy, bundle)
    try:
        alone = new_file(case)
        if output is None:
            _, _, item = alone.partition("cases:\n")
            sys.stdout.write(item)
        elif output.exists():
            replace_text(output.resolve(), added(case, str(output), _bytes(output)))
        else:
            with output.open("x", encoding="utf-8") as file:
                file.write(alone)
            said = f"callgate: `{output}` is new: list it under `files` in bundle.yaml"
            click.echo(said, err=True)
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    sys.stdout.flush()
    return exits.OK


def _found(store: Store, id_: str) -> Entry:
    from callgate.cli.log_damage import Damages
    from callgate.record.find import with_id

    damages = Damages()
    try:
        entries = with_id(store, id_.strip().lower(), damages, 2)
    except ValueError as error:
        raise click.UsageError(f"--from-log: {error}") from None
    if len(entries) > 1:
        raise click.ClickException("several decisions have an id that begins so: give more of it")
    if not entries:
        damages.close()
        for why in store.passed_over:
            click.echo(f"callgate: {why}; passed over", err=True)
        raise click.ClickException("no decision of that id is recorded")
    return entries[0]


def _case(store: Store, entry: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    """The case, and the policy that decided. Refuses what would not come out the same."""
    from callgate.policytest.from_log import case_of
    from callgate.record.recorded import decision_in
    from callgate.record.rewalk import NoGraphError, NotWalkedError, Rewalker

    # As it stands in the store: what is read back for people is decoded.
    _, _, record = decision_in(entry.line)
    assert record is not None
    rewalker = Rewalker(store.archive)
    why = ""
    try:
        differences = rewalker.differences(record)
        if differences:
            keys = ", ".join(item.key for item in differences)
            why = f"it comes out otherwise now ({keys}); see `callgate log check`"
        elif record["live"] is True and rewalker.differences({**record, "live": False}):
            why = _DRY
        else:
            call, decision = rewalker.decided({**record, "live": False})
            told = decision.to_dict()
    except NotWalkedError as error:
        why = f"it can't be decided again: {error}"
    except (NoGraphError, ValueError) as error:
        why = str(error)
    if why:
        raise click.ClickException(f"no case can be made of this decision: {why}")
    name = f"recorded {record['decision_id']}: {told['called_as']}"
    return case_of(call, told, name, record["timestamp"]), told["policy"]


def _try(case: dict[str, Any], policy: dict[str, Any], bundle: str | None) -> None:
    """Say where the case does not pass as things are."""
    from callgate.engine import Engine
    from callgate.model.diagnostic import PolicyError
    from callgate.policytest.checks import mismatches
    from callgate.resources import bundle_names

    where = bundle or policy["bundle"]
    if bundle is None and where not in bundle_names():
        click.echo(
            f"callgate: not tried: name the folder of the bundle `{where}` as PATH", err=True
        )
        return
    try:
        engine = Engine.load(where, {}, cache=True)
    except PolicyError:
        click.echo(f"callgate: not tried: `{where}` can't be used; see `callgate lint`", err=True)
        return
    wrong = mismatches(engine.decide(dict(case["call"])).to_dict(), case["expect"])
    if wrong:
        keys = ", ".join(item.key for item in wrong)
        also = "" if engine.graph.digest == policy["digest"] else _OTHER_GRAPH
        click.echo(f"callgate: the case does not pass in `{where}` ({keys}){also}", err=True)


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"`{path}` is too large for a test file")
    return data
