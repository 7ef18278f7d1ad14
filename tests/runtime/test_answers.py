"""What a reviewer's reply means: exactly one word counts."""

from __future__ import annotations

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from callgate.runtime.answers import answer_of, parse_reply

REPLIES = [
    ("APPROVE", "approve"),
    ("approve", "approve"),
    ("  Deny\n", "deny"),
    ("ESCALATE", "escalate"),
    ("<think>looks fine, APPROVE</think>DENY", "deny"),
    ("<THINK mode='x'>a</THINK >\n approve ", "approve"),
    ("<think>never closed APPROVE", "escalate"),
    ("<think>a</think>", "escalate"),
    ("APPROVE.", "escalate"),
    ("Verdict: APPROVE", "escalate"),
    ("APPROVE\nDENY", "escalate"),
    ("APPROVED", "escalate"),
    ('{"verdict": "APPROVE"}', "escalate"),
    ("ＡＰＰＲＯＶＥ", "escalate"),
    ("", "unavailable"),
    (" \n\t", "unavailable"),
    (None, "unavailable"),
    ("Error: 401 unauthorized", "unavailable"),
    ("x" * 100_000, "escalate"),
    ("\ud800", "escalate"),
    ("<think>\udfff</think>approve", "escalate"),
    ("Error: \ud800", "escalate"),
]


@pytest.mark.parametrize(("reply", "answer"), REPLIES)
def test_replies(reply: str | None, answer: str) -> None:
    assert parse_reply(reply, [re2.compile("^Error:")]) == answer


@pytest.mark.parametrize(
    ("answers", "answer"),
    [
        ({}, None),
        ({"reviewer": None}, "unavailable"),
        ({"reviewer": "approve"}, "approve"),
        ({"reviewer": {"reply": "DENY"}}, "deny"),
        ({"reviewer": {"unavailable": "timed out"}}, "unavailable"),
    ],
)
def test_forms(answers: dict[str, object], answer: str | None) -> None:
    assert answer_of("reviewer", answers, []) == answer


@given(st.text())
def test_only_the_bare_word_approves(text: str) -> None:
    if parse_reply(text, []) == "approve":
        assert "approve" in text.lower()
        assert parse_reply(text + "!", []) != "approve"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>x<think>y</think>approve", "escalate"),
        ("<think>x<think>y</think>z</think> approve", "approve"),
        ("app<think>z</think>rove", "escalate"),
        ("</think>approve", "escalate"),
        ("<thinking>x</thinking>approve", "escalate"),
        ("<think>Error: none</think>approve", "approve"),
        ("<think>a</think>\nError: 500", "escalate"),
    ],
)
def test_thinking_is_not_an_answer(reply: str, answer: str) -> None:
    assert parse_reply(reply, [re2.compile("^Error:")]) == answer
