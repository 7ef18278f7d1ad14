"""`callgate eval`: decide calls in a dry run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

from callgate.cli import exits
from callgate.cli.calls import STDIN, Item, read_calls, total_bytes
from callgate.cli.compare_options import Comparing, compare_options
from callgate.cli.one_call import call_of, json_hint
from callgate.cli.options import bundle_options, call_options, format_option, loaded
from callgate.cli.paint import Painter
from callgate.cli.recording import Judged, recording
from callgate.cli.writers import JsonArray, JsonLines, Table, Writer

__all__ = ["command"]


@click.command("eval", short_help="Decide calls in a dry run.")
@bundle_options
@format_option("pretty", "json", "jsonl", "markdown")
@call_options
@compare_options
@click.option(
    "--exit-on",
    type=click.Choice(["deny", "ask"]),
    help="With files: exit 2 when a call is denied; with `ask` also 4 when one must be asked for.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Record each decision there, to be read by `callgate log --records DIR`.",
)
@click.argument("calls", nargs=-1, metavar="[CALLS…|-]")
def command(
    bundle: str,
    settings: Path | None,
    format_: str,
    tool: str | None,
    args: tuple[str, ...],
    context: tuple[str, ...],
    exit_on: str | None,
    comparing: Comparing | None,
    record: Path | None,
    calls: tuple[str, ...],
) -> int:
    """Decide calls without running anything.

    CALLS are files with one call per line (JSON Lines), `-` for standard input, or a call's JSON
    itself. One call may be given by --tool instead.

    \b
      callgate eval --tool exec --arg command='git status' --context channel=cli
      callgate eval '{"tool": "read_file", "args": {"path": "notes.md"}}' --format json
      callgate eval calls.jsonl --settings config.yaml --exit-on deny
      agent-log | callgate eval - --format jsonl
      callgate eval calls.jsonl --record ./records
      callgate eval --compare policies/new --fail-on allow calls.jsonl

    With --compare, CALLS may also be folders of records or their SQLite files. Each call is decided
    by both policies, --bundle being the one that is in force; those that come out otherwise are
    shown by the rules that decide, what becomes allowed first. Recorded calls are compared with
    what was observed but without the answers: what somebody said then is not what a policy says.
    Those that can't be decided again are counted.

    Exit codes: of one call 0 allow, 2 deny, 4 ask; of files and standard input 0 when every call
    was decided, 1 when a line was not a call. With --compare 0, 1 when something could not be
    read, 3 for what --fail-on asks for.
    """
    if tool is None and (args or context):
        raise click.UsageError("--arg and --context go with --tool")
    if tool is None and not calls:
        raise click.UsageError("no calls: name files, `-` for standard input, or a --tool")
    if tool is not None and calls:
        raise click.UsageError("give either CALLS or --tool, not both")
    single = tool is not None or (len(calls) == 1 and calls[0].lstrip()[:1] == "{")
    given = call_of(tool, args, context) if tool is not None else None
    if comparing is not None:
        if record is not None:
            raise click.UsageError("--record goes without --compare, which decides nothing")
        from callgate.cli.compare import compare

        return compare(comparing, bundle, settings, given, calls, format_)
    engine = loaded(bundle, settings, cache=True)
    with recording(engine, record) as judged:
        if single:
            item = Item("<call>", 1, given) if given else next(iter(read_calls(calls)))
            return _one(judged, item, format_, typed=given is not None)
        return _many(judged, calls, format_, exit_on)


def _one(judged: Judged, item: Item, format_: str, typed: bool) -> int:
    """Decide the one call of the command line; `typed`: its arguments are options."""
    from callgate.cli.judging import complain, problem_of, tell

    decision = judged.decide(item)
    told = tell(item, decision)
    if format_ == "pretty":
        from callgate.cli.card import card_of

        painter = Painter()
        painter.write(card_of(told, painter.width))
    else:
        writer = JsonLines(live=True) if format_ == "jsonl" else JsonArray()
        writer.write(told, "")
        writer.close()
    problem = problem_of(item, told)
    if problem is not None:
        hint = json_hint(problem.message, item.value) if typed else ""
        complain(replace(problem, help=hint) if hint else problem)
    return exits.of_decision(decision.decision)


def _many(judged: Judged, sources: tuple[str, ...], format_: str, exit_on: str | None) -> int:
    """Decide every line of the sources, in constant memory."""
    from callgate.cli.judging import complain, problem_of, tell
    from callgate.cli.progress import Progress

    live = STDIN in sources
    progress = Progress(total_bytes(sources))
    painter = Painter()
    writer = _writer(format_, painter, live)
    name_of = _namer(sources)
    seen: set[str] = set()
    broken = False
    for item in read_calls(sources, progress.advanced):
        decision = judged.decide(item)
        told = tell(item, decision)
        problem = problem_of(item, told)
        if painter.terminal or problem is not None:
            progress.clear()
        if problem is not None:
            broken = True
            complain(problem)
        writer.write(told, name_of(item))
        seen.add(decision.decision)
        progress.called()
    progress.clear()
    writer.close()
    sys.stdout.flush()
    if broken:
        return exits.FAILURE
    if exit_on and "deny" in seen:
        return exits.DENY
    return exits.ASK if exit_on == "ask" and "ask" in seen else exits.OK


def _namer(sources: Sequence[str]) -> Callable[[Item], str]:
    """What a call without an id is called: by its line, and its file where there are several."""
    if len(sources) < 2:
        return lambda item: str(item.line)
    names = {Path(source).name for source in sources}
    if len(names) < len(sources):
        return lambda item: f"{item.file}:{item.line}"
    return lambda item: f"{Path(item.file).name}:{item.line}"


def _writer(format_: str, painter: Painter, live: bool) -> Writer:
    if format_ == "jsonl":
        return JsonLines(live)
    return JsonArray() if format_ == "json" else Table(painter, live)
