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


def test_a_result_that_means_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import callgate.formatting.texts as texts

    monkeypatch.setattr(texts, "one_line", lambda scalar, value, raw, flow: "other")
    with pytest.raises(FormatError, match="internal error"):
        format_text("a.yaml", 'kind: masking\nnames: ["a"]\n')
