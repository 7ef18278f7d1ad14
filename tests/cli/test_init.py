"""`callgate init`: what it asks, writes, refuses and tells."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from callgate.load.project import find_project
from callgate.model.diagnostic import Diagnostics
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a name that is no bundle's."""
    folder = tmp_path / "My  Shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def bundles() -> tuple[str, ...]:
    found = Diagnostics()
    project = find_project(found)
    assert [item.line for item in found] == []
    return project.bundles


def test_a_bundle_is_made_and_can_be_used(run: Run) -> None:
    result = run("init", "--template", "minimal")
    assert result.exit_code == 0
    assert "made policies/my-shop, from the template minimal\n" in result.stdout
    assert bundles() == ("policies/my-shop",)
    assert "name: my-shop\n" in Path("policies/my-shop/bundle.yaml").read_text()
    lint = run("lint", "--fail-on", "info")
    assert (lint.exit_code, lint.stdout) == (0, "1 bundle checked: no findings\n")
    assert run("fmt", "--check", "policies/my-shop").exit_code == 0
    assert run("test", "-q").exit_code == 0


@pytest.mark.parametrize("folder", ["policies/shop", "pol x/My, [Rules] #1: 'a'", "."])
def test_what_it_says_to_do_next_can_be_done(folder: str, run: Run) -> None:
    result = run("init", folder, "--template", "minimal", "--name", "shop")
    assert result.exit_code == 0
    assert bundles() == (folder,)
    told = result.stdout.partition("next\n")[2].splitlines()
    steps = [shlex.split(line.strip().partition("   ")[0])[1:] for line in told]
    assert [step[0] for step in steps] == ["test", "lint", "new", "tools"]
    for step in steps:
        assert run(*step).exit_code == 0, step


def test_a_bundle_elsewhere(tmp_path: Path, run: Run) -> None:
    assert run("init", tmp_path / "rules", "--template", "minimal").exit_code == 0
    assert bundles() == ("../rules",)
    assert run("lint").exit_code == 0


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (
            ".callgate.yaml",
            "bundles: [policies/z]\n",
            "is there: add `policies/a` to its `bundles`",
        ),
        (".callgate.yaml", "bundles: [./policies/../policies/a]\n", "names it already"),
        (
            "pyproject.toml",
            "[tool.callgate]\nbundles = ['policies/z']\n",
            "is there: add `policies/a` to its",
        ),
        ("pyproject.toml", "[project]\nname = 'callgate'\n", None),
        (
            "../.callgate.yaml",
            "bundles: [policies/z]\n",
            "is there: add `My  Shop/policies/a` to its `bundles`",
        ),
        (".callgate.yaml", "bundles: [\n", "the configuration has to be mended first"),
    ],
)
def test_a_configuration_that_is_there_is_left_alone(
    file: str, text: str, told: str | None, run: Run
) -> None:
    Path(file).write_text(text)
    result = run("init", "policies/a", "--template", "minimal")
    assert result.exit_code == 0
    assert Path(file).read_text() == text
    if told is None:
        assert bundles() == ("policies/a",)
        return
    assert told in result.stdout
    assert file == ".callgate.yaml" or not Path(".callgate.yaml").exists()
    named = "names it" in told
    assert ("callgate test policies/a " in result.stdout) is not named


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--template", "ech"], "`ech` is not a template; did you mean `echo`?"),
        (["--template", ""], "`` is not a template; there are coding, echo, minimal"),
        (["--name", "A b\x1b"], r"`A b\e` can't be a bundle's name"),
        (["--name", ""], "`` can't be a bundle's name"),
        (["--name", "echo"], "`echo` is a bundle that comes with callgate"),
        (["policies/echo"], "`echo` is a bundle that comes with callgate"),
        (["full"], "`full` is there, and not empty"),
        (["full/file"], "`full/file` is there, and not empty"),
        (["full/file/new"], "not a directory"),
        (["/proc/new"], "`/proc/new`"),
    ],
)
def test_refused(args: list[str], told: str, run: Run) -> None:
    Path("full").mkdir()
    Path("full/file").touch()
    result = run("init", *args)
    assert result.exit_code == 1
    assert told in result.stderr
    assert [path.name for path in Path().rglob("*")] == ["full", "file"]


def test_a_folder_named_as_a_bundle_that_comes_with_callgate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    (tmp_path / "echo").mkdir()
    monkeypatch.chdir(tmp_path / "echo")
    assert run("init", "--template", "minimal").exit_code == 0
    assert bundles() == ("policies/echo-policy",)


def test_a_terminal_is_asked_for_the_template_only(here: Path) -> None:
    assert "made policies/my-shop, from the template echo" in on_terminal(here, "\n")
    assert bundles() == ("policies/my-shop",)


def test_what_a_terminal_answers_counts(here: Path) -> None:
    shown = on_terminal(here, "nothing\nminimal\n", "rules")
    assert "minimal   A small agent" in shown
    assert "made rules, from the template minimal" in shown


def on_terminal(folder: Path, answers: str, *args: str) -> str:
    """What a terminal shows of `callgate init` when it answers so."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "callgate", "init", *args],
        stdin=other,
        stdout=other,
        stderr=other,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(other)
    os.write(main, answers.encode())
    shown = b""
    while True:
        try:
            data = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
    os.close(main)
    assert process.wait() == 0
    return shown.decode()
