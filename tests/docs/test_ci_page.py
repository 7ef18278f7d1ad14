"""docs/ci.md and what it shows: examples, the action and the hooks, whose scripts really run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from callgate.cli.ci import command
from tests.docs.test_docs import console

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "ci.md"
EXAMPLES = ROOT / "docs" / "examples" / "ci"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEP = ACTION["runs"]["steps"][-1]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
GITLAB = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text("utf-8"))["policies"]


def test_the_blocks_are_the_examples() -> None:
    shown = {
        block.info.removeprefix("example="): block.text
        for block in console.blocks(PAGE)
        if block.info.startswith("example=")
    }
    assert shown == {path.name: path.read_text("utf-8") for path in EXAMPLES.iterdir()}


def test_options_that_are_named_are_there() -> None:
    known = {name for option in command.params for name in option.opts}
    text = PAGE.read_text("utf-8")
    named = set(re.findall(r"`(--[a-z-]+)[ `]", text)) | set(re.findall(r" (--[a-z-]+) \w", text))
    named |= set(re.findall(r"(--[a-z-]+) ", str(GITLAB["script"]) + STEP["run"]))
    # Those of other commands.
    assert named - {"--check", "--coverage", "--quiet"} <= known
    assert {"--summary", "--junit", "--sarif", "--lcov", "--format", "--no-cache"} <= named


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a new bundle, which its configuration names."""
    folder = tmp_path / "a repository"
    folder.mkdir()
    ran = console.shell("callgate init policies/shop --template minimal", folder)
    assert "made policies/shop" in ran
    return folder


def script(text: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script as runners do: bash, which ends at the first failure."""
    tools = folder.parent / "tools"
    tools.mkdir(exist_ok=True)
    program = tools / "callgate"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m callgate "$@"\n')
    program.chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(folder.parent),
        "PYTHONIOENCODING": "utf-8",
        **variables,
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text],
        cwd=folder,
        env=environment,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )


def test_the_action_hands_over_its_inputs_as_variables() -> None:
    assert "${{" not in STEP["run"]
    named = {name: f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    assert set(STEP["env"].values()) <= set(named.values())
    assert set(ACTION["inputs"]) - {"python-version"} == {
        value.removeprefix("${{ inputs.").removesuffix(" }}") for value in STEP["env"].values()
    }
    for name in STEP["env"]:
        assert f"${name}" in STEP["run"]


def action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    given = {name: str(entry["default"]) for name, entry in ACTION["inputs"].items()} | inputs
    variables = {
        name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in STEP["env"].items()
    }
    return script(STEP["run"], folder, GITHUB_STEP_SUMMARY="summary.md", **variables)


@pytest.mark.parametrize(
    ("inputs", "code", "told"),
    [
        ({}, 0, "policies/shop\n"),
        ({"fail-under": "100", "sarif": "a b.sarif"}, 0, "policies/shop\n"),
        ({"paths": "policies/shop\n  policies/shop", "settings": "s t.yaml"}, 0, "✓ coverage"),
        ({"paths": "policies/none $(touch x) ;touch x"}, 3, "title=Y016::"),
        ({"paths": "* --help"}, 3, "title=Y016::"),
        ({"settings": "--help"}, 3, "::error"),
        ({"settings": "$(touch x)"}, 3, "::error"),
        ({"fail-under": "$(touch x)"}, 1, "$(touch x)"),
        ({"fail-under": "1 --help"}, 1, "1 --help"),
        ({"sarif": "`touch x`"}, 0, "✓ lint"),
    ],
)
def test_the_script_of_the_action(
    inputs: dict[str, str], code: int, told: str, repository: Path
) -> None:
    (repository / "s t.yaml").write_text("approval: {trusted_channels: [desk]}\n")
    ran = action(repository, **inputs)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert told in ran.stdout + ran.stderr
    assert "Usage: callgate ci [OPTIONS] [PATH…]\n\n  Everything" not in ran.stdout
    assert not (repository / "x").exists()
    assert (repository / "summary.md").exists() == (code != 1)
    if inputs.get("sarif"):
        assert (repository / inputs["sarif"]).is_file()


@pytest.mark.parametrize("hook", HOOKS, ids=[hook["id"] for hook in HOOKS])
def test_the_hooks(hook: dict[str, Any], repository: Path) -> None:
    assert hook["pass_filenames"] is False
    ran = script(hook["entry"], repository)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    guards = repository / "policies/shop/guards.yaml"
    text = guards.read_text()
    guards.write_text(text.replace("kind: guards", "kind:   guards").replace("deny", "ask"))
    ran = script(hook["entry"], repository)
    # A hook fails that does not exit with 0, or that changes a file.
    changed = "kind:   guards" not in guards.read_text()
    assert (ran.returncode != 0, changed) == {
        "callgate-lint": (False, False),
        "callgate-fmt": (False, True),
        "callgate-test": (True, False),
    }[hook["id"]]


def test_the_hooks_of_the_example_are_there() -> None:
    text = (EXAMPLES / "pre-commit-config.yaml").read_text("utf-8")
    (repo,) = yaml.safe_load(text)["repos"]
    known = {hook["id"] for hook in HOOKS}
    assert {hook["id"] for hook in repo["hooks"]} == known


def test_the_script_of_gitlab(repository: Path) -> None:
    ran = script("\n".join(GITLAB["script"]), repository)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    coverage = re.search(GITLAB["coverage"].strip("/"), ran.stdout)
    assert coverage and coverage[1] == "100"
    files = [*GITLAB["artifacts"]["paths"], GITLAB["artifacts"]["reports"]["junit"]]
    assert all((repository / file).stat().st_size for file in files)


def test_the_script_of_jenkins(repository: Path) -> None:
    text = (EXAMPLES / "Jenkinsfile").read_text("utf-8")
    lines = re.findall(r"^ *(.*callgate ci .*)$", text, re.MULTILINE)
    ran = script("\n".join(lines).replace(".venv/bin/callgate", "callgate"), repository)
    assert (len(lines), ran.returncode) == (1, 0), ran.stdout + ran.stderr
    files = re.findall(r"'(policies\.\w+)'", text)
    assert len(files) == 3
    assert all((repository / file).stat().st_size for file in files)


def test_the_workflow_names_inputs_of_the_action() -> None:
    workflow = yaml.safe_load((EXAMPLES / "github.yml").read_text("utf-8"))
    steps = workflow["jobs"]["callgate"]["steps"]
    (used,) = [step for step in steps if "callgate" in step["uses"]]
    assert set(used["with"]) <= set(ACTION["inputs"])
    assert steps[-1]["with"]["sarif_file"] == used["with"]["sarif"]
