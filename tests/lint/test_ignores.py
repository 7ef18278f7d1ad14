"""Comments that leave findings out: where they count, and which of them count for nothing."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from callgate.lint.comments import ignore_comments
from callgate.lint.config import LintConfig
from callgate.lint.run import lint
from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from tests.lint.bundles import NOW, subject

TAIL = "kind: masking\n"


def comments(text: str, tail: str = TAIL) -> list[tuple[list[str], str, str, tuple[int, int]]]:
    """Rules, reason, until and lines of the comments in a text, before `kind: guards …`."""
    found = Diagnostics()
    document = read_document("f.yaml", (dedent(text) + tail).encode(), found)
    assert document is not None, [item.line for item in found]
    return [
        ([word for word, _ in c.words], c.reason, str(c.until or ""), c.lines)
        for c in ignore_comments(document)
    ]


@pytest.mark.parametrize(
    ("line", "words", "reason", "until"),
    [
        ("# callgate: ignore[L202] why", ["L202"], "why", ""),
        ("#callgate:ignore[L202]why", ["L202"], "why", ""),
        ("# callgate: ignore[a-b, L203 ,L1] it is fine", ["a-b", "L203", "L1"], "it is fine", ""),
        ("# callgate: ignore[L202]: why", ["L202"], "why", ""),
        ("# callgate: ignore[L202]", ["L202"], "", ""),
        ("# callgate: ignore[]  why", [], "why", ""),
        ("# callgate: ignore why", [], "why", ""),
        ("# callgate: ignore[L1] until 2027-01-02 why", ["L1"], "why", "2027-01-02"),
        ("# callgate: ignore[L1] until 2027-01-02: why", ["L1"], "why", "2027-01-02"),
        ("# callgate: ignore[L1] until 2027-01-02", ["L1"], "", "2027-01-02"),
        ("# callgate: ignore[L1] until 2027-13-02 why", ["L1"], "until 2027-13-02 why", ""),
        ("# callgate: ignore[L1] until spring", ["L1"], "until spring", ""),
    ],
)
def test_what_a_comment_says(line: str, words: list[str], reason: str, until: str) -> None:
    assert comments(f"{line}\n") == [(words, reason, until, (2, 2))]


HEAD = "kind: masking\nnames:\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("kind: masking # callgate: ignore[L1] x\n", [(1, 1)]),
        ("# callgate: ignore[L1] x\n# more\nkind: masking\n", [(3, 3)]),
        ("# callgate: ignore[L1] x\n\nkind: masking\n", [(2, 2)]),  # not right above
        (f"{HEAD}  # callgate: ignore[L1] x\n  - a\n", [(4, 4)]),
        (f"{HEAD}  - a\n# callgate: ignore[L1] x\n", [(5, 5)]),
        (f"{HEAD}  - a\n  # callgate: ignore[L1] x", [(5, 5)]),
        # In texts there are no comments.
        (f'{HEAD}  - "# callgate: ignore[L1] x"\n', []),
        (f"{HEAD}  - 'a\n    # callgate: ignore[L1] x'\n", []),
        (f"{HEAD}  - a#callgate: ignore[L1] x\n", []),
        (f"{HEAD}  - |\n    # callgate: ignore[L1] x\n  - a\n", []),
        (f"{HEAD}  - >-\n    a\n\n    # callgate: ignore[L1] x\n", []),
        # Behind a text of several lines, or above it: all of it.
        (f"{HEAD}  - | # callgate: ignore[L1] x\n    a\n    b\n  - c\n", [(3, 5)]),
        (f"{HEAD}  # callgate: ignore[L1] x\n  - a\n    b\n  - c\n", [(4, 5)]),
        (f"{HEAD}  - |\n    a\n  # callgate: ignore[L1] x\n  - b\n", [(6, 6)]),
        # Of a whole file only among the first comments.
        (f"# M\n\n# callgate: ignore-file[L1] x\n{HEAD}  - a\n", [(1, 7)]),
        ("kind: masking\n# callgate: ignore-file[L1] x\nnames: [a]\n", [(0, 0)]),
        ("kind: masking # callgate: ignored[L1] x\n", []),
    ],
)
def test_where_a_comment_counts(text: str, lines: list[tuple[int, int]]) -> None:
    assert [found[3] for found in comments(text, "")] == lines


ENDED = """\
    kind: guards
    rules:
      - id: g
        title: G
        decide: deny
        when: call.sender_id == "ann"
        reason: no
        exceptions: # X
          # Y
          - id: g.x
            when: call.agent_id == "a"
            until: 2026-01-01
            owner: ann
            reason: for now
    """


def told(folder: Path, text: str, config: LintConfig | None = None) -> list[str]:
    """What is found of ended exceptions and of ignores in guards.yaml."""
    report = lint(subject(folder, guards=text).loaded, NOW, config)
    codes = [item.diagnostic.code for item in report.findings]
    return [code for code in codes if code == "L001" or code.startswith("L5")]


@pytest.mark.parametrize(
    ("where", "comment", "found"),
    [
        ("# Y", "# y", ["L001"]),
        ("# Y", "# callgate: ignore[L001] why", []),
        ("# Y", "# callgate: ignore[ended-exception] why", []),
        ("# Y", "# callgate: ignore[ended-exception] until 2026-12-02 why", []),
        ("# Y", "# callgate: ignore[L002, L001] why", ["L503"]),
        ("# Y", "# callgate: ignore[L001]", ["L501", "L001"]),
        ("# Y", "# callgate: ignore[L001] until 2026-12-01 why", ["L502", "L001"]),
        ("# Y", "# callgate: ignore[L0001] why", ["L504", "L001"]),
        ("# Y", "# callgate: ignore[L002] why", ["L503", "L001"]),
        ("# Y", "# callgate: ignore[T003] why", ["L503", "L001"]),
        ("# X", "# callgate: ignore[L001] why", ["L503", "L001"]),
        ("    kind: g", "    # callgate: ignore-file[L001] why\n    kind: g", []),
    ],
)
def test_what_is_left_out(tmp_path: Path, where: str, comment: str, found: list[str]) -> None:
    assert told(tmp_path, ENDED.replace(where, comment, 1)) == found


def test_nothing_is_said_of_rules_that_are_off(tmp_path: Path) -> None:
    text = ENDED.replace("# Y", "# callgate: ignore[L001] why")
    assert told(tmp_path, text, LintConfig({"L001": None})) == []


def test_errors_can_not_be_left_out(tmp_path: Path) -> None:
    when = "        when: call.sender_id"
    comment = "        # callgate: ignore[T001, T003] why\n"
    text = ENDED.replace(when, f"{comment}        when: call.sender")
    loaded = subject(tmp_path, guards=text, loads=False).loaded
    report = lint(loaded, NOW)
    lines = {i.diagnostic.span.line for i in report.findings if i.diagnostic.span}
    codes = {i.diagnostic.code for i in report.findings}
    assert codes & {"T001", "T003"}
    assert 7 in lines
    assert report.ignored == 0


@pytest.mark.parametrize(("comment", "ignored"), [("# callgate: ignore[T017] why", 1), ("", 0)])
def test_warnings_of_loading_can(tmp_path: Path, comment: str, ignored: int) -> None:
    text = ENDED.replace('call.sender_id == "ann"', f"(call.tool ?? look) == look {comment}")
    report = lint(subject(tmp_path, guards=text).loaded, NOW)
    assert [i.diagnostic.code for i in report.findings].count("T017") == 1 - ignored
    assert report.ignored == ignored
