"""The tree of a shell text in lines: each command with its effects and what it runs below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from callgate.analysis.effect_view import EffectView, TreeNode
from callgate.analysis.texts import counted
from callgate.cli.effect_picture import severity_style
from callgate.cli.paint import MARKS, Line, cells, cut, wrapped

__all__ = ["listed_effects", "tree_lines"]

_MOST_LINES: Final = 400
_MOST_LISTED: Final = 100
_INDENT: Final = "  "
_LEAD: Final = 12

Joined = tuple[str, TreeNode]
"""A node with what joins it to the one before."""


def tree_lines(tree: TreeNode, effects: Mapping[int, EffectView], width: int) -> Iterator[Line]:
    """The lines of a tree."""
    walker = _Walker(effects, width)
    for count, line in enumerate(walker.level(_flat(tree, ""), _INDENT)):
        if count >= _MOST_LINES:
            yield [(_INDENT + "… and more; `--format json` has all of it", "dim")]
            return
        yield line
    yield from listed_effects([effects[number] for number in tree.effects], width)


def listed_effects(effects: Sequence[EffectView], width: int) -> Iterator[Line]:
    """Effects of no command, one below the other."""
    for effect in effects[:_MOST_LISTED]:
        yield from _effect(effect, _INDENT, _INDENT, width)
    if len(effects) > _MOST_LISTED:
        left = counted(len(effects) - _MOST_LISTED, "effect")
        yield [(f"{_INDENT}… and {left} more; `--format json` has all of it", "dim")]


def _effect(effect: EffectView, first: str, more: str, width: int) -> Iterator[Line]:
    """An effect with the guards that fire on it."""
    style = severity_style(effect)
    mark = MARKS.get(style, "·")
    lead = f"{effect.id} {mark} "
    why = f" ({'; '.join(effect.unresolved)})" if effect.unresolved else ""
    room = width - cells(first) - cells(lead)
    head, *rest = wrapped(f"{effect.phrase}{why}", max(20, room))
    yield [(first, "dim"), (f"{effect.id} ", "dim"), (f"{mark} {head}", style or "")]
    indent = " " * cells(lead)
    yield from ([(more, "dim"), (indent + line, style or "")] for line in rest)
    for decide in ("deny", "ask"):
        rules = [
            fired.rule + ("" if fired.sure else " (can't be told)")
            for fired in effect.guards
            if fired.decide == decide and not fired.idle
        ]
        yield from _rules(decide, rules, more + indent, width)
    idle = [f"{item.rule} ({item.idle})" for item in effect.guards if item.idle]
    yield from _rules("idle", idle, more + indent, width)


def _rules(word: str, rules: list[str], indent: str, width: int) -> Iterator[Line]:
    if not rules:
        return
    style = word if word in MARKS else "dim"
    names = wrapped(", ".join(rules), max(20, width - cells(indent) - 5))
    for number, line in enumerate(names):
        yield [(indent, "dim"), (f"{'' if number else word:<5}", style), (line, "name")]


def _flat(node: TreeNode, operator: str) -> list[Joined]:
    """The commands of pipelines and sequences one after the other, each with its operator."""
    if node.kind not in ("script", "sequence", "pipeline"):
        return [(operator, node)]
    found: list[Joined] = []
    for index, child in enumerate(node.children):
        joined = operator if index == 0 else child.operator or ";"
        found += _flat(child, joined)
    return found


class _Walker:
    def __init__(self, effects: Mapping[int, EffectView], width: int) -> None:
        self.effects = effects
        self.width = width
        # Where the call begins; a folder is named where it is another than that of the line before.
        self.cwd = "."

    def level(self, items: list[Joined], indent: str) -> Iterator[Line]:
        """Commands that stand beside each other."""
        size = max((cells(operator) for operator, _ in items), default=0)
        pad = max(2, size) + 1 if size else 0
        for operator, node in items:
            lead = f"{operator:>{pad - 1}} " if pad else ""
            yield from self._node(node, indent, lead, indent + " " * pad)

    def _node(self, node: TreeNode, indent: str, lead: str, more: str) -> Iterator[Line]:
        yield from self._head(node, indent, lead)
        shown = [number for number in node.effects if not self._plain_run(number)]
        told = any(self.effects[number].unresolved for number in shown)
        for why in () if told else node.unresolved:
            text = cut(f"not resolved: {why}", self.width - cells(more) - 3)
            yield [(more + "   ", ""), (text, "dim")]
        inner = [item for item in map(_named, node.children) if item[1]]
        blocks = len(inner)
        for index, number in enumerate(shown):
            last = index == len(shown) - 1 and not blocks
            first = more + ("╰─ " if last else "├─ ")
            rest = more + ("   " if last else "│  ")
            yield from _effect(self.effects[number], first, rest, self.width)
        for index, (title, items) in enumerate(inner):
            last = index == blocks - 1
            yield from self._inner(title, items, more, last)

    def _inner(self, title: str, items: list[Joined], more: str, last: bool) -> Iterator[Line]:
        """What a command runs, or a part of a compound command."""
        rest = more + ("   " if last else "│  ")
        branch = more + ("╰─ " if last else "├─ ")
        if title:
            yield [(branch, "dim"), (title, "dim")]
            branch = rest
        for number, line in enumerate(self.level(items, rest)):
            if number == 0 and not title:
                head = line[0][0]
                yield [(branch + head[len(rest) :], "dim"), *line[1:]]
            else:
                yield line

    def _plain_run(self, number: int) -> bool:
        """Whether an effect only says that a program runs, which its line says already."""
        effect = self.effects[number]
        return effect.form["kind"] == "run" and not severity_style(effect)

    def _head(self, node: TreeNode, indent: str, lead: str) -> Iterator[Line]:
        notes = []
        if node.stdin:
            notes.append(f"reads {node.stdin}")
        if node.kind == "command" and node.cwd and node.cwd != self.cwd:
            notes.append(f"in {node.cwd}")
            self.cwd = node.cwd
        room = self.width - cells(indent) - cells(lead)
        note = cut(" · ".join(notes), max(10, room // 2)) if notes else ""
        text = cut(node.text or node.kind, max(10, room - (cells(note) + 2 if note else 0)))
        gap = " " * max(2, room - cells(text) - cells(note)) if note else ""
        yield [(indent + lead, "dim"), (text, "strong"), (gap + note, "dim")]


def _named(child: TreeNode) -> tuple[str, list[Joined]]:
    """What stands below a command, with its title."""
    title = ""
    if child.via == "substitution":
        title = "substituted:"
    elif child.kind == "script" and child.via:
        title = f"text that {child.via} runs:"
    return title, _flat(child, cut(child.lead, _LEAD))
