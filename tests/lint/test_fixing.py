"""Fixes are applied whole or not at all, and touch nothing but what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from callgate.formatting import format_text
from callgate.lint.fixing import apply_fixes
from callgate.lint.mending import mend
from callgate.lint.plain import from_plain, to_plain
from callgate.lint.report import Report
from callgate.lint.rule import Edit, Finding
from callgate.lint.run import lint
from callgate.load.files import BundleFiles
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span
from callgate.policytest.loaded import load
from tests.lint.bundles import NOW, write_files


def finding(*edits: tuple[int, int, int, int, str], file: str = "f") -> Finding:
    """A finding with edits: line, column, end line, end column, text."""
    fix = tuple(Edit(Span(file, *edit[:4]), edit[4]) for edit in edits)
    return Finding(Diagnostic("L116", "m", Span(file, 1, 1, 1, 1), "h", Severity.WARNING), fix)


@pytest.mark.parametrize(
    ("before", "findings", "after", "done"),
    [
        ("ab\ncd\n", [finding((1, 1, 1, 2, "x"))], "xb\ncd\n", 1),
        ("ab\ncd\n", [finding((1, 1, 2, 1, ""))], "cd\n", 1),
        ("ab\ncd", [finding((2, 1, 2, 3, ""))], "ab\n", 1),
        ("ab\ncd\n", [finding((2, 1, 3, 1, ""))], "ab\n", 1),
        ("ab\n", [finding((1, 1, 1, 2, "x"), (1, 2, 1, 3, "y"))], "xy\n", 1),
        # Several, in any order.
        ("ab\ncd\n", [finding((2, 1, 2, 2, "x")), finding((1, 1, 1, 2, "y"))], "yb\nxd\n", 2),
        # What touches an edit that is done already waits for the next round.
        ("abc\n", [finding((1, 1, 1, 3, "x")), finding((1, 2, 1, 4, "y"))], "xc\n", 1),
        ("abc\n", [finding((1, 2, 1, 3, "")), finding((1, 1, 1, 2, "x"), (1, 3, 1, 4, ""))],
         "ac\n", 1),
        ("abcd\n", [finding((1, 2, 1, 4, "x")), finding((1, 1, 1, 3, "y"))], "axd\n", 1),
        # The same twice is one.
        ("abc\n", [finding((1, 1, 1, 2, "")), finding((1, 1, 1, 2, ""))], "bc\n", 2),
        # Line ends are those of the file.
        ("ab\r\ncd\r\n", [finding((1, 2, 1, 3, "x\ny"))], "ax\r\ny\r\ncd\r\n", 1),
        ("ab\r\ncd\n", [finding((2, 1, 2, 2, ""))], "ab\r\nd\n", 1),
        ("ab\rcd\r", [finding((2, 1, 2, 2, "\n"))], "ab\r\rd\r", 1),
        # A place that is not there, and no edit.
        ("ab\n", [finding((1, 1, 1, 2, "x"), (7, 1, 7, 2, "y"))], None, 0),
        ("ab\n", [finding((1, 1, 1, 9, "x"))], None, 0),
        ("ab\n", [finding((1, 1, 1, 2, "x"), file="g")], None, 0),
        ("ab\n", [finding()], None, 0),
        ("\N{BYTE ORDER MARK}ab\n", [finding((1, 1, 1, 2, "x"))], "\N{BYTE ORDER MARK}xb\n", 1),
    ],
)  # fmt: skip
def test_edits(before: str, findings: list[Finding], after: str | None, done: int) -> None:
    fixed = apply_fixes(findings, {"f": before.encode()})
    assert fixed.files == ({} if after is None else {"f": after.encode()})
    assert len(fixed.done) == done


def test_what_is_no_utf_8_stays() -> None:
    assert apply_fixes([finding((1, 1, 1, 2, ""))], {"f": b"\xff\n"}).files == {}


GUARDS = """\
    kind: guards
    # callgate: ignore[L001] why
    rules: # callgate: ignore[L002] why
      - id: g
        title: G
        decide: deny
        when: call.sender_id == "ann"
        reason: no
    """


def test_a_bundle_is_mended_until_nothing_changes(tmp_path: Path) -> None:
    loaded = load(write_files(tmp_path, {"guards.yaml": GUARDS}))
    where = loaded.where
    mended = mend(loaded.files, lambda layers: lint(load(where, None, layers), NOW))
    (text,) = mended.files.values()
    assert b"callgate:" not in text
    assert b"rules:\n" in text
    assert not any(item.fix for item in mended.report.findings)
    assert [item.diagnostic.code for item in mended.done].count("L503") == 2
    on_disk = Path(where) / "guards.yaml"
    assert b"callgate:" in on_disk.read_bytes()


def test_what_would_not_load_any_more_is_left_alone() -> None:
    bad = finding((1, 1, 1, 2, "x"))
    error = Finding(Diagnostic("Y001", "m", Span("f", 1, 1, 1, 1), "h"))
    reports = iter([Report((bad,)), Report((error,))])
    mended = mend([[("f", b"ab\n")]], lambda _: next(reports))
    assert (mended.files, mended.spoilt) == ({}, (bad,))


@pytest.mark.parametrize("bad", [(), (1,), (0,), (4,), (0, 4), (1, 2, 3), (0, 1, 2, 3, 4)])
def test_only_the_fixes_that_spoil_the_bundle_are_left_out(bad: tuple[int, ...]) -> None:
    """Each fix writes `x` in a line of its own; that of a bad one is an error there."""

    def check(layers: Sequence[BundleFiles]) -> Report:
        lines = layers[0][0][1].decode().splitlines()
        errors = [
            Finding(Diagnostic("Y001", "m", Span("f", at + 1, 1, 1, 1), "h"))
            for at in bad
            if lines[at] == "x"
        ]
        fixes = [
            replace(item, diagnostic=replace(item.diagnostic, message=str(at)))
            for at, line in enumerate(lines)
            if line != "x"
            for item in [finding((at + 1, 1, at + 1, 2, "x"))]
        ]
        return Report((*errors, *fixes))

    mended = mend([[("f", b"a\nb\nc\nd\ne\n")]], check)
    lines = mended.files.get("f", b"a\nb\nc\nd\ne\n").decode().splitlines()
    assert [line == "x" for line in lines] == [at not in bad for at in range(5)]
    assert sorted(int(item.diagnostic.message) for item in mended.spoilt) == list(bad)
    assert len(mended.done) == 5 - len(bad)
    assert mended.later == 0
    assert not any(item.fix for item in mended.report.findings)


def test_what_shows_only_when_others_are_mended_is_counted_apart() -> None:
    reports = iter([Report((finding((1, 1, 1, 2, "x")),)), Report((finding((1, 2, 1, 3, "y")),))])
    mended = mend([[("f", b"ab\n")]], lambda _: next(reports, Report(())))
    assert (mended.files, len(mended.done), mended.later) == ({"f": b"xy\n"}, 2, 1)


CHAIN = """\
    kind: guards
    rules:
      - id: g
        title: G
        decide: deny
        when: >-
          call.agent_id == "a-long-name-of-somebody" and (call.channel == "telegram"
          or call.channel == "slack" or call.channel == "discord" or call.channel == "matrix")
        reason: no
    """


@pytest.mark.parametrize("tidy", [True, False])
def test_a_file_in_the_canonical_layout_stays_in_it(tmp_path: Path, tidy: bool) -> None:
    text = format_text("guards.yaml", dedent(CHAIN)) if tidy else dedent(CHAIN) + "\n\n\n# x\n"
    loaded = load(write_files(tmp_path, {"guards.yaml": text}))
    mended = mend(loaded.files, lambda layers: lint(load(loaded.where, None, layers), NOW))
    (after,) = (data.decode() for data in mended.files.values())
    assert "L315" in {item.diagnostic.code for item in mended.done}
    assert (format_text("guards.yaml", after) == after) is tidy


def test_a_report_outlives_being_kept() -> None:
    related = (("here", Span("g", 2, 1, 2, 3)),)
    item = Diagnostic("L106", "m", Span("f", 1, 1, 1, 1), "h", Severity.INFO, related)
    report = Report((Finding(item), finding((1, 1, 1, 2, "x"))), 3, frozenset({1}))
    assert from_plain(to_plain(report)) == report
