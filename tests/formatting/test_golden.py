"""Rule files and their canonical layout: tests/cases/formatting."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.formatting import FormatError, format_text

CASES = Path(__file__).parents[1] / "cases" / "formatting"
NAMES = sorted(path.name.removesuffix(".before.yaml") for path in CASES.glob("*.before.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_layout(name: str) -> None:
    before = (CASES / f"{name}.before.yaml").read_text("utf-8")
    after = (CASES / f"{name}.after.yaml").read_text("utf-8")
    assert format_text(f"{name}.yaml", before) == after
    assert format_text(f"{name}.yaml", after) == after


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("rules: []\n", "S002", "1:1"),
        ("kind: guards\nrules: [\n", "Y001", "3:1"),
        ("kind: guards\nrules: {}\n", "S003", "2:8"),
        (
            "kind: guards\nrules:\n  - {id: a, title: a, decide: deny, when: a ==, reason: b}\n",
            "P001",
            "3:45",
        ),
        ("kind: guards\nrules: []\n---\nkind: guards\n", "Y010", "3:1"),
    ],
)
def test_what_has_errors_is_refused(text: str, code: str, place: str) -> None:
    with pytest.raises(FormatError) as refused:
        format_text("a.yaml", text)
    first = refused.value.diagnostics[0]
    assert (first.code, f"{first.span and first.span.line}:{first.span and first.span.column}") == (
        code,
        place,
    )


RULE = "  - {id: a, title: a, decide: deny, when: call.nested, reason: b}\n"
CASE = "name: a\n    call: {tool: x}\n    expect: {decision: deny}\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        # It would begin to count for the whole file.
        (f"rules:\n{RULE}# callgate: ignore-file[L301] x\nkind: guards\n", "ignores `L301`"),
        # It would count for the next rule.
        (
            "kind: guards\nrules:\n  - id: a\n    title: a\n    decide: deny\n"
            "    examples: {match: [ls], pass: [pwd]}\n    # callgate: ignore[L317] x\n"
            f"    when: call.nested\n    reason: b\n{RULE}",
            "",
        ),
        (
            "kind: guards\nrules:\n  - id: a\n    title: a\n    decide: deny\n    examples:\n"
            "      match: [ls]\n      # callgate: ignore[L317, L318] x\n    reason: b\n"
            f"{RULE}",
            "ignores `L317`, `L318`",
        ),
        # It would count for another part of the list.
        ("kind: masking\nnames: [a, b,\n  c, d] # callgate: ignore[L116] x\n", "`L116`"),
        ("kind: masking\nnames: [a, # callgate: ignore[L116] x\n  b]\n", "`L116`"),
        ("kind: masking\nnames: [ a, b] # callgate: ignore[L116] x\n", ""),
        (f"kind: tests\ncases:\n  - # fmt: off\n    {CASE}", "# fmt: off"),
        ("kind: masking\nnames: [a,\n  # fmt: off\n  b]\n", "# fmt: off"),
    ],
)
def test_comments_that_would_count_for_something_else(text: str, what: str) -> None:
    if not what:
        assert format_text("a.yaml", text)
        return
    with pytest.raises(FormatError) as refused:
        format_text("a.yaml", text)
    assert refused.value.diagnostics == []
    assert what in str(refused.value)


def test_a_result_that_means_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import callgate.formatting.texts as texts

    monkeypatch.setattr(texts, "one_line", lambda scalar, value, raw, flow: "other")
    with pytest.raises(FormatError, match="internal error"):
        format_text("a.yaml", 'kind: masking\nnames: ["a"]\n')
