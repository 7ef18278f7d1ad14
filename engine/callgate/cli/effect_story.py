"""What a call would do, as text: the picture, the tree, the rules that mind, the decision."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.analysis.effect_view import EffectsView, RuleView
from callgate.analysis.wording import WAITS
from callgate.cli.effect_picture import picture_of
from callgate.cli.effect_tree_lines import listed_effects, tree_lines
from callgate.cli.paint import MARKS, Line, cells, pad, wrapped

__all__ = ["effects_story"]

_MOST_IDS = 12


def effects_story(view: EffectsView, width: int) -> Iterator[Line]:
    """The lines of a view, at most `width` cells wide where words allow it."""
    told = view.decision
    name, called = told["tool"], told["called_as"]
    yield [(name if name == called else f"{called} → {name}", "strong")]
    effects = {effect.id: effect for effect in view.effects}
    for argument in view.arguments:
        found = list(view.of_argument(argument.name))
        yield []
        yield [(f"  {argument.name}", "dim")]
        yield from picture_of(argument, found, width)
    for argument in view.arguments:
        yield []
        if argument.tree is None:
            title = f"What {argument.name} leads to" if len(view.arguments) > 1 else "What it does"
            yield [(title, "strong")]
            yield from listed_effects(list(view.of_argument(argument.name)), width)
            continue
        title = f"What {argument.name} runs" if len(view.arguments) > 1 else "What it runs"
        yield [(title, "strong")]
        yield from tree_lines(argument.tree, effects, width)
    if view.placeless:
        yield []
        yield [("Effects without a place in a text", "strong")]
        yield from listed_effects(list(view.placeless), width)
    if not view.effects:
        yield []
        yield [("No effects that Callgate knows of.", "dim")]
    yield from _rules(view, width)
    yield []
    yield from _decision(view, width)


def _rules(view: EffectsView, width: int) -> Iterator[Line]:
    if not view.rules:
        return
    yield []
    yield [("Rules that mind", "strong")]
    for rule in view.rules:
        yield from _rule(rule, width)
    if not view.judged:
        yield [("  there was too much to try every rule on every effect", "ask")]


def _rule(rule: RuleView, width: int) -> Iterator[Line]:
    style = "dim" if rule.idle else rule.decide if rule.decide in MARKS else "dim"
    mark = MARKS.get(rule.decide, "·")
    place = f"  {rule.place}" if rule.place else ""
    on = _numbers(rule.effects) if rule.effects else "the call as a whole"
    label = pad(f"  {mark} {rule.decide}", 9)
    gap = max(2, width - cells(label) - cells(rule.rule) - cells(on))
    yield [(label, style), (rule.rule, "name"), (" " * gap + on, "dim")]
    if rule.decide not in MARKS:
        return
    lines = wrapped(rule.reason, width - 9)
    yield from ([(" " * 9, ""), (line, "")] for line in lines)
    notes = [place.strip()] if place else []
    if rule.approval == "person":
        notes.append("only a person lifts it")
    if rule.idle:
        notes.append(
            "a shadow: decides nothing"
            if rule.idle == "shadow"
            else f"decides nothing: exception {rule.idle}"
        )
    if notes:
        for line in wrapped(" · ".join(notes), width - 9):
            yield [(" " * 9, ""), (line, "dim")]


def _numbers(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:_MOST_IDS]))
    more = f" and {len(numbers) - _MOST_IDS} more" if len(numbers) > _MOST_IDS else ""
    return f"effect{'' if len(numbers) == 1 else 's'} {shown}{more}"


def _decision(view: EffectsView, width: int) -> Iterator[Line]:
    told = view.decision
    decision = told["decision"]
    named = {rule.rule for rule in view.rules if not rule.idle}
    head = f"{MARKS[decision]} {decision}"
    why = "" if told["rule"] in named else f": {told['reason']}"
    if told["pending"]:
        who = told["pending"]["consult"]
        waits = f", waits for {WAITS.get(who, who)}"
        why = waits + ("" if any(rule.decide == "ask" for rule in view.rules) else why)
    first, *rest = wrapped(f"by {told['rule']}{why}", width - cells(head) - 2)
    yield [(head, decision), ("  ", ""), (first, "")]
    yield from ([(" " * (cells(head) + 2), ""), (line, "")] for line in rest)
    if told["assumed"]:
        assumed = f"assumed, as nobody observed it: {', '.join(told['assumed'])}"
        yield from ([("  " + line, "dim")] for line in wrapped(assumed, width - 2))
