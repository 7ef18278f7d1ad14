"""Counts of decisions as a table with bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from callgate.cli.log_table import safe
from callgate.cli.paint import Line, Painter, cells, cut, pad, wrapped

__all__ = ["bar", "duration", "stats_lines"]

_CELLS: Final = 10
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
_LONGEST: Final = 34
_NUMBERS: Final = {"fired": "", "allowed": "allow", "asked": "ask", "denied": "deny"}
_TIMES: Final = {"median_us": "MEDIAN", "p95_us": "95 %"}
_TIME: Final = 7
_NAMED: Final = 30
"""So many of the rules that never fired are named."""
_UNITS: Final = (
    (86_400_000_000, "d"),
    (3_600_000_000, "h"),
    (60_000_000, "min"),
    (1_000_000, "s"),
    (1_000, "ms"),
)


def stats_lines(form: Mapping[str, Any], painter: Painter) -> Iterator[Line]:
    """The lines of what `callgate log stats --format json` writes."""
    by, rows = form["by"], form["rows"]
    if not rows:
        yield [("no decisions", "")]
        return
    told = [(safe(row[by]) or "(none)", row) for row in rows]
    widths = {name: max(7, *(len(f"{row[name]:,}") for row in rows)) for name in _NUMBERS}
    answered = any(row["answered"] for row in rows)
    taken = sum(widths.values()) + 2 * len(widths) + _CELLS + 2
    taken += (_TIME + 2) * len(_TIMES) if answered else 0
    longest = max(len(by), *(cells(key) for key, _ in told))
    width = min(longest, max(12, painter.columns - taken) if painter.terminal else _LONGEST)
    head = pad(by.upper(), width) + "".join(f"  {name.upper():>{widths[name]}}" for name in widths)
    times = "".join(f"  {name:>{_TIME}}" for name in _TIMES.values()) if answered else ""
    yield [(head + " " * (_CELLS + 2) + times, "dim")]
    most = max(row["fired"] for row in rows)
    for key, row in told:
        line: Line = [(pad(cut(key, width), width), "name")]
        for name, style in _NUMBERS.items():
            count = row[name]
            line.append((f"  {count:>{widths[name]},}", style if count else "dim"))
        shown = bar(row["fired"], most, blocks=painter.terminal and _can(painter))
        line.append((f"  {pad(shown, _CELLS)}", "strong"))
        if answered:
            line += [(f"  {duration(row[name]):>{_TIME}}", "") for name in _TIMES]
        yield line
    yield []
    yield from _foot(form, painter)


def _foot(form: Mapping[str, Any], painter: Painter) -> Iterator[Line]:
    between = f"{form['since'][:19].replace('T', ' ')} to {form['until'][:19].replace('T', ' ')}"
    count = form["records"]
    said = f"{count:,} {'decision' if count == 1 else 'decisions'}, {between} UTC"
    yield [(said, "strong")]
    if form["others"]:
        yield [(f"{form['others']:,} more under further keys, which are not told apart", "dim")]
    never = form["never_fired"]
    if never:
        more = f" and {len(never) - _NAMED:,} more" if len(never) > _NAMED else ""
        names = ", ".join(map(safe, never[:_NAMED]))
        text = f"{len(never):,} of the policy's rules never fired: {names}{more}"
        yield from ([(line, "dim")] for line in wrapped(text, painter.width))
    elif never is not None:
        yield [("each of the policy's rules fired", "dim")]
    elif form["never_fired_unknown"]:
        why = f"which rules never fired is not known: {safe(form['never_fired_unknown'])}"
        yield from ([(line, "dim")] for line in wrapped(why, painter.width))


def _can(painter: Painter) -> bool:
    """Whether the stream's encoding has blocks."""
    try:
        _EIGHTHS.encode(getattr(painter.stream, "encoding", None) or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def bar(count: int, most: int, *, blocks: bool) -> str:
    """A bar of at most ten cells: as long, to the longest, as `count` is to `most`; never empty for
    what happened at all. `blocks`: of block characters, else of `#`."""
    if not blocks:
        return "#" * (max(1, round(count / most * _CELLS)) if count else 0)
    eighths = max(1, round(count / most * _CELLS * 8)) if count else 0
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def duration(microseconds: int | None) -> str:
    """A duration as people read it: `850 µs`, `1.2 s`, `4 min`; "" for None."""
    if microseconds is None:
        return ""
    for size, unit in _UNITS:
        if microseconds >= size:
            number = microseconds / size
            return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"
    return f"{microseconds} µs"
