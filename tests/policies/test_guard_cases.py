"""Every command case of tests/cases/guards comes to what was written down for it; and the cases are
many, of all kinds, and as many that shall pass as shall not."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from tests.policies.guard_cases import CASES, FILES, Case, decide, template

KINDS = {
    # The lines of the lessons, in their order.
    *("compound", "substitution", "words", "assignments", "wrappers", "interpreters", "options"),
    *("by-path", "data", "paths", "protected", "fetch", "connects", "always", "no-verdict"),
    *("hostile", "headless"),
    # What shall be denied.
    *("root-delete", "devices", "power", "forkbomb", "logs", "credential-read", "exfiltration"),
    *("reverse-shell", "policy", "security-off"),
    # What shall be asked.
    *("recursive-delete", "permissions", "services", "pipe-to-shell", "inline", "credential-write"),
    *("sql", "git", "persistence", "kernel", "users", "signals", "containers", "publish", "cloud"),
    "variables",
    # By tool, and daily work.
    *("code", "process", "ordinary"),
    # All lines once more, by somebody else.
    "fresh",
}

AT_LEAST = 1500

WIDTH = 100


@pytest.mark.parametrize("kind", [path.stem for path in FILES])
def test_cases(kind: str) -> None:
    wrong = [row for case in CASES if case.kind == kind for row in mistakes(case)]
    if wrong:
        pytest.fail("\n".join([f"{len(wrong)} wrong", *wrong]), pytrace=False)


def mistakes(case: Case) -> list[str]:
    """The row of a table about a case that is decided otherwise; nothing for one that is not."""
    decision = decide(case).to_dict()
    got, rule = decision["decision"], decision["rule"]
    if got == case.expected and case.rule in ("", rule):
        return []
    guards = ", ".join(guard["rule"] for guard in decision["matched"]) or "-"
    text = case.text.replace("\n", "⏎")
    shown = text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
    wanted = f"{case.expected} {case.rule}".strip()
    return [f"{shown:<{WIDTH}} {wanted:>5} → {got:<5} {rule} [{guards}] {decision['reason']}"]


def test_there_are_enough_and_as_many_that_shall_pass() -> None:
    count = Counter(case.expected == "allow" for case in CASES)
    assert count.total() >= AT_LEAST
    assert abs(count[True] - count[False]) <= 0.03 * count.total()


def test_no_case_stands_twice() -> None:
    assert not [key for key, n in Counter(case.key for case in CASES).items() if n > 1]


def test_no_template_has_more_than_five() -> None:
    of_template = defaultdict(list)
    for case in CASES:
        of_template[template(case)].append(case.text)
    assert not [texts for texts in of_template.values() if len(texts) > 5]


def test_every_kind_has_both_sides() -> None:
    sides = defaultdict(set)
    for case in CASES:
        sides[case.kind].add(case.expected == "allow")
    assert set(sides) == KINDS
    assert not [kind for kind, found in sides.items() if len(found) < 2]
