"""A call without what it does not need to come to something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.policytest.proposals.attempt import ABSENT, Attempt, Change
from callgate.policytest.proposals.probe import Judge, Probe, Target

__all__ = ["minimal"]

_MOST: Final = 60


def minimal(
    attempt: Attempt, targets: list[Target], probe: Probe, judged: Judge | None = None
) -> Attempt:
    """The smallest call that was found by taking away one thing after the other, which still comes
    to all of the targets; at most a bounded number is tried. What its tool needs stays. `judged`:
    as in `Search.find`."""
    judged = judged or probe.decided
    tries = 0
    again = True
    while again:
        again = False
        for change in list(_less(attempt)):
            if tries >= _MOST:
                return attempt
            smaller = attempt.with_(change)
            if probe.lacking(smaller) > probe.lacking(attempt):
                continue
            tries += 1
            if judged(smaller) is None:
                continue
            if len(list(probe.came_to(targets))) == len(targets):
                attempt, again = smaller, True
                break
    return attempt


def _less(attempt: Attempt) -> Iterator[Change]:
    """Ways to make a call smaller, the largest parts first."""
    for section in ("context", "observed", "declared", "answers", "args"):
        value = attempt.call.get(section)
        if isinstance(value, dict):
            yield from _without(("call", section), value)
    yield from _without(("settings",), attempt.settings, whole=False)
    args = attempt.call.get("args")
    for name, text in args.items() if isinstance(args, dict) else ():
        if isinstance(text, str):
            path = ("call", "args", name)
            yield from (Change(path, part) for part in text.split(" && ") if part != text)
            words = text.split(" ")
            if 1 < len(words) <= 12:
                for index in range(len(words)):
                    yield Change(path, " ".join(words[:index] + words[index + 1 :]))


def _without(path: tuple[str, ...], value: Any, whole: bool = True) -> Iterator[Change]:
    if whole:
        yield Change(path, ABSENT)
    for key, inner in value.items():
        if len(value) > 1 or not whole:
            yield Change((*path, key), ABSENT)
        if isinstance(inner, dict) and inner:
            yield from _without((*path, key), inner, whole=False)
