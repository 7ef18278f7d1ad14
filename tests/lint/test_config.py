"""The configuration of lint: levels, ignores, and what is wrong in it."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from textwrap import dedent

import pytest

from callgate.lint.config import LintConfig, lint_config
from callgate.lint.run import lint
from callgate.load.project import Project, find_project
from callgate.model.diagnostic import Diagnostics, Severity
from tests.lint.bundles import NOW, subject

TODAY = date(2026, 12, 1)


def read(folder: Path, text: str, name: str = ".callgate.yaml") -> tuple[Project, LintConfig, list]:
    """A configuration, and what is wrong with it: code, line, message and help."""
    (folder / name).write_text(dedent(text))
    found = Diagnostics()
    project = find_project(found, folder)
    config = lint_config(project, found)
    return (
        project,
        config,
        [
            (item.code, item.span.line if item.span else 0, item.message, item.help)
            for item in found.sorted()
        ],
    )


def test_levels_by_code_and_name(tmp_path: Path) -> None:
    text = "lint: {levels: {ended-exception: error, l002: 'off', C024: 'off'}}"
    _, config, wrong = read(tmp_path, text)
    assert wrong == []
    assert config.levels == {"L001": Severity.ERROR, "L002": None, "C024": None}
    assert {"L001", "L002"} & {rule.code for rule in config.rules} == {"L001"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("lint: {levels: {L001: eror}}", ("S004", 1, "`eror` is not allowed as `L001`", "error")),
        ("lint: {levels: {ended-excption: error}}", ("S004", 1, "`ended-excption` is no lint rule",
                                                      "ended-exception")),
        ("lint:\n  levels:\n    T003: error", ("S004", 3, "`T003` is an error", "never ignored")),
        ("lint: {ignore: [{rule: Y001, reason: x}]}", ("S004", 1, "`Y001` is an error", "never")),
        ("lint: {level: {}}", ("S001", 1, "unknown key `level`", "levels")),
        ("lnt: {}", ("S001", 1, "unknown key `lnt`", "lint")),
        ("lint: {ignore: [{rule: L001}]}", ("S002", 1, "`reason` is missing", "")),
        ("lint: {ignore: [{rule: L0001, reason: x}]}", ("S004", 1, "`L0001` is no lint rule",
                                                        "L001")),
        ("lint: {ignore: [{rule: L001, reason: x, until: 2027-02-30}]}",
         ("S004", 1, "`2027-02-30` is no date", "2027")),
        ("lint: {ignore: [{rule: L001, reason: x, until: spring}]}",
         ("S004", 1, "`spring` is not a valid until", "")),
        ("- a", ("S003", 1, "expected a mapping, found a list", "bundles")),
        ("bundles: []", ("S004", 1, "this list is empty", "policies/acme")),
        ("bundles: [a: b", ("Y001", 1, "", "")),
    ],
)  # fmt: skip
def test_what_is_wrong(tmp_path: Path, text: str, wrong: tuple[str, int, str, str]) -> None:
    found = read(tmp_path, text)[2]
    assert found
    code, line, message, help = found[0]
    assert (code, line) == wrong[:2]
    assert message.startswith(wrong[2])
    assert wrong[3] in help


TOML = """\
    [project]
    name = "levels"

    [tool.callgate]
    bundles = ["policies/acme", "echo"]

    [tool.callgate.lint.levels]
    ended-exception = "off"
    L0002 = "error"

    [[tool.callgate.lint.ignore]]
    rule = "L001"
    reason = "why"
    until = 2027-01-01

    [[tool.callgate.lint.ignore]]
    rule = "L01"
    reason = "why"

    [[tool.callgate.lint.ignore]]
    rule = "L01"
    reason = "why"

    [tool.callgate.test]
    fail-under = 99.5
    """


def test_pyproject_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, config, wrong = read(tmp_path, TOML, "pyproject.toml")
    monkeypatch.chdir(tmp_path)
    assert project.bundles == ("policies/acme", "echo")
    assert project.fail_under == 99.5
    assert config.levels == {"L001": None}
    assert [(item.code, item.until) for item in config.ignores] == [("L001", date(2027, 1, 1))]
    assert [item[:3] for item in wrong] == [
        ("S004", 9, "`L0002` is no lint rule"),
        ("S004", 17, "`L01` is no lint rule"),
        ("S004", 21, "`L01` is no lint rule"),
    ]


def test_the_nearest_counts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".callgate.yaml").write_text("bundles: [policies/acme, ./x]\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")  # none of ours
    monkeypatch.chdir(inner)
    assert find_project(Diagnostics()).bundles == ("../../policies/acme", "../../x")
    (tmp_path / "a" / ".callgate.yaml").write_text("test: {fail-under: 80}\n")
    assert find_project(Diagnostics()).bundles == ()


def test_both_in_a_folder_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.callgate]\nbundles = ['x']\n")
    wrong = read(tmp_path, "bundles: [y]")[2]
    assert [item[0] for item in wrong] == ["S006"]


def test_a_pyproject_that_is_no_toml_is_told_where_it_could_be_ours(tmp_path: Path) -> None:
    assert [item[0] for item in read(tmp_path, "[tool.callgate\n", "pyproject.toml")[2]] == ["Y001"]
    assert read(tmp_path, "[tool.other\n", "pyproject.toml")[2] == []


def folder(path: Path) -> None:
    path.mkdir()


def broken_link(path: Path) -> None:
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("name", [".callgate.yaml", "pyproject.toml"])
@pytest.mark.parametrize("make", [folder, broken_link, loop, pipe])
def test_what_can_not_be_read_is_not_passed_over(tmp_path: Path, make: object, name: str) -> None:
    assert callable(make)
    (tmp_path / ".callgate.yaml").write_text("bundles: [x]\n")
    (tmp_path / "a").mkdir()
    make(tmp_path / "a" / name)
    found = Diagnostics()
    find_project(found, tmp_path / "a")
    assert [item.code for item in found.items] == ["Y013"]


def test_toml_that_is_nested_too_deep(tmp_path: Path) -> None:
    text = f"[tool.callgate]\nbundles = {'[' * 20_000}"
    ((code, _, message, _),) = read(tmp_path, text, "pyproject.toml")[2]
    assert (code, message) == ("Y001", "`pyproject.toml` can't be read: it is nested too deep")


@pytest.mark.parametrize(
    ("of", "mode", "counts"),
    [
        ("a/.callgate.yaml", 0o644, True),
        ("a/.callgate.yaml", 0o664, True),
        ("a/.callgate.yaml", 0o666, False),
        ("a", 0o775, True),
        ("a", 0o777, False),
        ("a", 0o1777, True),
    ],
)
@pytest.mark.parametrize("repository", ["", "a", ".", "a/b"])
def test_what_others_may_write_counts_in_a_repository_only(
    tmp_path: Path, of: str, mode: int, counts: bool, repository: str
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / ".callgate.yaml").write_text("bundles: [x]\n")
    (tmp_path / of).chmod(mode)
    if repository:
        (tmp_path / repository / ".git").mkdir()
    found = Diagnostics()
    project = find_project(found, tmp_path / "a" / "b")
    if repository == "a/b":  # what is above the repository is not looked at
        assert (project.data, found.items) == ({}, [])
        return
    counts = counts or bool(repository)
    assert bool(project.data) is counts
    assert [item.code for item in found.items] == ([] if counts else ["Y013"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize(
    ("given", "counts"),
    [
        ((".callgate.yaml",), False),
        ((".callgate.yaml", ".git"), False),  # somebody put both into a folder of ours
        ((".callgate.yaml", ".git", "."), True),  # a checkout
    ],
)
def test_what_belongs_to_another_user(tmp_path: Path, given: tuple[str, ...], counts: bool) -> None:
    (tmp_path / ".callgate.yaml").write_text("bundles: [x]\n")
    if ".git" in given:
        (tmp_path / ".git").mkdir()
    for name in given:
        os.chown(tmp_path / name, 12345, 12345)
    found = Diagnostics()
    assert bool(find_project(found, tmp_path).data) is counts
    assert [item.code for item in found.items] == ([] if counts else ["Y013"])


GUARDS = """\
    kind: guards
    rules:
      - id: g
        title: G
        decide: deny
        when: call.sender_id == "ann"
        reason: no
        exceptions:
          - {id: g.x, when: call.agent_id == "a", until: 2026-01-01, owner: ann, reason: x}
      - id: h
        title: H
        decide: deny
        when: call.sender_id == "bob"
        reason: no
        exceptions:
          - {id: h.x, when: call.agent_id == "a", until: 2026-01-01, owner: ann, reason: x}
    """


@pytest.mark.parametrize(
    ("entry", "lines"),
    [
        ("{rule: L001, reason: x}", []),
        ("{rule: ended-exception, reason: x, files: [guards.yaml]}", []),
        ("{rule: ended-exception, reason: x, files: ['*.yaml']}", []),
        ("{rule: ended-exception, reason: x, files: ['policies/*']}", []),
        ("{rule: ended-exception, reason: x, files: ['flow.yaml', 'rules/*']}", [9, 16]),
        ("{rule: L002, reason: x}", [9, 16]),
        ("{rule: L001, reason: x, id: g}", [16]),
        ("{rule: L001, reason: x, id: h.x}", [9]),
        ("{rule: L001, reason: x, id: nothing}", [9, 16]),
        ("{rule: L001, reason: x, until: 2026-12-02}", []),
        ("{rule: L001, reason: x, until: 2026-12-01}", [9, 16]),
    ],
)
def test_what_is_left_out(tmp_path: Path, entry: str, lines: list[int]) -> None:
    _, config, wrong = read(tmp_path, f"lint: {{ignore: [{entry}]}}")
    assert wrong == []
    report = lint(subject(tmp_path, guards=GUARDS).loaded, NOW, config)
    found = [item.diagnostic for item in report.findings if item.diagnostic.code == "L001"]
    assert [item.span.line for item in found if item.span] == lines
    assert report.ignored >= 2 - len(lines)
    used = not lines or len(lines) == 1
    assert report.used_entries == (frozenset({0}) if used else frozenset())


def test_an_ignore_with_an_end_that_is_none_does_not_count(tmp_path: Path) -> None:
    _, config, wrong = read(
        tmp_path, "lint: {ignore: [{rule: L001, reason: x, until: 2027-02-30}]}"
    )
    assert [item[0] for item in wrong] == ["S004"]
    assert config.ignores == ()


def test_levels_are_those_of_the_findings(tmp_path: Path) -> None:
    config = LintConfig({"L001": Severity.ERROR})
    report = lint(subject(tmp_path, guards=GUARDS).loaded, NOW, config)
    found = [item.diagnostic for item in report.findings if item.diagnostic.code == "L001"]
    assert [item.severity for item in found] == [Severity.ERROR] * 2


def test_ignores_that_ended_or_ignore_nothing_are_told(tmp_path: Path) -> None:
    text = """\
        lint:
          levels: {L501: "off"}
          ignore:
            - {rule: L001, reason: x, until: 2026-12-01}
            - {rule: L001, reason: x}
            - {rule: L501, reason: x}
            - {rule: L002, reason: x}
        """
    _, config, wrong = read(tmp_path, text)
    assert wrong == []
    told = [*config.ended(TODAY), *config.unused({1}, TODAY)]
    lines = [(item.code, item.span.line) for item in told if item.span]
    assert lines == [("L502", 4), ("L503", 7)]
