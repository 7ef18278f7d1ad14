"""Comments that leave findings out: where they count, and which of them count for nothing."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from callgate.lint.config import Ignore, LintConfig
from callgate.lint.run import lint
from callgate.load.ignore_comments import ignore_comments
from callgate.load.reader import read_document
from callgate.model.codes import WARNINGS
from callgate.model.diagnostic import Diagnostics, Severity
from tests.lint.bundles import NOW, subject
from tests.lint.fixes import fixed

ROOT = Path(__file__).parents[2]
SOFT = re.compile(
    r"""\.(?:warning|info)\(\s*"([A-Z]\d{3})\""""
    r"""|"([A-Z]\d{3})",[^"]*(?:"[^"]{9,}"[^"]*)*?Severity\.WARNING""",
    re.DOTALL,
)
TAIL = "kind: masking\n"


def comments(text: str, tail: str = TAIL) -> list[tuple[list[str], str, str, tuple[int, int]]]:
    """Rules, reason, until (or what can't be read) and lines of the comments in a text."""
    found = Diagnostics()
    document = read_document("f.yaml", (dedent(text) + tail).encode(), found)
    assert document is not None, [item.line for item in found]
    return [
        ([word for word, _ in c.words], c.reason, c.unread or str(c.until or ""), c.lines)
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
        ("# callgate: ignore[L202] .", ["L202"], "", ""),
        ("# callgate: ignore[L202] \u200b-\u00a0", ["L202"], "", ""),
        ("# callgate: ignore[L202] until 2027-01-02 …", ["L202"], "", "2027-01-02"),
        ("# callgate: ignore[]  why", [], "why", ""),
        ("# callgate: ignore why", [], "why", ""),
        ("# callgate: ignore[L1] until 2027-01-02 why", ["L1"], "why", "2027-01-02"),
        ("# callgate: ignore[L1] until 2027-01-02: why", ["L1"], "why", "2027-01-02"),
        ("# callgate: ignore[L1] until 2027-01-02", ["L1"], "", "2027-01-02"),
        ("# callgate: ignore[L1] Until: 2027-01-02 why", ["L1"], "why", "2027-01-02"),
        ("# callgate: ignore[L1]: until 2027-01-02 - why", ["L1"], "why", "2027-01-02"),
        # An end that is none would make it count for good.
        *(
            (f"# callgate: ignore[L1] {reason}", ["L1"], reason, "until")
            for reason in (
                "until 2027-13-02 why",
                "until 2027-1-1 why",
                "until 2027/01/01 why",
                "until: 2027/01/01 why",
                "until 2027-01-01T00:00Z why",
                "until 01.02.2027 why",
                "until spring",
                "Until",
                "why until 2026-01-01",
                "why (until: 2027)",
                "why until 3 March 2027",
                "why until March 3, 2027",
            )
        ),
        *(
            (f"# callgate: ignore[L1] {reason}", ["L1"], reason, "")
            for reason in ("kept until the audit", "untilted", "from 2027-01-01 on", "till 2027")
        ),
        ("# callgate: Ignore[L1] why", ["L1"], "why", "Ignore"),
        ("# callgate: disable[L1] why", ["L1"], "why", "disable"),
        ("# callgate: [L1] why", ["L1"], "why", "[L1]"),
        ("# Callgate: ignored why", [], "why", "ignored"),
    ],
)
def test_what_a_comment_says(line: str, words: list[str], reason: str, until: str) -> None:
    assert comments(f"{line}\n") == [(words, reason, until, (1, 2))]


HEAD = "kind: masking\nnames:\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("kind: masking # callgate: ignore[L1] x\n", [(1, 1)]),
        ("# callgate: ignore[L1] x\n# more\nkind: masking\n", [(1, 3)]),
        ("# callgate: ignore[L1] x\n\nkind: masking\n", [(1, 2)]),  # not right above
        (f"{HEAD}  # callgate: ignore[L1] x\n  - a\n", [(3, 4)]),
        (f"{HEAD}  - a\n# callgate: ignore[L1] x\n", [(4, 5)]),
        (f"{HEAD}  - a\n  # callgate: ignore[L1] x", [(4, 5)]),
        # In texts there are no comments.
        (f'{HEAD}  - "# callgate: ignore[L1] x"\n', []),
        (f"{HEAD}  - 'a\n    # callgate: ignore[L1] x'\n", []),
        (f"{HEAD}  - a#callgate: ignore[L1] x\n", []),
        (f"{HEAD}  - |\n    # callgate: ignore[L1] x\n  - a\n", []),
        (f"{HEAD}  - >-\n    a\n\n    # callgate: ignore[L1] x\n", []),
        # Behind a text of several lines, or above it: all of it.
        (f"{HEAD}  - | # callgate: ignore[L1] x\n    a\n    b\n  - c\n", [(3, 5)]),
        (f"{HEAD}  # callgate: ignore[L1] x\n  - a\n    b\n  - c\n", [(3, 5)]),
        (f"{HEAD}  - |\n    a\n  # callgate: ignore[L1] x\n  - b\n", [(5, 6)]),
        # Of a whole file only among the first comments.
        (f"# M\n\n# callgate: ignore-file[L1] x\n{HEAD}  - a\n", [(1, 7)]),
        ("kind: masking\n# callgate: ignore-file[L1] x\nnames: [a]\n", [(0, 0)]),
        ("kind: masking # callgate: mutant x\n", []),
        # In or below another comment: that one, too.
        ("# TODO # callgate: ignore[L1] x\n# y\nkind: masking\n", [(1, 3)]),
        ("kind: masking # TODO # callgate: ignore[L1] x\n", [(1, 1)]),
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
        ("# Y", "# callgate: ignore[l001] why", []),
        ("# Y", "# callgate: ignore[T003] why", ["L504", "L001"]),
        ("# Y", "# callgate: ignore[C014] why", ["L503", "L001"]),
        ("# Y", "# callgate: Ignore[L001] why", ["L505", "L001"]),
        ("# Y", "# callgate: ignore[L001] until 2027-13-01 why", ["L505", "L001"]),
        ("# Y", "# callgate: mutant why", ["L001"]),
        ("    rules:", "    # callgate: ignore-file[L001] why\n    rules:", ["L503", "L001"]),
        ("# X", "# callgate: ignore[L001] why", ["L503", "L001"]),
        ("    kind: g", "    # callgate: ignore-file[L001] why\n    kind: g", []),
        (
            "    kind: g",
            "    # callgate: ignore-file[L001] why\n    # callgate: ignore[L001] x\n    kind: g",
            ["L503"],
        ),
    ],
)
def test_what_is_left_out(tmp_path: Path, where: str, comment: str, found: list[str]) -> None:
    assert told(tmp_path, ENDED.replace(where, comment, 1)) == found


@pytest.mark.parametrize(
    "line",
    [
        "# callgate: ignore[todo] why\n# TODO mend it",
        "# callgate: ignore[todo] why\n# more\n# TODO mend it",
        "# TODO mend it # callgate: ignore[todo] why",
    ],
)
def test_what_is_found_in_a_comment_can_be_left_out(tmp_path: Path, line: str) -> None:
    report = lint(subject(tmp_path, masking=f"{line}\nkind: masking\nnames: [a]\n").loaded, NOW)
    assert not {"L318", "L503"} & {item.diagnostic.code for item in report.findings}
    assert report.ignored == 1


def test_only_the_comment_itself_is_removed(tmp_path: Path) -> None:
    text = "# a note # callgate: ignore[L001] why\nkind: masking\nnames: [a]\n"
    made = subject(tmp_path, masking=text)
    report = lint(made.loaded, NOW)
    unused = [item for item in report.findings if item.diagnostic.code == "L503"]
    assert fixed(made, unused) == {"masking.yaml": "# a note\nkind: masking\nnames: [a]\n"}


def test_a_comment_that_stands_too_late_is_not_removed(tmp_path: Path) -> None:
    text = "kind: masking\n# callgate: ignore-file[L001] why\nnames: [a]\n"
    report = lint(subject(tmp_path, masking=text).loaded, NOW)
    (late,) = [item for item in report.findings if item.diagnostic.code == "L503"]
    assert "before everything else" in late.diagnostic.message
    assert not late.fix


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


NEVER_ABSENT = ENDED.replace('call.sender_id == "ann"', "(call.tool ?? look) == look")


@pytest.mark.parametrize("level", [None, *Severity])
def test_warnings_of_loading_have_levels(tmp_path: Path, level: Severity | None) -> None:
    report = lint(subject(tmp_path, guards=NEVER_ABSENT).loaded, NOW, LintConfig({"T017": level}))
    levels = [i.diagnostic.severity for i in report.findings if i.diagnostic.code == "T017"]
    assert levels == ([] if level is None else [level])


@pytest.mark.parametrize("level", [None, Severity.INFO])
def test_errors_keep_their_level(tmp_path: Path, level: Severity | None) -> None:
    text = ENDED.replace("call.sender_id ==", "call.sender ==")
    loaded = subject(tmp_path, guards=text, loads=False).loaded
    (code,) = {item.code for item in loaded.findings if item.severity is Severity.ERROR}
    config = LintConfig({code: level}, (Ignore(code, "why"),))
    told = {item.diagnostic for item in lint(loaded, NOW, config).findings}
    assert (code, Severity.ERROR) in {(item.code, item.severity) for item in told}


def test_the_codes_of_warnings_are_known() -> None:
    told = set()
    for path in (ROOT / "engine" / "callgate").rglob("*.py"):
        if path.relative_to(ROOT / "engine" / "callgate").parts[0] != "lint":
            found = SOFT.findall(path.read_text("utf-8"))
            told |= {code for codes in found for code in codes if code}
    assert told == WARNINGS


@pytest.mark.parametrize(("comment", "ignored"), [("# callgate: ignore[T017] why", 1), ("", 0)])
def test_warnings_of_loading_can(tmp_path: Path, comment: str, ignored: int) -> None:
    text = ENDED.replace('call.sender_id == "ann"', f"(call.tool ?? look) == look {comment}")
    report = lint(subject(tmp_path, guards=text).loaded, NOW)
    assert [i.diagnostic.code for i in report.findings].count("T017") == 1 - ignored
    assert report.ignored == ignored
