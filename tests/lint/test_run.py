"""Applying rules: which are, what of their findings is told, at which level."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from callgate.lint.catalogue import all_rules, find_rule
from callgate.lint.config import LintConfig
from callgate.lint.rule import Finding, Rule
from callgate.lint.run import apply, lint
from callgate.lint.subject import Subject
from callgate.model.codes import CODES
from callgate.model.diagnostic import Severity
from callgate.model.span import Span
from callgate.policytest.loaded import load
from tests.lint.bundles import NOW, subject, write_files
from tests.lint.test_config import GUARDS


class EveryFile(Rule):
    """Finds every file, also inherited ones, and something without a place."""

    code = "L318"
    name = "every-file"
    severity = None
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for layer in reversed(subject.loaded.files):
            for file, _ in layer:
                yield self.found(file.rpartition("/")[2], Span(file, 1, 1, 1, 1), "h")
        yield self.found("nowhere", None, "h")


class NeedsPolicy(EveryFile):
    """The same, of bundles that load."""

    code = "L317"
    needs_policy = True


def test_the_catalogue_is_in_order_and_complete() -> None:
    codes = [rule.code for rule in all_rules()]
    assert codes == sorted(code for code in CODES if code.startswith("L"))
    for rule in all_rules():
        assert find_rule(rule.code) is find_rule(rule.name) is rule
        assert rule.title == CODES[rule.code]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("ended-excption", "`ended-excption` is no lint rule; did you mean `ended-exception`?"),
        ("T003", "`T003` is no lint rule"),
    ],
)
def test_what_is_no_rule(word: str, told: str) -> None:
    with pytest.raises(LookupError) as caught:
        find_rule(word)
    assert caught.value.args[0].startswith(told)


def inheriting(folder: Path) -> Path:
    """A bundle with a file of its own, on top of another."""
    write_files(folder, {})
    child = folder / "policies" / "child"
    child.mkdir()
    (child / "bundle.yaml").write_text(
        "kind: bundle\nname: child\nversion: '1'\ntitle: C\nextends: ../acme\nfiles: [more.yaml]\n"
    )
    (child / "more.yaml").write_text("kind: masking\nnames: [secret]\n")
    return child


def test_findings_in_inherited_files_are_left_out(tmp_path: Path) -> None:
    made = Subject(load(inheriting(tmp_path)), NOW)
    found, seconds = apply(made, [EveryFile()])
    told = [item.diagnostic.message for item in found]
    assert told == ["nowhere", "bundle.yaml", "more.yaml"]
    assert seconds.keys() == {"L318"}


def test_of_inherited_files_loading_tells_errors_alone(tmp_path: Path) -> None:
    child = inheriting(tmp_path)
    guards = tmp_path / "policies/acme/guards.yaml"
    text = guards.read_text()
    assert 'when: w.path under "/tmp"' in text
    never_absent = text.replace('when: w.path under "/tmp"', "when: (call.tool ?? look) == look")
    guards.write_text(never_absent)
    loaded = load(child)
    assert "T017" in {item.code for item in loaded.findings}
    assert "T017" not in {item.diagnostic.code for item in lint(loaded, NOW).findings}
    assert "T017" in {i.diagnostic.code for i in lint(load(child.parent / "acme"), NOW).findings}
    guards.write_text(text.replace("w.path", "w.pth"))
    assert "T003" in {item.diagnostic.code for item in lint(load(child), NOW).findings}


def test_rules_that_need_a_policy_wait_for_one(tmp_path: Path) -> None:
    broken = subject(tmp_path, guards="kind: guards\nrules: [{id: a}]\n", loads=False)
    found, seconds = apply(broken, [EveryFile(), NeedsPolicy()])
    assert {item.diagnostic.code for item in found} == {"L318"}
    assert seconds.keys() == {"L318"}
    with pytest.raises(ValueError, match="does not load"):
        _ = broken.policy


def test_what_is_off_is_not_applied(tmp_path: Path) -> None:
    made = subject(tmp_path, guards=GUARDS)
    off = {rule.code: None for rule in all_rules()}
    report = lint(made.loaded, NOW, LintConfig(off))
    assert (report.findings, report.seconds) == ((), {})
    on = lint(made.loaded, NOW, LintConfig({**off, "L001": Severity.INFO}))
    assert {(i.diagnostic.code, i.diagnostic.severity) for i in on.findings} == {
        ("L001", Severity.INFO)
    }
