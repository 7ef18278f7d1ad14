"""What `callgate eval --compare` writes: for people, for programs, for a pull request."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from callgate.analysis.compare import KINDS, Comparison, Group, Side
from callgate.analysis.texts import counted
from callgate.cli.paint import MARKS, Line, Painter, cut
from callgate.cli.writers import write_json

if TYPE_CHECKING:
    from callgate.engine import Engine

__all__ = ["write_report"]

_TITLES: Final = {
    "allowed": "Now allowed",
    "weaker": "Asked for, no longer denied",
    "stricter": "Stricter",
}
_STYLES: Final = {"allowed": "deny", "weaker": "ask", "stricter": "allow"}
_TICKS: Final = re.compile("`+")


def write_report(
    comparison: Comparison,
    before: Engine,
    after: Engine,
    skipped: Mapping[str, int],
    invalid: int,
    format_: str,
) -> None:
    """Write a comparison on standard output. `skipped`: why recorded decisions were left out → how
    many; `invalid`: how many lines were no calls; `format_`: pretty, json or markdown."""
    if format_ == "json":
        write_json(_form(comparison, before, after, skipped, invalid))
        return
    left_out = [
        f"{counted(count, 'decision')} not compared: {why}" for why, count in skipped.items()
    ]
    if invalid:
        left_out.append(f"{counted(invalid, 'line')} not compared: no valid call")
    if format_ == "markdown":
        sys.stdout.writelines(f"{line}\n" for line in _markdown(comparison, left_out))
        return
    painter = Painter()
    painter.write(_pretty(comparison, painter))
    painter.write([[("  " + text, "dim")] for text in left_out])


def _summary(comparison: Comparison) -> str:
    total = counted(comparison.calls, "call")
    if not comparison.changed:
        return f"{total}: none is decided otherwise"
    parts = [
        f"{comparison.counts[kind]:,} {_TITLES[kind].lower()}"
        for kind in KINDS
        if comparison.counts[kind]
    ]
    return f"{total}, {comparison.changed:,} decided otherwise: {'; '.join(parts)}"


def _form(
    comparison: Comparison,
    before: Engine,
    after: Engine,
    skipped: Mapping[str, int],
    invalid: int,
) -> dict[str, Any]:
    return {
        "before": _policy(before),
        "after": _policy(after),
        "calls": comparison.calls,
        "changed": comparison.changed,
        **{kind: comparison.counts[kind] for kind in KINDS},
        "groups": [
            {
                "kind": group.kind,
                "before": group.before._asdict(),
                "after": group.after._asdict(),
                "count": group.count,
                "examples": [example._asdict() for example in group.examples],
            }
            for group in comparison.groups()
        ],
        "ungrouped": comparison.ungrouped,
        "skipped": [{"why": why, "count": count} for why, count in skipped.items()],
        "invalid": invalid,
    }


def _policy(engine: Engine) -> dict[str, Any]:
    bundle = engine.graph.document["bundle"]
    return {
        "bundle": bundle["name"],
        "version": bundle["version"],
        "digest": engine.graph.digest,
    }


# -- for people


def _pretty(comparison: Comparison, painter: Painter) -> Iterator[Line]:
    kind = ""
    for group in comparison.groups():
        if group.kind != kind:
            kind = group.kind
            yield [
                (f"{_TITLES[kind]}: ", _STYLES[kind]),
                (f"{comparison.counts[kind]:,}", "strong"),
            ]
        yield from _group(group, painter)
        yield []
    if comparison.ungrouped:
        yield [(f"… and {counted(comparison.ungrouped, 'call')} by other rules", "dim")]
    yield [(_summary(comparison), "strong")]


def _group(group: Group, painter: Painter) -> Iterator[Line]:
    yield [
        ("  ", ""),
        *_side(group.before),
        ("  →  ", "dim"),
        *_side(group.after),
        (f"  {counted(group.count, 'call')}", "strong"),
    ]
    for example in group.examples:
        yield [
            (f"    {example.name}  ", "dim"),
            (cut(example.call, max(40, painter.columns - len(example.name) - 6)), ""),
        ]
    if group.examples and (more := group.count - len(group.examples)):
        yield [(f"    … and {more:,} more", "dim")]


def _side(side: Side) -> Line:
    because = f" ({side.because})" if side.because else ""
    return [
        (f"{MARKS[side.decision]} {side.decision} ", side.decision),
        (side.rule + because, "name"),
    ]


# -- for a pull request


def _markdown(comparison: Comparison, left_out: list[str]) -> Iterator[str]:
    yield f"**{_summary(comparison)}**"
    kind = ""
    for group in comparison.groups():
        if group.kind != kind:
            kind = group.kind
            yield from ("", f"### {_TITLES[kind]}: {comparison.counts[kind]:,}", "")
        sides = " → ".join(map(_side_text, (group.before, group.after)))
        yield f"- {sides}: {counted(group.count, 'call')}"
        for example in group.examples:
            yield f"  - {_code(example.name)} {_code(example.call)}"
        if group.examples and (more := group.count - len(group.examples)):
            yield f"  - … and {more:,} more"
    if comparison.ungrouped:
        yield from ("", f"… and {counted(comparison.ungrouped, 'call')} by other rules")
    if left_out:
        yield ""
        yield from (f"- {text}" for text in left_out)


def _side_text(side: Side) -> str:
    because = f" ({_code(side.because)})" if side.because else ""
    return f"{side.decision} by {_code(side.rule)}{because}"


def _code(text: str) -> str:
    """A text of whoever made the call, so that nothing in it is read as Markdown."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{space}{text}{space}{fence}"
