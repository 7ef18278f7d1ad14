"""An explanation as text: the decision, the steps, and what would have changed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from callgate.analysis.explanation import Change, Explanation, StepStory, TestStory, WhyNot
from callgate.analysis.wording import QUESTIONS
from callgate.cli.paint import MARKS, Line, cells, cut, pad, wrapped

__all__ = ["deciding_lines", "step_lines", "story_of"]

_STATE: Final = {"passed": "↓", "skipped": "–", "off": "○", "failed": "!", "pending": "?"}
_INDENT: Final = 9
_WORD: Final = 5


def story_of(explanation: Explanation, width: int) -> list[Line]:
    """The lines of an explanation, at most `width` cells wide where words allow it."""
    return [
        *_head(explanation, width),
        [],
        [("How it was decided", "strong")],
        *_steps(explanation, width),
        *_why_not(explanation, width),
    ]


def _head(explanation: Explanation, width: int) -> Iterator[Line]:
    told = explanation.decision
    decision = told["decision"]
    first, *rest = wrapped(explanation.call, width - 10)
    yield [(f"{MARKS[decision]} {decision:<6}", decision), ("  ", ""), (first, "strong")]
    yield from ([(" " * 10, ""), (line, "strong")] for line in rest)
    yield from ([(" " * 10, ""), (line, "")] for line in wrapped(told["reason"], width - 10))
    place = f"  {explanation.place}" if explanation.place else ""
    yield [(" " * 10 + "by ", "dim"), (told["rule"], "name"), (place, "dim")]
    policy = told["policy"]
    about = f"policy {policy['bundle']} {policy['version']}, {policy['digest'][:19]}"
    yield [(" " * 10 + about, "dim")]
    if told["assumed"]:
        assumed = "assumed, as nobody observed it: " + ", ".join(told["assumed"])
        yield from ([(" " * 10 + line, "dim")] for line in wrapped(assumed, width - 10))
    if not any(test.kind == "shows" and test.facts for s in explanation.steps for test in s.tests):
        text = f"risk {told['risk']} ({_sources(explanation.risk)})" if explanation.risk else ""
        yield from _indented(text, width, 10, "dim")


# -- steps


def _steps(explanation: Explanation, width: int) -> Iterator[Line]:
    number = 0
    waiting: list[str] = []
    for step in explanation.steps:
        number += step.state != "off"
        if step.state == "not reached":
            waiting.append(step.title)
        if step.state == "not reached" or (step.state == "off" and step.id == "otherwise"):
            continue
        yield from _step(explanation, step, number, width)
    if waiting:
        yield from _indented(f"not reached: {', '.join(waiting)}", width, _INDENT, "dim")


def _step(explanation: Explanation, step: StepStory, number: int, width: int) -> Iterator[Line]:
    decision = str(explanation.decision["decision"])
    mark, style = _STATE.get(step.state, MARKS[decision]), "dim"
    if step.state in ("decided", "pending", "failed"):
        style = decision
    count = "" if step.state == "off" else str(number)
    title = cut(step.title, width - _INDENT - 2 - cells(step.summary))
    gap = " " * (width - _INDENT - cells(title) - cells(step.summary))
    yield [
        (f"{count:>4}  {mark}  ", style),
        (title, "strong" if step.state not in ("off", "skipped") else "dim"),
        (gap + step.summary, style),
    ]
    for test in step.tests:
        yield from _test(test, width)
    yield from _off(step, width)


def _off(step: StepStory, width: int) -> Iterator[Line]:
    """What these settings switched off in the step, and why."""
    if step.state == "off":
        for why in dict.fromkeys(why for _, why in step.off if why):
            yield from _indented(why, width, _INDENT + _WORD, "dim")
        return
    for title, why in step.off:
        first, *rest = wrapped(f"{title} ({why})" if why else title, width - _INDENT - _WORD)
        yield [(" " * _INDENT + pad("off", _WORD) + first, "dim")]
        yield from ([(" " * (_INDENT + _WORD) + line, "dim")] for line in rest)


def _test(test: TestStory, width: int) -> Iterator[Line]:
    word, style = _value(test)
    if test.kind == "shows":
        yield from _indented(_sources(test.facts), width, _INDENT + _WORD, "dim")
        return
    guards = test.kind in ("guard", "shadow", "exception")
    text = test.reason if guards else test.text
    if test.kind == "answer":
        text = QUESTIONS.get(test.text, test.text)
        text += f" {test.value}" if test.value else " No answer yet."
    elif test.kind == "held":
        text = test.note or "no ask stands in the way of this allow"
    titled = test.kind == "rule" and bool(test.title)
    first, *rest = wrapped(test.title if titled else text, width - _INDENT - _WORD)
    yield [(" " * _INDENT + pad(word, _WORD), style), (first, "")]
    yield from ([(" " * (_INDENT + _WORD), ""), (line, "")] for line in rest)
    if titled:
        yield from _indented(text, width, _INDENT + _WORD, "")
    if guards:
        yield from _indented(test.text, width, _INDENT + _WORD, "")
    facts = " · ".join(f"{name} = {value}" for name, value in test.facts)
    yield from _indented(facts, width, _INDENT + _WORD + 2, "dim")
    if guards:
        place = f"{test.file}:{test.line}" if test.file else ""
        yield from _indented(f"{test.rule}  {place}", width, _INDENT + _WORD + 2, "dim")
    if test.note and test.kind not in ("held", "answer"):
        yield from _indented(test.note, width, _INDENT + _WORD + 2, "dim")


def _sources(risk: Iterable[tuple[str, str]]) -> str:
    """Where a risk level comes from."""
    return " · ".join(f"{source}: {level}" for source, level in risk)


def _value(test: TestStory) -> tuple[str, str]:
    if test.kind == "guard":
        return str(test.value), str(test.value)
    if test.kind in ("shadow", "exception"):
        return str(test.value), "dim"
    if test.kind == "answer":
        return "", ""
    return {True: ("yes", "strong"), False: ("no", "dim"), None: ("?", "ask")}.get(
        test.value if isinstance(test.value, bool) else None, ("?", "ask")
    )


# -- why not


def _why_not(explanation: Explanation, width: int) -> Iterator[Line]:
    if not explanation.why_not:
        return
    yield []
    yield [("What would have changed it", "strong")]
    for item in explanation.why_not:
        yield from _alternatives(item, width)


def _alternatives(item: WhyNot, width: int) -> Iterator[Line]:
    label = f"   {MARKS[item.decision]} {item.decision:<6} "
    if not item.alternatives:
        text = f"nothing found: {item.walks:,} calls with one or two facts changed were tried"
        yield [(label, item.decision), (text, "dim")]
        return
    for number, alternative in enumerate(item.alternatives):
        changes = " and ".join(
            f"{change.fact}: {change.actual} → {_expected(change)}"
            for change in alternative.changes
        )
        lines = wrapped(changes, width - len(label))
        yield [(label if number == 0 else " " * len(label), item.decision), (lines[0], "")]
        yield from ([(" " * len(label), ""), (line, "")] for line in lines[1:])
        because = f"{alternative.rule}: {alternative.reason}"
        yield [(" " * (len(label) + 2), ""), (cut(because, width - len(label) - 2), "dim")]


def _expected(change: Change) -> str:
    return f"for example {change.expected}" if change.example else change.expected


def _indented(text: str, width: int, indent: int, style: str) -> Iterator[Line]:
    if text:
        for line in wrapped(text, width - indent):
            yield [(" " * indent, ""), (line, style)]


def step_lines(explanation: Explanation, width: int) -> list[Line]:
    """All steps, one after the other."""
    return list(_steps(explanation, width))


def deciding_lines(explanation: Explanation, width: int) -> list[Line]:
    """The steps that a walk ended in, without the others."""
    ends = ("decided", "pending", "failed")
    return [
        line
        for number, step in enumerate(explanation.steps, start=1)
        if step.state in ends
        for line in _step(explanation, step, number, width)
    ]
