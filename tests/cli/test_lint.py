"""`callgate lint`: what it prints, from where, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from callgate.lint.catalogue import all_rules
from callgate.model.codes import CODES
from tests.acme import BUNDLE
from tests.cli.conftest import Run
from tests.lint.bundles import write_files

GUARDS = """\
    kind: guards
    rules:
      - id: files.etc
        title: System settings
        decide: deny
        each: w in effects.write
        when: w.path under "/etc"
        reason: "{w.path} belongs to the system"
        exceptions:
          - id: files.etc.moving
            when: call.agent_id == "a"
            until: 2001-01-01
            owner: platform team
            reason: the machines move
    """


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the bundle policies/acme, in which an exception has ended. Of the
    rules only those about exceptions and ignores are on."""
    write_files(tmp_path, {"guards.yaml": GUARDS})
    configure(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configure(folder: Path, **said: object) -> None:
    """Write a configuration. `on`: further rules that are on; `levels`, `ignore`: of lint."""
    kept = {"L001", *said.get("on", ())}  # type: ignore[misc]
    off = {r.code: "off" for r in all_rules() if r.code < "L500" and r.code not in kept}
    lint = {"levels": {**off, **said.get("levels", {})}, "ignore": said.get("ignore", [])}  # type: ignore[dict-item]
    config = {"bundles": ["policies/acme"], "lint": lint}
    (folder / ".callgate.yaml").write_text(json.dumps(config))


def codes(text: str) -> list[str]:
    return [item["code"] for item in json.loads(text)]


def test_one_line_sums_it_up(run: Run, place: Path) -> None:
    result = run("lint")
    assert result.exit_code == 0
    first, *_, last = result.stdout.splitlines()
    assert first.startswith("policies/acme/guards.yaml:10:")
    assert "warning[L001]: the exception `files.etc.moving` of `files.etc` ended at" in first
    assert last == "1 bundle checked: 1 warning"


def test_without_findings(run: Run, place: Path) -> None:
    configure(place, levels={"L001": "off"})
    assert run("lint").stdout == "1 bundle checked: no findings\n"
    assert run("lint", "--format", "json").stdout == "[]\n"


def test_every_mistake_is_shown_sorted(run: Run, place: Path) -> None:
    for name, old, new in (
        ("guards.yaml", "w in effects.write", "w in effects.writes"),
        ("flow.yaml", "risk == low", "risk == lowest"),
    ):
        path = place / "policies/acme" / name
        path.write_text(path.read_text().replace(old, new))
    pretty = run("lint")
    assert pretty.exit_code == 3
    assert "policies/acme/flow.yaml:23:23: error[T002]: " in pretty.stdout
    assert pretty.stdout.splitlines()[-1].startswith("1 bundle checked: 3 errors")
    found = json.loads(run("lint", "--format", "json").stdout)
    places = [(item["file"], item["line"], item["column"]) for item in found]
    assert places == sorted(places)
    assert {item["file"].rpartition("/")[2] for item in found} == {"flow.yaml", "guards.yaml"}
    assert set(found[0]) == {
        "code", "severity", "file", "line", "column", "end_line", "end_column", "message", "help",
    }  # fmt: skip


def test_settings_are_checked_and_shown(run: Run, place: Path) -> None:
    config = place / "config.yaml"
    config.write_text("approval:\n  mode: maybe\n")
    result = run("lint", BUNDLE, "--settings", config)
    assert f"{config}:2:9: error[E003]" in result.stdout
    assert "mode: maybe" in result.stdout
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("level", "fail_on", "code"),
    [
        ("error", None, 3),
        ("warning", None, 0),
        ("warning", "warning", 3),
        ("info", "warning", 0),
        ("info", "info", 3),
        ("off", "info", 0),
    ],
)
def test_exit_codes(run: Run, place: Path, level: str, fail_on: str | None, code: int) -> None:
    configure(place, levels={"L001": level})
    more = ["--fail-on", fail_on] if fail_on else []
    assert run("lint", *more).exit_code == code


def test_what_is_ignored_is_counted(run: Run, place: Path) -> None:
    configure(place, ignore=[{"rule": "L001", "reason": "x"}])
    assert run("lint").stdout == "1 bundle checked: no findings; 1 ignored\n"


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"rule": "L001", "reason": "x", "until": "2001-01-01"}, ["L502", "L001"]),
        ({"rule": "L002", "reason": "x"}, []),  # of a rule that is off, nothing is known
        ({"rule": "C024", "reason": "x"}, ["L503", "L001"]),
        ({"rule": "L0001", "reason": "x"}, ["S004", "L001"]),
    ],
)
def test_the_configuration_is_checked(
    run: Run, place: Path, entry: dict[str, str], told: list[str]
) -> None:
    configure(place, ignore=[entry])
    assert codes(run("lint", "--format", "json").stdout) == (told or ["L001"])
    pretty = run("lint").stdout
    assert all(f"[{code}]" in pretty for code in told)
    assert not told or ".callgate.yaml:1:" in pretty.splitlines()[0]
    assert not told or "ignore" in pretty.splitlines()[1]  # the line is shown


def test_an_ignore_may_be_for_another_bundle(run: Run, place: Path) -> None:
    configure(place, ignore=[{"rule": "C024", "reason": "x"}])
    assert codes(run("lint", "policies/acme", "--format", "json").stdout) == ["L001"]


def test_of_inherited_files_only_errors_are_told(run: Run, place: Path) -> None:
    base, child = place / "policies/acme", place / "policies/child"
    child.mkdir()
    (child / "bundle.yaml").write_text(
        "kind: bundle\nname: child\nversion: '1'\ntitle: C\nextends: ../acme\nfiles: [more.yaml]\n"
    )
    (child / "more.yaml").write_text("kind: masking\nnames: [secret]\n")
    assert codes(run("lint", "policies/child", "--format", "json").stdout) == []
    assert codes(run("lint", "policies/child", "policies/acme", "--format", "json").stdout) == [
        "L001"
    ]
    flow = base / "flow.yaml"
    flow.write_text(flow.read_text().replace("risk == low", "risk == lowest"))
    assert "T002" in codes(run("lint", "policies/child", "--format", "json").stdout)


# -- results that are kept


def kept(place: Path, cache: Path) -> int:
    return len(list((cache / "callgate").glob("*.result")))


def test_unchanged_input_is_not_checked_again(
    run: Run, place: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run("lint", "--format", "json")
    monkeypatch.setattr("callgate.policytest.loaded.load", None)  # it is not called
    assert run("lint", "--format", "json").stdout == first.stdout
    assert run("lint").stdout.endswith("1 bundle checked: 1 warning\n")
    monkeypatch.undo()
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    before = kept(place, cache)
    guards = place / "policies/acme/guards.yaml"
    guards.write_text(guards.read_text().replace("2001-01-01", "9999-01-01"))
    assert codes(run("lint", "--format", "json").stdout) == []
    configure(place, levels={"L001": "error"}, on=["L002"])
    assert codes(run("lint", "--format", "json").stdout) == []
    assert kept(place, cache) == before + 3  # guards; guards and the configuration


def test_what_is_kept_is_of_one_folder(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        write_files(place / name, {"guards.yaml": GUARDS})
    ignore = {"rule": "L001", "files": ["a/policies/*"], "reason": "x"}
    configure(place, ignore=[ignore])
    told = []
    for name in ("a", "b", "a"):
        monkeypatch.chdir(place / name)
        told.append(codes(run("lint", "./policies/acme", "--format", "json").stdout))
    assert told == [[], ["L001"], []]


def test_nothing_is_kept_without_cache(run: Run, place: Path, cache: Path) -> None:
    before = kept(place, cache)
    run("lint", "--no-cache")
    assert kept(place, cache) == before


# -- what is told without checking anything


@pytest.mark.parametrize("word", ["T003", "t003", "L001", "ended-exception"])
def test_pages_are_shown(run: Run, word: str) -> None:
    lines = run("lint", "--explain", word).stdout.splitlines()
    code = {"ended-exception": "L001"}.get(word, word.upper())
    assert lines[0] == f"{code}: {CODES[code]}"
    assert "```" not in lines


def test_pages_of_all_codes_fit_a_terminal(run: Run) -> None:
    for code in CODES:
        result = run("lint", "--explain", code)
        assert result.exit_code == 0
        for line in result.stdout.splitlines():
            assert len(line) <= 80 or line.startswith(("    ", "|"))
            assert len(line) <= 80 or not re.search(r": (?:error|warning|info)\[|^ +help: ", line)


def test_a_bundle_that_is_not_there_is_not_checked(run: Run, place: Path) -> None:
    result = run("lint", "nowhere")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1] == "no bundle checked: 1 error"


def test_settings_checks_are_explained(run: Run) -> None:
    told = run("lint", "--explain", "settings.mode-off", "echo").stdout
    assert told.startswith("settings.mode-off: ")
    assert "policies/echo/settings-checks.yaml:" in told


def test_what_is_not_known_is_asked_back(run: Run) -> None:
    result = run("lint", "--explain", "ended-excption", BUNDLE)
    assert result.exit_code == 1
    assert "did you mean `ended-exception`?" in result.stderr


def test_the_catalogue_is_listed(run: Run, place: Path) -> None:
    configure(place, levels={"L001": "error"})
    rows = [line.split(maxsplit=3) for line in run("lint", "--rules").stdout.splitlines()]
    assert rows[0] == ["CODE", "NAME", "LEVEL", "TITLE"]
    assert rows[1] == ["L001", "ended-exception", "error", "exception that has ended"]
    assert rows[2][2] == "off"
    told = json.loads(run("lint", "--rules", "--format", "json").stdout)
    assert [item["code"] for item in told] == [rule.code for rule in all_rules()]
