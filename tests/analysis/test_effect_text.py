"""Texts as they are shown: masked, escaped, and with every place still to be found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.analysis.effect_text import shown_text
from callgate.effects.shell.tree import Span


@pytest.mark.parametrize(
    ("text", "hidden", "shown"),
    [
        ("rm -rf /", [], ["rm -rf /"]),
        ("a\nb\n", [], ["a", "b", ""]),
        ("\tx\ty", [], ["    x   y"]),
        ("a\x00b\x1b\r", [], ["a\\x00b\\e\\r"]),
        ("a\u202eb\u200b", [], ["a\\u202eb\\u200b"]),
        ("T=secret x", [(2, 8)], ["T=*** x"]),
        ("a secret\nsecret b", [(2, 15)], ["a ***", "*** b"]),
        ("\ud800", [], ["\\ud800"]),
        ("", [], [""]),
    ],
)
def test_what_is_shown(text: str, hidden: list[Span], shown: list[str]) -> None:
    assert [line.shown for line in shown_text(text, hidden).lines] == shown


@pytest.mark.parametrize(
    ("text", "hidden", "span", "covered"),
    [
        ("cat /etc/hosts", [], (4, 14), "/etc/hosts"),
        ("a\u202eb /x", [], (4, 6), "/x"),
        ("TOKEN=longer-than-the-mask rm x", [(6, 26)], (27, 29), "rm"),
        ("K=s rm x", [(2, 3)], (4, 6), "rm"),
        ("rm secret/x", [(3, 9)], (3, 11), "***/x"),
        ("rm secret", [(3, 9)], (5, 7), "***"),
        ("\tif x", [], (4, 5), "x"),
        ("ab", [], (1, 1), "b"),
        ("ab", [], (2, 2), ""),
        ("a\nrm b\nc", [], (2, 6), "rm b"),
        ("rm a\nb", [], (3, 6), "a"),
    ],
)
def test_what_a_span_covers(text: str, hidden: list[Span], span: Span, covered: str) -> None:
    shown = shown_text(text, hidden)
    first, _ = shown.pieces(span)
    assert shown.lines[first.line].shown[first.start : first.end] == covered
    assert first.end > first.start


def test_a_span_over_lines_is_one_line_of_text() -> None:
    shown = shown_text("if a\n  then b\nfi", [])
    assert shown.slice((0, 16)) == "if a ⏎ then b ⏎ fi"
    assert [piece.line for piece in shown.pieces((0, 16))] == [0, 2]


texts = st.text(st.sampled_from("ab \t\n\x00\u202e語é🎉"), max_size=40)


@given(texts, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=3))
def test_every_place_is_found(text: str, spans: list[Span]) -> None:
    hidden: list[Span] = []
    for start, end in sorted(spans):
        if start < end <= len(text) and (not hidden or hidden[-1][1] < start):
            hidden.append((start, end))
    shown = shown_text(text, hidden)
    assert len(shown.lines) == text.count("\n") + 1
    for line in shown.lines:
        assert len(line.places) == line.end - line.start + 1
        assert list(line.places) == sorted(line.places)
        assert line.places[-1] == len(line.shown)
    for start in range(len(text) + 1):
        for end in range(start, len(text) + 1):
            for piece in shown.pieces((start, end)):
                assert 0 <= piece.line < len(shown.lines)
