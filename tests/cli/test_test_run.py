"""`callgate test`: what is run, how often, and what is shown of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from click.testing import Result

from callgate.cli.paint import Painter
from callgate.cli.test_dots import Dots
from callgate.model.span import Span
from callgate.policytest.case import Case
from callgate.policytest.parallel import can_fork
from tests.acme import BUNDLE

Run = Callable[..., Result]

PASSED = "acme: 7 passed, 4 guard examples, 1 invariant held"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the bundle that a test may change."""
    return Path(shutil.copytree(BUNDLE, tmp_path / "acme"))


def spoil(bundle: Path, old: str, new: str, file: str = "tests.yaml") -> None:
    path = bundle / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def last(result: Result) -> str:
    return result.stdout.splitlines()[-1]


def test_what_passed_is_not_run_again(run: Run, copy: Path) -> None:
    first, second = run("test", copy), run("test", copy)
    assert last(first) == PASSED
    assert second.stdout == first.stdout.replace(PASSED, f"{PASSED} (cached)")
    assert json.loads(run("test", copy, "--format", "json").stdout)["cached"] is True
    assert last(run("test", copy, "--no-cache")) == PASSED
    assert last(run("test", copy, "-k", "row")) == (
        "acme: 6 passed, 1 not run, 4 guard examples, 1 invariant held"
    )
    spoil(copy, "kind: tests", "# changed\nkind: tests")
    assert last(run("test", copy)) == PASSED


def test_what_failed_is_run_again(run: Run, copy: Path) -> None:
    spoil(copy, "rule: tiers.look,", "rule: tiers.team,")
    for _ in range(2):
        result = run("test", copy)
        assert (result.exit_code, last(result)) == (
            3,
            "acme: 1 failed, 6 passed, 4 guard examples",
        )


def test_the_same_in_a_base_is_another_run(run: Run, copy: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "bundle.yaml").write_text(
        "kind: bundle\nname: own\nversion: '1'\ntitle: T\nextends: ../acme\nfiles: [m.yaml]\n"
    )
    (own / "m.yaml").write_text("kind: masking\n")
    assert not last(run("test", own)).endswith("(cached)")
    assert last(run("test", own)).endswith("(cached)")
    spoil(copy, "decision: allow, rule: tiers.look", "decision: deny, rule: tiers.look")
    assert last(run("test", own)) == "own: 1 failed, 6 passed, 4 guard examples"


@pytest.mark.parametrize(
    ("expression", "passed"),
    [("looking", 1), ("saving or settings", 6), ("files.private", 1), ("not tests.yaml", 0)],
)
def test_some_cases(run: Run, expression: str, passed: int) -> None:
    result = run("test", BUNDLE, "--format", "json", "-k", expression)
    if passed:
        told = json.loads(result.stdout)
        assert (told["passed"], told["not_run"]) == (passed, 7 - passed)
    else:
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"callgate: -k selects none of 7 cases: {expression}\n"


def test_an_expression_that_cannot_be_read(run: Run) -> None:
    result = run("test", BUNDLE, "-k", "a b")
    assert result.exit_code == 1
    assert "-k, column 3: expected `and`, `or` or the end" in result.stderr


@pytest.mark.parametrize(
    ("options", "ran", "failed"), [([], 7, 3), (["-x"], 1, 1), (["--maxfail", "2"], 4, 2)]
)
def test_the_first_failures_end_it(
    run: Run, copy: Path, options: list[str], ran: int, failed: int
) -> None:
    spoil(copy, "rule: tiers.look,", "rule: tiers.team,")
    spoil(copy, "allow, human.once", "deny, human.once")
    spoil(copy, "[save], deny]", "[save], allow]")
    result = run("test", copy, "--format", "json", *options)
    told = json.loads(result.stdout)
    assert result.exit_code == 3
    assert (told["passed"] + told["failed"], told["failed"], told["not_run"]) == (
        ran,
        failed,
        7 - ran,
    )


def test_quietly(run: Run) -> None:
    assert run("test", BUNDLE, "-q", "--no-cache").stdout == f"\n{PASSED}\n"


def test_the_slowest_cases(run: Run) -> None:
    lines = run("test", BUNDLE, "--durations", "2").stdout.splitlines()
    assert lines[2] == "slowest of 7 cases"
    assert [" ms  " in line and "tests.yaml:" in line for line in lines[3:5]] == [True, True]
    told = json.loads(run("test", BUNDLE, "--durations", "9", "--format", "json").stdout)
    seconds = [case["seconds"] for case in told["durations"]]
    assert len(seconds) == 7 and seconds == sorted(seconds, reverse=True)


@pytest.mark.skipif(not can_fork(), reason="makes no processes of this kind")
def test_several_processes_show_the_same(run: Run, copy: Path) -> None:
    spoil(copy, "allow, human.once", "deny, human.once")
    one, two = (run("test", copy, "-j", jobs) for jobs in ("1", "2"))
    assert (two.exit_code, two.stdout) == (one.exit_code, one.stdout)


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5", "9999"])
def test_what_is_no_number_of_processes(run: Run, jobs: str) -> None:
    result = run("test", BUNDLE, "-j", jobs)
    assert result.exit_code == 1
    assert f"`{jobs}` is no number of processes" in result.stderr


def test_as_many_processes_as_there_are(run: Run) -> None:
    assert last(run("test", BUNDLE, "-j", "auto", "--no-cache")) == PASSED


def test_the_bundles_of_the_configuration(
    run: Run, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.rename(copy.parent / "mine")
    (copy.parent / ".callgate.yaml").write_text("bundles: [mine]\n")
    monkeypatch.chdir(copy.parent)
    assert last(run("test")).startswith(PASSED)


def test_a_result_in_a_file(run: Run, tmp_path: Path) -> None:
    result = run("test", BUNDLE, "--format", "json", "-o", tmp_path / "x.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads((tmp_path / "x.json").read_text())["passed"] == 7


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["-o", "x"], "-o goes with --from-log, --generate, or a --format for programs"),
        (["--records", "."], "--records goes with --from-log"),
        (["--from-log", "0" * 32, "-k", "x"], "--from-log takes one PATH, --records and -o"),
        (["--watch", "--coverage"], "--watch shows results as they change"),
        (["--watch", "--format", "junit"], "--watch shows results as they change"),
        (["--generate", "--mutate"], "ask for one at a time"),
        (["--limit", "3"], "--limit goes with --generate or --mutate"),
        (["--only", "x"], "--only goes with --mutate"),
        (["--mutate", "--coverage"], "run all cases, and show no coverage"),
        (["--generate", "-k", "x"], "run all cases, and show no coverage"),
        (["--generate", "--format", "junit"], "write `pretty` or `json`"),
        (["--mutate", "acme"], "take one PATH"),
    ],
)
def test_options_that_do_not_go_together(run: Run, options: list[str], problem: str) -> None:
    result = run("test", BUNDLE, *options)
    assert result.exit_code == 1
    assert problem in result.stderr


def test_coverage_that_falls_short(run: Run, copy: Path, tmp_path: Path) -> None:
    result = run("test", copy, "--fail-under", "100", "--coverage-lcov", tmp_path / "x.info")
    assert result.exit_code == 3
    assert "callgate: acme: coverage is " in result.stderr
    assert (tmp_path / "x.info").read_text().startswith("TN:")
    assert run("test", copy, "--fail-under", "1").exit_code == 0
    told = json.loads(run("test", copy, "--coverage", "--format", "json").stdout)
    assert {row["rule"] for row in told["coverage"]} >= {"tiers.look", "files.private"}
    assert told["reached"]["nodes"]["total"] > 0


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_told_that_a_bundle_is_loaded() -> None:
    stream = Terminal()
    dots = Dots(Painter(stream))
    case = Case("x", {}, {}, {}, Span("a/tests.yaml", 1, 1, 1, 1), confirmed=False)
    dots.loading("a")
    dots.done(case, True)
    dots.done(case, False)
    dots.end()
    assert stream.getvalue() == "loading a …\r\x1b[2Ka/tests.yaml pF\n"
