"""How diagnostics are printed."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.load.report import diagnostic_pieces, format_diagnostic
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span

FILE = "policies/acme/guards/shell.yaml"


def shown(diagnostic: Diagnostic, *lines: str) -> str:
    return format_diagnostic(
        diagnostic, lambda file: list(lines) if file == FILE and lines else None
    )


def at(
    column: int, end: int, line: int = 1, last: int | None = None, code: str = "T003"
) -> Diagnostic:
    return Diagnostic(code, "m", Span(FILE, line, column, last or line, end))


def test_the_look() -> None:
    diagnostic = Diagnostic(
        "T003",
        "`deletes` is not a field of `effects`",
        Span(FILE, 14, 26, 14, 33),
        "did you mean `delete`?",
    )
    text = shown(diagnostic, *[""] * 13, "      each: d in effects.deletes")
    assert text == textwrap.dedent(
        """\
        policies/acme/guards/shell.yaml:14:26: error[T003]: `deletes` is not a field of `effects`
          14 |       each: d in effects.deletes
             |                          ^^^^^^^
          help: did you mean `delete`?"""
    )


def test_other_places_have_their_lines_too() -> None:
    diagnostic = Diagnostic(
        "Y002",
        "duplicate key `id`",
        Span(FILE, 2, 1, 2, 3),
        severity=Severity.WARNING,
        related=(("first written here", Span(FILE, 1, 1, 1, 3)), ("else", Span("x", 3, 1, 3, 2))),
    )
    assert shown(diagnostic, "id: a", "id: b") == textwrap.dedent(
        f"""\
        {FILE}:2:1: warning[Y002]: duplicate key `id`
          2 | id: b
            | ^^
          {FILE}:1:1: first written here
          1 | id: a
            | --
          x:3:1: else"""
    )


def test_without_place_or_lines() -> None:
    assert shown(Diagnostic("R001", "m", help="h")) == "error[R001]: m\n  help: h"
    assert shown(at(1, 2)) == f"{FILE}:1:1: error[T003]: m"
    assert shown(at(1, 2, line=9), "a") == f"{FILE}:9:1: error[T003]: m"
    assert shown(at(1, 1), "") == f"{FILE}:1:1: error[T003]: m"


@pytest.mark.parametrize(
    ("diagnostic", "line", "excerpt"),
    [
        (at(3, 3), "ab", ["1 | ab", "  |   ^"]),
        (at(2, 9, last=3), "abc  ", ["1 | abc", "  |  ^^"]),
        (at(9, 99), "ab", ["1 | ab", "  |   ^"]),
        (at(3, 4), "\tab", ["1 |  ab", "  |   ^"]),
        (at(3, 4), "日本x", ["1 | 日本x", "  |     ^"]),
        (at(1, 3), "日本x", ["1 | 日本x", "  | ^^^^"]),
        (at(2, 3), "a\x1bb", ["1 | a\\u{1b}b", "  |  ^^^^^^"]),
        (at(3, 4), "\u202ebc", ["1 | \\u{202e}bc", "  |          ^"]),
        (at(2, 3), "𝄞b", ["1 | 𝄞b", "  |  ^"]),
    ],
)
def test_excerpts(diagnostic: Diagnostic, line: str, excerpt: list[str]) -> None:
    assert [row.removeprefix("  ") for row in shown(diagnostic, line).split("\n")[1:]] == excerpt


def narrow(diagnostic: Diagnostic, *lines: str, width: int = 80) -> list[str]:
    pieces = diagnostic_pieces(diagnostic, lambda _: list(lines) or None, width)
    return ["".join(text for text, _ in line).rstrip() for line in pieces]


def test_it_fits_a_terminal_of_eighty_columns() -> None:
    diagnostic = Diagnostic(
        "C008",
        "`shell.delete-system-root` does not fire on this example (its effects: run, delete, read)",
        Span(FILE, 1, 45, 1, 100),
        "correct the guard's condition, or move the example to `pass`, where calls stand that it "
        "must not match",
        related=(
            ("the condition that should hold for the example stands here", Span(FILE, 1, 1, 1, 4)),
        ),
    )
    line = "when: d.recursive and d.path covers paths.system_roots and not (d.path under paths.x)"
    assert narrow(diagnostic, line, width=60) == [
        "policies/acme/guards/shell.yaml:1:45: error[C008]:",
        "  `shell.delete-system-root` does not fire on this example",
        "  (its effects: run, delete, read)",
        "  1 | … path covers paths.system_roots and not (d.path und …",
        "    |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "  policies/acme/guards/shell.yaml:1:1: the condition that",
        "    should hold for the example stands here",
        "  1 | when: d.recursive and d.path covers paths.system_r …",
        "    | ---",
        "  help: correct the guard's condition, or move the example",
        "        to `pass`, where calls stand that it must not match",
    ]


@given(st.text(st.sampled_from("ab 日`"), max_size=200), st.integers(40, 120), st.integers(1, 300))
def test_narrow_texts_lose_nothing(text: str, width: int, column: int) -> None:
    diagnostic = Diagnostic("T003", text, Span(FILE, 1, column, 1, column + 3), text)
    shown_lines = narrow(diagnostic, "x" * 300, width=width)
    told = [line for line in shown_lines if " | " not in line]
    assert (
        "".join("".join(told).split())
        == "".join(f"{FILE}:1:{column}: error[T003]: {text} help: {text if text else ''}".split())
        or not text
    )
    marks = next(line for line in shown_lines if "^" in line)
    assert len(marks) <= width


def test_pieces_have_the_styles_of_their_roles() -> None:
    diagnostic = Diagnostic("Y002", "m", Span(FILE, 1, 1, 1, 3), "h", Severity.WARNING)
    assert diagnostic_pieces(diagnostic, lambda _: ["id: a"]) == [
        [(f"{FILE}:1:1: ", "place"), ("warning[Y002]: ", "warning"), ("m", "strong")],
        [("  1 | ", "gutter"), ("", ""), ("id", "warning"), (": a", "")],
        [("    | ", "gutter"), ("", ""), ("^^", "warning")],
        [("  help: ", "help"), ("h", "")],
    ]


@pytest.mark.parametrize("column", [1, 60, 250, 380, 396])
def test_long_lines_are_cut_around_the_place(column: int) -> None:
    line = "x" * (column - 1) + "HERE" + "y" * (400 - column)
    _, excerpt, carets = shown(at(column, column + 4), line).split("\n")
    assert len(excerpt) < 115
    begin = carets.index("^")
    assert excerpt[begin : begin + 4] == "HERE"
    assert carets.count("^") == 4


def test_a_message_can_not_fake_lines() -> None:
    assert shown(Diagnostic("R001", "a\nb\x1b[31m", help="\u202ex")) == (
        "error[R001]: a\\u{a}b\\u{1b}[31m\n  help: \\u{202e}x"
    )


def test_settings_show_nothing_else_of_the_line() -> None:
    text = shown(at(3, 13, code="E001"), "  serch_keys: hunter2")
    assert text.split("\n")[1:] == ["  1 |   serch_keys", "    |   ^^^^^^^^^^"]
    text = shown(at(19, 23, code="E001"), "{api_key: hunter, tols: 3, password: hunter}")
    assert text.split("\n")[1:] == ["  1 | tols", "    | ^^^^"]


def test_findings_of_settings_checks_show_nothing_else_of_the_line() -> None:
    line = "{api_key: hunter, deny: [exec, todo], password: hunter}"
    text = shown(at(26, 30, code="settings.denied"), line)
    assert text.split("\n")[1:] == ["  1 | exec", "    | ^^^^"]


def test_a_setting_is_shown_with_its_key() -> None:
    text = shown(at(11, 16, code="E003"), "  - mode: never  # or: hunter2")
    assert text.split("\n")[1:] == ["  1 |   - mode: never", "    |           ^^^^^"]


@given(
    st.lists(st.text(max_size=130), max_size=3),
    *(st.integers(0, 200) for _ in range(4)),
    st.sampled_from(["Y001", "E001"]),
    st.text(max_size=5),
)
def test_any_span_can_be_shown(
    lines: list[str], line: int, column: int, end_line: int, end: int, code: str, message: str
) -> None:
    diagnostic = Diagnostic(code, message, Span(FILE, line % 4, column, end_line % 4, end))
    text = shown(diagnostic, *lines)
    assert text.count("\n") in (0, 2)
    assert all(c.isprintable() for c in text.replace("\n", ""))
