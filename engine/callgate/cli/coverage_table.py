"""Coverage as tables: what each rule did; and each file, with the steps and rules that have
something missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from callgate.analysis.texts import counted
from callgate.cli.paint import Line, cut, pad
from callgate.policytest.coverage import Coverage
from callgate.policytest.coverage.lines import File
from callgate.policytest.coverage.plan import Item
from callgate.policytest.coverage.summary import Figure, Figures, figures, missing

__all__ = ["rules_table", "table"]

_NAME: Final = 40
_FIGURES: Final = (9, 10, 11)


def rules_table(coverage: Coverage) -> list[Line]:
    """How often each rule decided, held and did not hold."""
    rows = list(coverage.rules.values())
    width = max((len(row.rule) for row in rows), default=4)
    lines: list[Line] = [[(f"{pad('RULE', width)}  DECIDED   HELD  DID NOT HOLD", "dim")]]
    for row in rows:
        passed = str(row.passed) if row.conditional else "–"
        text = f"{pad(row.rule, width)}  {row.decided:>7}  {row.held:>5}  {passed:>12}"
        lines.append([(text, "" if row.covered else "ask")])
    covered = sum(row.covered for row in rows)
    text = f"{covered} of {counted(len(rows), 'rule')} covered: held, and did not hold if it can"
    return [*lines, [(text, "strong")]]


def table(coverage: Coverage, files: list[File], width: int) -> list[Line]:
    """The lines of the table, at most `width` cells wide."""
    heads = ("nodes", "branches", "parts")
    head = "".join(f"{text:>{cells}}" for text, cells in zip(heads, _FIGURES, strict=True))
    lines: list[Line] = [[(f"{'file, step or rule':<{_NAME}}{head}      %  lines", "dim")]]
    for file in files:
        found = figures(coverage, file.items)
        lines.append(_row(_tail(file.name, _NAME), found, "", "strong", width))
        groups = _groups(file.items)
        for name, items in groups.items():
            places = {one.place[1] for one in missing(coverage, items)}
            if places:
                numbers = ", ".join(map(str, sorted(places)))
                lines.append(_row(f"  {name}", figures(coverage, items), numbers, "", width))
    total = figures(coverage)
    lines += [[], _row("all", total, "", "strong", width), *_below(coverage, total)]
    return lines


def _groups(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Items by the step or rule that they belong to: an answer to the rule that asks."""
    found: dict[str, list[Item]] = {}
    for item in items:
        name = item.name.rpartition(".")[0] if item.kind == "answer" else item.name
        found.setdefault(name, []).append(item)
    return found


def _row(name: str, found: Figures, places: str, style: str, width: int) -> Line:
    figures_ = (found.nodes, found.branches, found.parts)
    all_ = found.nodes + found.branches + found.parts
    cells: Line = [(pad(cut(name, _NAME - 1), _NAME), style)]
    for figure, size in zip(figures_, _FIGURES, strict=True):
        text = f"{figure.reached}/{figure.total}" if figure.total else "–"
        cells.append((f"{text:>{size}}", _style(figure)))
    cells.append((f"{int(all_.percent):>7}", _style(all_)))
    room = width - _NAME - sum(_FIGURES) - 9
    cells.append((f"  {cut(places, max(room, 8))}" if places else "", "dim"))
    return cells


def _style(figure: Figure) -> str:
    if not figure.total:
        return "dim"
    return "allow" if figure.reached == figure.total else "ask" if figure.reached else "deny"


def _tail(name: str, width: int) -> str:
    """The end of a path says more than its beginning."""
    return name if len(name) < width else "…" + name[-(width - 2) :]


def _below(coverage: Coverage, total: Figures) -> list[Line]:
    lines: list[Line] = []
    if total.unknown:
        lines.append([(f"{counted(total.unknown, 'part')} unknown some time", "dim")])
    lines.extend(
        [(f"left out: {item.name}, as {item.excluded}", "dim")]
        for item in coverage.plan.items.values()
        if item.excluded
    )
    return lines
