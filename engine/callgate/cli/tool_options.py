"""What `tools` and `status` share: the context in which tools are looked at, and which tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from callgate.cli.one_call import call_of, is_text
from callgate.cli.paint import cut

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["context_of", "looked_at", "missing_of", "seen_options"]

_WIDEST: Final = 50
"""How much of a name is repeated."""

F = TypeVar("F", bound=Callable[..., Any])


def seen_options(command: F) -> F:
    """`--context` and `--missing`."""
    missing = click.option(
        "--missing",
        multiple=True,
        metavar="NAME",
        help="Something that the host found missing: what tools need, or a tool itself.",
    )
    context = click.option(
        "--context",
        "context",
        multiple=True,
        metavar="K=V",
        help="A field of the call's context, such as channel=telegram.",
    )
    return context(missing(command))


def context_of(program: Program, context: Sequence[str]) -> dict[str, Any]:
    """The context that was given; raises click.UsageError for one that no call may have."""
    found: dict[str, Any] = call_of("-", (), context).get("context", {})
    refused = program.unseen.approval({"tool": "-", "context": found}).failure
    if refused is not None and refused.node == 0:
        raise click.UsageError(f"--context: {refused.message}")
    return found


def missing_of(program: Program, missing: Sequence[str], names: Sequence[str]) -> list[str]:
    """What was said to be missing; raises click.UsageError for what looks like a slip."""
    from callgate.runtime.masking import escape

    _check("--missing", missing)
    tools = program.graph.document["tools"]
    known = {*tools, *names, *(need for tool in tools.values() for need in tool["needs"])}
    for name in missing:
        close = None if name in known else _closest(name, known)
        if close is not None:
            message = f"nothing needs `{cut(escape(name), _WIDEST)}`; did you mean `{close}`?"
            raise click.UsageError(f"--missing: {message}")
    return list(missing)


def looked_at(program: Program, names: Sequence[str]) -> list[str]:
    """The tools that are meant: those named, else the whole catalogue. Names that the policy does
    not know are told of on standard error, as they are judged as unknown tools."""
    from callgate.analysis.tool_rows import known_tools
    from callgate.runtime.masking import escape

    _check("TOOL", names)
    document = program.graph.document
    # What holds of any name tells nothing about one.
    nobody = _recognised(program, "-")
    for name in names:
        if name in document["tools"] or name in document["aliases"]:
            continue
        if _recognised(program, name) - nobody:
            continue
        close = _closest(name, (*document["tools"], *document["aliases"]))
        hint = f"; did you mean `{close}`?" if close else ""
        shown = cut(escape(name), _WIDEST)
        click.echo(f"callgate: `{shown}` is not in the catalogue{hint}", err=True)
    return list(dict.fromkeys(names)) or known_tools(program)


def _recognised(program: Program, name: str) -> set[str]:
    """The entries of `dynamic` that recognise a name."""
    frame = program.unseen.approval({"tool": name}).frame
    return {str(item["id"]) for item in program.unseen.program.classifier.dynamic(frame)}


def _check(what: str, names: Sequence[str]) -> None:
    """Raise click.UsageError for what can't be a name."""
    for name in names:
        if not name or not is_text(name):
            raise click.UsageError(f"{what} takes a name, as text in UTF-8")


def _closest(name: str, known: Any) -> str | None:
    from callgate.model.suggest import closest

    return closest(name, sorted(known))
