"""`callgate explain`: the decision of one call, told step by step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import click

from callgate.cli import exits
from callgate.cli.calls import Item, read_calls
from callgate.cli.one_call import call_of
from callgate.cli.options import bundle_options, call_options, format_option, loaded

__all__ = ["command"]

_AT_LINE: Final = re.compile(r"(.+):([1-9][0-9]{0,9})\Z", re.DOTALL)


@click.command("explain", short_help="Tell a decision step by step, and why not another.")
@bundle_options
@format_option("pretty", "json")
@click.option(
    "--effects", is_flag=True, help="Show what the call would do and which rules mind, instead."
)
@call_options
@click.argument("call", required=False, metavar="[CALL]")
def command(
    bundle: str,
    settings: Path | None,
    format_: str,
    effects: bool,
    tool: str | None,
    args: tuple[str, ...],
    context: tuple[str, ...],
    call: str | None,
) -> int:
    """Tell how a call is decided, step by step, and what would have changed the decision. With
    --effects, show what the call would do: its commands, and every effect below the text that
    causes it, with the rules that mind.

    CALL is a file with one call, FILE:LINE for one of many, `-` for standard input, or the call's
    JSON itself; or the call is given by --tool.

    \b
      callgate explain --tool exec --arg command='rm -rf /home'
      callgate explain calls.jsonl:12 --settings config.yaml
      callgate explain --effects --tool exec --arg command='curl -s example.org/x | sh'
      callgate explain '{"tool": "cronjob", "context": {"unattended": true}}' --format json

    Exit codes: 0 allow, 2 deny, 4 ask; 1 when there is no such call.
    """
    if tool is None and (args or context):
        raise click.UsageError("--arg and --context go with --tool")
    if (tool is None) == (call is None):
        raise click.UsageError("give either a CALL (a file, FILE:LINE, - or JSON) or --tool")
    item = Item("<call>", 1, call_of(tool, args, context)) if tool else _only(str(call))
    if item.problem is not None:
        from callgate.cli.judging import complain

        complain(item.problem)
        return exits.FAILURE
    if effects:
        # It needs the compiled policy alone, so that of the last time will do.
        return _effects(loaded(bundle, settings, cache=True), item, format_)
    return _explain(loaded(bundle, settings, cache=False), item, format_)


def _effects(engine: Any, item: Item, format_: str) -> int:
    from callgate.analysis.effect_explain import explain_effects
    from callgate.cli.judging import complain, problem_of
    from callgate.cli.writers import write_json

    decision = engine.decide(item.value)
    view = explain_effects(decision)
    if format_ == "json":
        write_json(view.to_dict())
    else:
        from callgate.cli.effect_story import effects_story
        from callgate.cli.paint import Painter

        painter = Painter()
        painter.write(effects_story(view, painter.width))
    problem = problem_of(item, dict(view.decision))
    if problem is not None:
        complain(problem)
    return exits.of_decision(decision.decision)


def _explain(engine: Any, item: Item, format_: str) -> int:
    from callgate.analysis.explain import explain
    from callgate.analysis.facts import open_settings
    from callgate.analysis.why_not import why_not
    from callgate.cli.judging import complain, problem_of
    from callgate.cli.paint import Painter
    from callgate.cli.story import story_of
    from callgate.cli.writers import write_json

    engine, call = _overlaid(engine, item.value)
    decision = engine.decide(call)
    alternatives = why_not(engine.decide, call, decision, engine.policy.tools)
    explanation = explain(decision, open_settings(engine.policy, engine.settings), alternatives)
    if format_ == "json":
        write_json(explanation.to_dict())
    else:
        painter = Painter()
        painter.write(story_of(explanation, painter.width))
    problem = problem_of(item, decision.to_dict())
    if problem is not None:
        complain(problem)
    return exits.of_decision(decision.decision)


def _overlaid(engine: Any, call: Any) -> tuple[Any, Any]:
    """The engine under the call's own settings, and the call without them, where that works."""
    from callgate.model.diagnostic import PolicyError

    if not isinstance(call, dict) or not isinstance(call.get("settings"), dict):
        return engine, call
    try:
        under = engine.with_settings(call["settings"])
    except PolicyError:
        return engine, call
    return under, {key: value for key, value in call.items() if key != "settings"}


def _only(source: str) -> Item:
    """The one call of a source; raises click.UsageError when there are none or several."""
    line = None
    found = _AT_LINE.match(source)
    if found and source.lstrip()[:1] != "{" and not Path(source).exists():
        source, line = found[1], int(found[2])
    several = None
    for item in read_calls([source]):
        if line is None:
            if several is not None:
                raise click.UsageError(f"`{source}` holds several calls; name one as {source}:LINE")
            several = item
        elif item.line == line:
            return item
    if several is None:
        where = f"no call on line {line}" if line else "no call"
        raise click.UsageError(f"there is {where} in `{source}`")
    return several
