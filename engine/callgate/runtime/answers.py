"""Answers to consult nodes: what a dry run says that grants, the reviewer and people say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

__all__ = ["HUMAN_ANSWERS", "REVIEWER_WORDS", "answer_of", "check_answers", "parse_reply"]

HUMAN_ANSWERS: Final = frozenset({"once", "session", "session-all", "always", "deny", "timeout"})
REVIEWER_WORDS: Final = frozenset({"approve", "deny", "escalate"})
_KEYS: Final = frozenset({"grant", "reviewer", "human"})
_MAX_REPLY: Final = 65_536
_NONE: Final[Mapping[str, Any]] = {}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_THINK_TAG: Final = re.compile(r"<(/?)think(?:\s[^<>]*)?>", re.IGNORECASE)

Problem = Callable[[str, str], Exception]


def check_answers(answers: Any, problem: Problem) -> Mapping[str, Any]:
    """A copy of a call's `answers`; raises `problem(code, message)` for what isn't an answer."""
    if answers is None:
        return _NONE
    if type(answers) is not dict:
        raise problem("R003", "`answers` is an object")
    for key in answers:
        if key not in _KEYS:
            raise problem("R002", f"`answers.{str(key)[:80]}` is not a key of a call")
    if type(answers.get("grant", True)) is not bool:
        raise problem("R005", "`answers.grant` is true or false")
    human = answers.get("human", "once")
    if type(human) is not str or human not in HUMAN_ANSWERS:
        raise problem("R005", "`answers.human` is one of " + ", ".join(sorted(HUMAN_ANSWERS)))
    if "reviewer" in answers:
        _check_reviewer(answers["reviewer"], problem)
    return dict(answers)


def _check_reviewer(reviewer: Any, problem: Problem) -> None:
    if reviewer is None or type(reviewer) is str:
        return
    if type(reviewer) is dict and len(reviewer) == 1:
        key, value = next(iter(reviewer.items()))
        if key == "reply" and (value is None or type(value) is str):
            return
        if key == "unavailable" and type(value) is str:
            return
    raise problem(
        "R005", '`answers.reviewer` is {"reply": text}, {"unavailable": why}, a reply, or null'
    )


def answer_of(who: str, answers: Mapping[str, Any], errors: Sequence[Any]) -> str | None:
    """The answer that a call carries for a consult node, or None when it carries none.

    `errors`: compiled RE2 patterns of replies that are no reply.
    """
    if who not in answers:
        return None
    value = answers[who]
    if who == "grant":
        return "granted" if value else "none"
    if who == "human":
        return str(value)
    if type(value) is dict:
        value = value.get("reply")
    return parse_reply(value, errors)


def parse_reply(reply: str | None, errors: Sequence[Any]) -> str:
    """What a reviewer's reply means: approve, deny, escalate, or unavailable.

    No text, or one that an `errors` pattern finds, is no reply. Then thinking is taken out, and
    what is left, without outer white space, must be exactly one of the three words, in any case.
    Anything else escalates; so does a text with half a surrogate pair, which no pattern can read.
    """
    if reply is None or not reply.strip():
        return "unavailable"
    if not reply.isascii() and _SURROGATE.search(reply):
        return "escalate"
    if any(pattern.search(reply) for pattern in errors):
        return "unavailable"
    if len(reply) > _MAX_REPLY:
        return "escalate"
    word = _without_thinking(reply).strip().lower()
    return word if word in REVIEWER_WORDS else "escalate"


def _without_thinking(reply: str) -> str:
    """The reply with each `<think>` block, blocks inside it included, as a space; an unclosed one
    hides the rest."""
    kept: list[str] = []
    depth = start = 0
    for tag in _THINK_TAG.finditer(reply):
        if depth == 0:
            kept.append(reply[start : tag.start()])
            start = tag.start()
        if not tag[1]:
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                kept.append(" ")
                start = tag.end()
    if depth == 0:
        kept.append(reply[start:])
    return "".join(kept)
