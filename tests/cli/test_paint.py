"""Text in cells: padded, cut and wrapped without ever being too wide."""

from __future__ import annotations

import io
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.cli.paint import Painter, cells, cut, pad, shown, wrapped
from callgate.cli.progress import Progress

PRINTABLE = st.text(
    st.characters(exclude_categories=("Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp")), max_size=80
)


@settings(deadline=None)
@given(PRINTABLE, st.integers(3, 40))
def test_cut_fits_and_keeps_what_fits(text: str, width: int) -> None:
    shown = cut(text, width)
    assert cells(shown) <= width
    if cells(text) <= width:
        assert shown == text


@settings(deadline=None)
@given(PRINTABLE, st.integers(3, 40))
def test_wrapped_fits_and_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_wide_characters_fill_two_cells() -> None:
    assert cells("日本") == 4
    assert pad("日本", 6) == "日本  "
    assert cut("日本語", 5) == "日本…"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain — ü 日本", "plain — ü 日本"),
        ("a\n::error::b", "a\\n::error::b"),
        ("::error::b", "\\x3a:error::b"),
        (" \t ::error::b", " \\t ::error::b"),
        ("   ::error::b", "   \\x3a:error::b"),
        ("a ##[group]b", "a #\\x23[group]b"),
        ("a::b #c", "a::b #c"),
        ("\x1b[2J\u202e\x07\x9b", "\\e[2J\\u202e\\x07\\x9b"),
    ],
)
def test_nothing_in_a_text_acts(text: str, safe: str) -> None:
    assert shown(text) == safe
    stream = io.StringIO()
    Painter(stream).write([[(text[:1], "deny"), (text[1:], "")]])
    assert stream.getvalue() == f"{safe}\n"


def test_nothing_in_a_text_acts_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    Painter(stream).write([[("a\n\x1b[2J", "deny")]])
    assert stream.getvalue() == "\x1b[31m\x1b[1ma\\n\\e[2J\x1b[0m\n"


def test_lines_have_no_colour_off_terminals() -> None:
    stream = io.StringIO()
    Painter(stream).write([[("deny", "deny"), ("  x  ", "")]])
    assert stream.getvalue() == "deny  x\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("columns", "width"), [("72", 72), ("10", 60), ("300", 100), ("0", 90), ("", 90), ("x", 90)]
)
def test_the_variable_columns_counts_before_the_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda: os.terminal_size((90, 24)))
    monkeypatch.setenv("COLUMNS", columns)
    assert Painter(Terminal()).width == width
    assert Painter(io.StringIO()).width == 100


@pytest.mark.parametrize(
    ("name", "value", "coloured"),
    [("NO_COLOR", "1", False), ("NO_COLOR", "", True), ("TERM", "dumb", False)],
)
def test_colour_on_terminals(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(name, value)
    stream = Terminal()
    Painter(stream).write([[("deny", "deny")]])
    assert ("\x1b[" in stream.getvalue()) is coloured


def test_progress_says_how_far_and_how_fast() -> None:
    progress = Progress(200)
    for _ in range(50):
        progress.called()
    progress.advanced(100)
    assert progress.text(2.0) == "[" + "█" * 15 + "░" * 15 + "]  50%  50 calls, 25/s"
    assert Progress(None).text(1.0) == "0 calls, 0/s"
