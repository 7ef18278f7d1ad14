"""What lint writes for programs: SARIF, workflow commands, JUnit's XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from callgate.cli.lint_github import github_text
from callgate.cli.lint_junit import junit_text
from callgate.cli.lint_outcome import Bundle, Outcome
from callgate.cli.lint_sarif import sarif_text
from callgate.lint.report import Report
from callgate.lint.rule import Edit, Finding
from callgate.load.project import Project
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.span import Span
from tests.cli.conftest import Run
from tests.cli.test_lint import GUARDS, configure
from tests.lint.bundles import write_files

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "cases/sarif/sarif-2.1.0.schema.json").read_text("utf-8")
)
HOSTILE = "a%b\r\nc::d,e:f]]>&<\"'\x00\x1b[31m\u202e\ud800\ufffe"


def outcome(*findings: Finding, files: dict[str, bytes] | None = None) -> Outcome:
    """An outcome as `check_all` gives it."""
    layers = [list((files or {}).items())]
    bundle = Bundle("policies/acme", layers, Report(findings))
    return Outcome((bundle,), findings, 0, None, Project(Path()))


def found(
    code: str = "L001",
    message: str = "m",
    file: str = "policies/acme/guards.yaml",
    line: int = 2,
    **more: Any,
) -> Finding:
    fix = more.pop("fix", ())
    item = Diagnostic(
        code, message, Span(file, line, 3, line, 5), "h", Severity.WARNING, more.pop("related", ())
    )
    return Finding(item, fix)


def checked(text: str) -> Any:
    """The run of a SARIF log, checked against the schema."""
    log = json.loads(text)
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    (run,) = log["runs"]
    return run


def test_the_schema_finds_what_is_wrong() -> None:
    log = json.loads(sarif_text(outcome(found())))
    log["runs"][0]["results"][0]["level"] = "bad"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SCHEMA).validate(log)


def test_sarif_of_a_bundle(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = GUARDS.replace("    kind", "    # callgate: ignore[L001] why\n    kind")
    write_files(tmp_path, {"guards.yaml": text})
    configure(tmp_path)
    told = checked(run("lint", "--format", "sarif").stdout)
    assert [item["ruleId"] for item in told["results"]] == ["L503", "L001"]
    rules = told["tool"]["driver"]["rules"]
    for item in told["results"]:
        rule = rules[item["ruleIndex"]]
        assert rule["id"] == item["ruleId"]
        assert rule["help"]["markdown"].startswith(f"# {rule['id']}: ")
        place = item["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place == {"uri": "policies/acme/guards.yaml", "uriBaseId": "%SRCROOT%"}
    (fix,) = told["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": ""}
    assert change["replacements"][0]["deletedRegion"]["startLine"] == 1


def test_sarif_of_everything() -> None:
    related = (("first", Span("policies/acme/b c.yaml", 1, 1, 2, 2)),)
    fix = (Edit(Span("policies/acme/guards.yaml", 1, 1, 1, 2), "x\n"),)
    nowhere = Finding(Diagnostic("settings.some-check", HOSTILE))
    run = checked(
        sarif_text(
            outcome(
                found(related=related, fix=fix), found("T003", HOSTILE), found(file="/a/b"), nowhere
            )
        )
    )
    first, _, outside, last = run["results"]
    assert first["relatedLocations"][0]["message"] == {"text": "first"}
    assert (
        first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        == "policies/acme/b%20c.yaml"
    )
    uri = outside["locations"][0]["physicalLocation"]["artifactLocation"]
    assert uri == {"uri": "file:///a/b"}
    assert "locations" not in last
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "L001",
        "T003",
        "settings.some-check",
    ]
    assert checked(sarif_text(outcome()))["results"] == []


def test_fingerprints_do_not_know_line_numbers() -> None:
    def prints(text: bytes, *lines: int) -> list[str]:
        files = {"policies/acme/bundle.yaml": b"", "policies/acme/guards.yaml": text}
        items = [found(line=line) for line in lines]
        run = checked(sarif_text(outcome(*items, files=files)))
        return [next(iter(item["partialFingerprints"].values())) for item in run["results"]]

    before = prints(b"a\n  x: 1\nb\nx: 1\n", 2, 4)
    assert prints(b"# more\na\n    x: 1\n\n\nb\nx: 1\n", 3, 7) == before
    assert len(set(before)) == 2
    assert prints(b"a\nx: 2\n", 2) != before[:1]


def test_fingerprints_hold_nothing_of_settings() -> None:
    def prints(text: bytes) -> Any:
        item = found("E005", file="policies/acme/guards.yaml")
        files = {"policies/acme/bundle.yaml": b"", "policies/acme/guards.yaml": text}
        return checked(sarif_text(outcome(item, files=files)))["results"][0]

    assert prints(b"a\nkey: hunter2\n") == prints(b"a\nkey: other\n")


def test_commands_end_where_they_should() -> None:
    related = Finding(Diagnostic("T003", HOSTILE, Span("a,b:c%.yaml", 1, 2, 3, 4), HOSTILE))
    text = github_text(outcome(related, found()))
    first, second, end = text.split("\n")
    assert end == ""
    assert second == (
        "::warning file=policies/acme/guards.yaml,line=2,col=3,endColumn=5,title=L001::m (h)"
    )
    assert first.startswith("::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=T003::a%25b%0D%0Ac")
    assert not set("\r\x00\x1b\u202e\ud800") & set(first)
    assert github_text(outcome()) == ""


def test_junit_holds_hostile_texts() -> None:
    hostile = Finding(Diagnostic("T003", HOSTILE, Span(HOSTILE, 1, 2, 1, 4), HOSTILE))
    text = junit_text(outcome(hostile, found()), "error")
    root = Xml.fromstring(text.encode())
    assert [(suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("1", "1"),
        ("1", "0"),
    ]
    failure = root.find(".//failure")
    assert failure is not None and failure.text is not None
    assert "]]>&<\"'\\u{0}" in failure.text
    assert root.find(".//system-out") is not None
    strict = Xml.fromstring(junit_text(outcome(found()), "warning").encode())
    assert strict.find(".//failure") is not None


def test_junit_without_findings_has_a_case_that_passes() -> None:
    (suite,) = Xml.fromstring(junit_text(outcome(), "error").encode())
    assert [case.get("classname") for case in suite] == ["policies/acme"]


def test_results_go_to_a_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"guards.yaml": GUARDS})
    configure(tmp_path)
    result = run("lint", "--format", "sarif", "-o", "out.sarif")
    assert result.stdout == ""
    assert "1 bundle checked: 1 warning; see out.sarif" in result.stderr
    assert len(checked(Path("out.sarif").read_text())["results"]) == 1
    assert run("lint", "-o", "out.txt").exit_code == 1
