"""`callgate new rule`: add a guard to a bundle."""

from __future__ import annotations

from pathlib import Path

import click

from callgate.cli.new_entry import bundle_option, example, one_of, write_entry

__all__ = ["command"]

_DECISIONS = ("deny", "ask", "note")
_SEVERITIES = ("critical", "high", "medium", "low", "info")


@click.command("rule", short_help="Add a guard.")
@bundle_option
@click.option("--title", metavar="TEXT", help="What it is about (default: from its id).")
@click.option(
    "--decide",
    metavar="DECISION",
    default="ask",
    show_default=True,
    help="What it does where it holds: deny, ask or note.",
)
@click.option(
    "--each",
    required=True,
    metavar="EFFECT",
    help="The kind of effect that it looks at: delete, write, read, connect, run …",
)
@click.option("--when", default="", metavar="CONDITION", help="Which of them (default: all).")
@click.option("--severity", metavar="WORD", help="critical, high, medium, low or info.")
@click.option("--reason", metavar="TEXT", help="What people are told (default: the title).")
@click.option("--match", multiple=True, metavar="CALL", help="A call that it must match.")
@click.option("--pass", "passes", multiple=True, metavar="CALL", help="One that it must pass.")
@click.argument("rule_id", metavar="ID")
def command(
    bundle: Path | None,
    title: str | None,
    decide: str,
    each: str,
    when: str,
    severity: str | None,
    reason: str | None,
    match: tuple[str, ...],
    passes: tuple[str, ...],
    rule_id: str,
) -> int:
    """Add a guard with the id ID, `WORD.WHAT-IT-MINDS`, to the file of the guards that begin with
    WORD, or else to a new guards/WORD.yaml. In its condition the effect is called by the first
    letter of its kind. CALL is a command, or a whole call as JSON.

    \b
      callgate new rule shop.prices --decide deny --each write \\
          --when 'w.path under "/srv/prices"' \\
          --match 'echo 1 > /srv/prices/a' --pass 'cat /srv/prices/a'

    Where the bundle could not be used with it, nothing is added.

    Exit codes: 0 added, 1 not, 3 added to a bundle that has other errors.
    """
    from callgate.scaffold.entries import new_rule

    one_of(decide, _DECISIONS, "a decision of a guard")
    if severity is not None:
        one_of(severity, _SEVERITIES, "a severity")
    words = rule_id.rpartition(".")[2].replace("-", " ").strip()
    title = title or words[:1].upper() + words[1:]
    told = reason or f"{title[:1].lower()}{title[1:]}; say here why not, and what to do instead"
    addition = new_rule(
        rule_id,
        title,
        decide,
        each,
        when,
        told,
        [example(text) for text in match],
        [example(text) for text in passes],
        severity or "",
    )
    missing = {
        "its condition": not when,
        "its severity": severity is None and decide != "note",
        "its reason": reason is None,
        "calls that it must match and pass": not (match and passes),
    }
    todo = ", ".join(what for what, is_missing in missing.items() if is_missing)
    next_ = f"write {todo}; see `callgate lint`" if todo else "callgate test"
    return write_entry(bundle, f"the rule {rule_id}", [addition], next_)
