"""What a reviewer's reply counts as, written a second time for comparison.

The reviewer is a language model whose prompt holds hostile text. So one of three words counts, and
only as the whole reply; anything else goes on to a person; no reply is a denial's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import re2

__all__ = ["MAX_REPLY", "ReviewerAnswer", "reviewer_answer"]

ReviewerAnswer = Literal["approve", "deny", "escalate", "unavailable"]

_WORDS: Final[Mapping[str, ReviewerAnswer]] = {
    "approve": "approve",
    "deny": "deny",
    "escalate": "escalate",
}

MAX_REPLY: Final = 65_536
"""Characters; nobody reads more than that to find one word."""

_TAG: Final = r"(?i)(<think(?:\s[^<>]*)?>|</think(?:\s[^<>]*)?>)"


def reviewer_answer(answer: Any, unavailable_when: Sequence[str]) -> ReviewerAnswer:
    """The answer that a call's `answers.reviewer` gives.

    `answer`: `{"reply": text}`, `{"unavailable": why}`, a text (a reply) or None (unavailable).
    `unavailable_when`: RE2 patterns; a reply in which one is found is an outage, not a reply.

    In this order: no reply, an empty one, or one that a pattern finds is `unavailable`, an overlong
    one is `escalate`. Then thinking is taken out: `<think>` blocks (any case, with attributes, one
    inside the other), and from an unclosed one to the end. What is left, without white space
    around it, must be exactly one of the three words, in any case. Everything else is `escalate`.
    """
    reply = answer.get("reply") if isinstance(answer, Mapping) else answer
    if reply is None or not reply.strip():
        return "unavailable"
    if any(re2.search(pattern, reply) is not None for pattern in unavailable_when):
        return "unavailable"
    if len(reply) > MAX_REPLY:
        return "escalate"
    open_blocks, spoken = 0, ""
    for piece in re2.split(_TAG, reply):
        opens = re2.fullmatch(_TAG, piece) is not None and not piece.startswith("</")
        closes = piece.startswith("</") and re2.fullmatch(_TAG, piece) is not None
        if opens:
            open_blocks += 1
        elif closes and open_blocks > 0:
            open_blocks -= 1
            spoken += " "
        elif open_blocks == 0:
            spoken += piece
    word = spoken.strip().lower()
    return _WORDS.get(word, "escalate")
