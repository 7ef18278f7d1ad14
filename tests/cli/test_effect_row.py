"""Underlines and labels below a row of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.cli.effect_row import Label, Mark, hung
from callgate.cli.paint import cells


def label(text: str, severity: str = "") -> Label:
    return Label(((text, severity),), severity)


def mark(start: int, end: int, *texts: str, severity: str = "") -> Mark:
    return Mark(start, end, [label(text, severity) for text in texts], severity)


def drawn(marks: list[Mark], width: int = 40) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in hung(marks, width)]


@pytest.mark.parametrize(
    ("marks", "lines"),
    [
        ([], []),
        ([mark(0, 1, "a")], ["┬", "╰─ a"]),
        ([mark(2, 7, "a", severity="deny")], ["  ━━┳━━", "    ╰─ a"]),
        ([mark(2, 7, "a", severity="ask")], ["  ──┬──", "    ╰─ a"]),
        ([mark(0, 3, "a"), mark(6, 9, "b")], ["╌┬╌   ╌┬╌", " │     ╰─ b", " ╰─ a"]),
        # Several on the same columns.
        ([mark(0, 3, "a"), mark(0, 3, "b")], ["╌┬╌", " ├─ a", " ╰─ b"]),
        # One inside the other: the inner stands next to the text.
        ([mark(0, 9, "out"), mark(4, 6, "in")], ["    ┬╌", "╌╌┬╌┼╌╌╌╌", "  │ ╰─ in", "  ╰─ out"]),
        # At the right end, the label stands left of its bar.
        ([mark(36, 40, "a long label")], [" " * 36 + "╌┬╌╌", " " * 23 + "a long label ─╯"]),
        # Nowhere to stand: cut.
        ([mark(0, 3, "x" * 60)], ["╌┬╌", " ╰─ " + "x" * 35 + "…"]),
        # It goes on from the row before.
        ([mark(0, 5)], ["╌╌╌╌╌"]),
    ],
)
def test_what_is_drawn(marks: list[Mark], lines: list[str]) -> None:
    assert drawn(marks) == lines


def test_what_is_strictest_comes_first() -> None:
    weak, strong = mark(0, 3, "weak"), mark(0, 3, "strong", severity="deny")
    assert drawn([weak, strong]) == ["━┳━", " ├─ strong", " ╰─ weak"]


def test_wide_characters_fill_two_cells() -> None:
    assert drawn([mark(0, 3, "日本"), mark(6, 9, "語")])[1:] == [" │     ╰─ 語", " ╰─ 日本"]


spans = st.tuples(st.integers(0, 38), st.integers(1, 12)).map(
    lambda pair: (pair[0], min(40, pair[0] + pair[1]))
)
words = st.text(st.sampled_from("abc 語"), min_size=1, max_size=50)


@given(st.lists(st.tuples(spans, words, st.sampled_from(["", "ask", "deny"])), max_size=12))
def test_every_label_is_written_within_the_width(
    given_: list[tuple[tuple[int, int], str, str]],
) -> None:
    marks = [
        mark(start, end, f"{number}!{text}", severity=severity)
        for number, ((start, end), text, severity) in enumerate(given_)
    ]
    lines = drawn(marks)
    assert all(cells(line) <= 40 for line in lines)
    for number in range(len(given_)):
        assert sum(f" {number}!" in f" {line}" for line in lines) >= 1
