"""`callgate ci`: what it checks, what it repeats, and what it writes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from callgate.policytest import loaded
from tests.cli.conftest import Run

FOLDER = Path("policies/shop")
FIRST = FOLDER / "tests.yaml"
GUARDS = FOLDER / "guards.yaml"


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """A small bundle, which the configuration names, and an empty cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert run("init", str(FOLDER), "--template", "minimal").exit_code == 0


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def configure(text: str) -> None:
    Path(".callgate.yaml").write_text(f"bundles: [{FOLDER}]\n{text}")


def checks(run: Run, *args: str, code: int = 0) -> list[dict[str, Any]]:
    result = run("ci", "--format", "json", *args)
    assert result.exit_code == code, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    assert code == (0 if all(check["passed"] for check in found) else 3)
    return found


def cached(found: list[dict[str, Any]]) -> list[str]:
    return [check["check"] for check in found if check["cached"]]


def failed(found: list[dict[str, Any]]) -> list[str]:
    return [check["check"] for check in found if not check["passed"]]


ALL = ["lint", "test", "coverage"]


def test_what_passed_is_not_run_again(run: Run) -> None:
    first = checks(run)
    assert [check["check"] for check in first] == ["lint", "fmt", "test", "coverage"]
    assert cached(first) == []
    again = checks(run)
    assert cached(again) == ALL
    plain = [{**check, "cached": False} for check in again]
    assert plain == first


def change_rule() -> None:
    edit(GUARDS, "Writing outside the notes", "Writing elsewhere")


def change_test() -> None:
    edit(FIRST, "reading is allowed", "looking is allowed")


def change_levels() -> None:
    configure("lint: {levels: {L301: error}}\n")


def change_settings() -> None:
    Path("settings.yaml").write_text("approval: {trusted_channels: [desk]}\n")


def require_all() -> None:
    configure("test: {fail-under: 100}\n")


@pytest.mark.parametrize(
    ("change", "args", "same"),
    [
        (lambda: None, (), ALL),
        (lambda: None, ("--no-cache",), []),
        (lambda: None, ("--fail-under", "100"), ALL),
        (require_all, (), ALL),
        (lambda: None, ("--junit", "x.xml"), ["lint"]),
        (lambda: None, ("--lcov", "x.lcov"), ["lint"]),
        (lambda: None, ("--sarif", "x.sarif", "--summary", "x.md"), ALL),
        (change_rule, (), []),
        (change_test, (), []),
        (change_levels, (), ["test", "coverage"]),
        (change_settings, ("--settings", "settings.yaml"), ["test", "coverage"]),
    ],
)
def test_what_a_change_makes_it_check_again(
    change: Any, args: tuple[str, ...], same: list[str], run: Run
) -> None:
    checks(run)
    change()
    assert cached(checks(run, *args)) == same


def test_other_settings_are_other_findings(run: Run) -> None:
    change_settings()
    given = ("--settings", "settings.yaml")
    assert cached(checks(run, *given)) == []
    assert cached(checks(run, *given)) == ALL
    edit(Path("settings.yaml"), "[desk]", "7")
    found = checks(run, *given, code=3)
    assert (cached(found), failed(found)) == (["test", "coverage"], ["lint"])


def test_another_day_may_find_something_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    checks(run)

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Later:
            return cls(2099, 1, 1, tzinfo=UTC)

    monkeypatch.setattr("callgate.cli.lint_outcome.datetime", Later)
    assert cached(checks(run)) == ["test", "coverage"]


def test_a_failed_run_is_not_kept(run: Run) -> None:
    edit(FIRST, "rule: everyday.look", "rule: everyday.lok")
    for _ in range(2):
        found = checks(run, code=3)
        assert failed(found) == ["test"]
        assert "test" not in cached(found)


@pytest.mark.parametrize("readable", [True, False])
def test_a_file_that_is_not_listed_is_no_cached_pass(readable: bool, run: Run) -> None:
    checks(run)
    more = FOLDER / "more.yaml"
    if readable:
        more.write_text("kind: guards\nrules: []\n")
    else:
        more.symlink_to("nowhere")
    found = checks(run, code=3)
    assert {"lint", "test"} <= set(failed(found))
    assert cached(found) == []
    more.unlink()
    assert cached(checks(run)) == ALL


def test_coverage_that_is_asked_for(run: Run) -> None:
    text = FIRST.read_text()
    FIRST.write_text(re.sub(r"(?m)^.*person\.always\]\n", "", text))
    assert failed(checks(run)) == []
    told = []
    for _ in range(2):
        found = checks(run, "--fail-under", "100", code=3)
        assert failed(found) == ["coverage"]
        told.append(found[-1]["details"])
    # What is kept says the same.
    assert told[0] == told[1] != []
    assert "person.always" in str(told[0])
    require_all()
    assert failed(checks(run, code=3)) == ["coverage"]
    assert failed(checks(run, "--fail-under", "50")) == []


def test_a_bundle_is_loaded_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    load = loaded.load

    def counting(*args: Any) -> loaded.Loaded:
        nonlocal count
        count += 1
        return load(*args)

    monkeypatch.setattr(loaded, "load", counting)
    checks(run, "--no-cache")
    assert count == 1
    checks(run)
    checks(run)
    assert count == 2


def break_layout() -> None:
    edit(GUARDS, "kind: guards", "kind:   guards")


def break_condition() -> None:
    edit(GUARDS, "w.path under", "w.pth under")


def break_yaml() -> None:
    GUARDS.write_text("kind: guards\nrules: [\n")


def break_configuration() -> None:
    Path(".callgate.yaml").write_text("bundles: 5\n")


def configure_twice() -> None:
    Path("pyproject.toml").write_text("[tool.callgate]\nbundles = ['policies/shop']\n")


@pytest.mark.parametrize(
    ("change", "args", "code", "wrong"),
    [
        (lambda: None, (), 0, []),
        (break_layout, (), 3, ["fmt"]),
        (break_condition, (), 3, ["lint", "test"]),
        (break_yaml, (), 3, ["lint", "fmt", "test"]),
        (break_configuration, (), 3, ["config"]),
        (configure_twice, (), 3, ["config"]),
        (lambda: None, ("nowhere",), 3, ["lint", "fmt", "test"]),
        (lambda: None, ("nowhere", str(FOLDER)), 3, ["lint", "fmt", "test"]),
        (lambda: configure("lint: {levels: {nothing: error}}\n"), (), 3, ["config"]),
    ],
)
def test_everything_is_looked_at(
    change: Any, args: tuple[str, ...], code: int, wrong: list[str], run: Run
) -> None:
    change()
    found = checks(run, *args, code=code)
    assert failed(found) == wrong
    for check in found:
        assert check["passed"] or check["check"] == "test" or check["details"]
    names = [check["bundle"] for check in found]
    assert (str(FOLDER) in names) == (not args or str(FOLDER) in args) or wrong == ["config"]
    reports = ("--junit", "a.xml", "--sarif", "a.sarif", "--lcov", "a.lcov", "--summary", "a.md")
    result = run("ci", *args, *reports)
    assert result.exit_code == code
    counted = ElementTree.parse("a.xml").getroot().findall("testsuite/testcase/failure")
    assert bool(counted) == bool(wrong)
    runs = json.loads(Path("a.sarif").read_text())["runs"]
    levels = [item["level"] for item in runs[0]["results"]]
    assert ("error" in levels) == bool({"lint", "config"} & set(wrong))
    assert Path("a.md").read_text().startswith("## Policies: ")
    ran = any(check["check"] == "coverage" for check in found)
    assert ("end_of_record" in Path("a.lcov").read_text()) == ran


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--junit", "nowhere/a.xml"), "no such file or directory `nowhere/a.xml`"),
        (("--summary", "nowhere/a.md"), "no such file or directory `nowhere/a.md`"),
        (("--junit", "policies"), "policies"),
        (("--fail-under", "101"), "101"),
        (("--format", "yaml"), "yaml"),
    ],
)
def test_what_can_not_be_done(args: tuple[str, ...], told: str, run: Run) -> None:
    result = run("ci", *args)
    assert result.exit_code == 1
    assert told in result.stderr


def test_several_bundles_have_their_own_results(run: Run) -> None:
    assert run("init", "policies/other", "--template", "minimal").exit_code == 0
    edit(Path("policies/other/tests.yaml"), "rule: everyday.look", "rule: everyday.lok")
    found = checks(run, str(FOLDER), "policies/other", str(FOLDER), code=3)
    assert [check["bundle"] for check in found] == [str(FOLDER)] * 4 + ["policies/other"] * 4
    assert [check["bundle"] for check in found if not check["passed"]] == ["policies/other"]
    assert run("ci", FOLDER, "policies/other", "--lcov", "a.lcov").exit_code == 3
    files = re.findall(r"(?m)^SF:(.*)$", Path("a.lcov").read_text())
    assert {"policies/shop/flow.yaml", "policies/other/flow.yaml"} <= set(files)
    assert len(files) == len(set(files))


def test_a_bundle_without_tests(run: Run) -> None:
    FIRST.unlink()
    edit(FOLDER / "bundle.yaml", ", tests.yaml", "")
    found = checks(run)
    assert found[2]["summary"] == "0 passed, 4 guard examples"
    assert failed(checks(run, "--fail-under", "50", code=3)) == ["coverage"]


def test_pretty_tells_what_failed_and_then_the_summary(run: Run) -> None:
    break_layout()
    edit(FIRST, "rule: everyday.look", "rule: everyday.lok")
    result = run("ci", "--fail-under", "100")
    assert result.exit_code == 3
    assert "policies/shop/guards.yaml  another layout" in result.stdout
    assert "rule            expected everyday.lok" in result.stdout
    tail = [line[2:] for line in result.stdout.splitlines()[-4:]]
    assert [line[:9] for line in tail] == ["✓ lint   ", "✕ fmt    ", "✕ test   ", "✓ coverag"]


HOSTILE = "a|b`<img src=x>**c**\n::error::d\u202e##[group]e\\|[f](g)&h@i"


def hostile(run: Run) -> str:
    """A folder and a test that fails, with names that would like to be something else."""
    folder = f"policies/{HOSTILE}"
    assert run("init", folder, "--template", "minimal", "--name", "shop").exit_code == 0
    name = json.dumps(HOSTILE.replace("\n", " ")[:60])
    edit(Path(folder) / "tests.yaml", "name: reading is allowed", f"name: {name}")
    edit(Path(folder) / "tests.yaml", "rule: everyday.look", "rule: everyday.lok")
    return folder


def test_names_do_nothing_in_markdown(run: Run) -> None:
    Path("a.md").write_text("before\n")
    assert run("ci", hostile(run), "--summary", "a.md").exit_code == 3
    text = Path("a.md").read_text()
    assert text.startswith("before\n## Policies: ")
    assert text.isascii()
    for sign in "`*[]@\\":
        assert sign not in text
    assert re.findall(r"<[^>]*>", text) and set(re.findall(r"</?(\w+)", text)) == {
        "details",
        "summary",
    }
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {5}
    ours = {"before", "## ", "| ", "|--", "<de", "- ", "</d", ""}
    assert all(any(line.startswith(o) for o in ours if o) or not line for line in text.splitlines())
    assert "&#60;img src&#61;x&#62;" in text


def test_names_are_no_commands_of_github(run: Run) -> None:
    result = run("ci", hostile(run), "--format", "github")
    assert result.exit_code == 3
    commands, _, rest = result.stdout.partition("::stop-commands::")
    for line in commands.splitlines():
        assert re.match(r"::(error|warning|notice) [^:]*title=\w+::", line), line
    token, *lines = rest.splitlines()
    assert re.fullmatch(r"[0-9a-f]{32}", token)
    assert lines[-1] == f"::{token}::"
    assert "\u202e" not in result.stdout


def test_names_are_text_in_the_other_reports(run: Run) -> None:
    folder = hostile(run)
    result = run("ci", folder, "--junit", "a.xml", "--sarif", "a.sarif", "--lcov", "a.lcov")
    assert result.exit_code == 3
    assert "\u202e" not in result.stdout + Path("a.xml").read_text()
    suites = ElementTree.parse("a.xml").getroot().findall("testsuite")
    assert suites[0].get("name") == "checks"
    for suite in suites:
        assert int(suite.get("tests", 0)) == len(suite.findall("testcase"))
        assert int(suite.get("failures", 0)) == len(suite.findall("testcase/failure"))
    assert json.loads(Path("a.sarif").read_text())["version"] == "2.1.0"


def test_annotations_of_github(run: Run) -> None:
    break_layout()
    edit(FIRST, "rule: everyday.look", "rule: everyday.lok")
    text = FIRST.read_text()
    FIRST.write_text(re.sub(r"(?m)^.*person\.always\]\n", "", text))
    found = run("ci", "--format", "github", "--fail-under", "100").stdout
    place = r"::error file=policies/shop"
    assert re.search(rf"(?m)^{place}/guards.yaml,line=1,title=fmt::another layout", found)
    assert re.search(rf"(?m)^{place}/tests.yaml,line=5,title=test::reading is allowed$", found)
    assert re.search(rf"(?m)^{place}/flow.yaml,line=\d+,title=coverage::person.always: ", found)
    assert re.search(r"(?m)^::warning file=policies/shop/flow.yaml,.*title=L401::", found)


def test_a_terminal_sees_that_something_is_done() -> None:
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "callgate", "ci"],
        stdout=subprocess.PIPE,
        stderr=other,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    os.close(other)
    out, _ = process.communicate()
    shown = os.read(main, 65536).decode()
    os.close(main)
    assert process.returncode == 0
    for what in ("lint …", f"fmt {FOLDER} …", f"test {FOLDER} …"):
        assert what in shown
    # The last of them is removed before anything else is told.
    assert shown.rpartition(" …")[2].startswith("\r\x1b[2K")
    assert f"{FOLDER}\n  ✓ lint" in out.decode()
