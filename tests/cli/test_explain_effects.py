"""`callgate explain --effects`: where its call comes from, and what it never shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acme import BUNDLE
from tests.cli.conftest import Run

CALL = '{"tool": "save", "args": {"path": "/etc/hosts"}}'


def test_it_takes_a_call_from_anywhere(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "call.jsonl"
    file.write_text(f"{CALL}\n", encoding="utf-8")
    told = ["explain", "--effects", "--bundle", BUNDLE]
    inline = run(*told, CALL)
    assert "writes /etc/hosts" in inline.stdout
    for source in (file, f"{file}:1"):
        assert run(*told, source).stdout == inline.stdout
    assert run(*told, "-", input=CALL).stdout == inline.stdout
    named = run(*told, "--tool", "save", "--arg", "path=/etc/hosts")
    assert named.stdout == inline.stdout
    assert run(*told, "--format", "json", CALL).stdout == (
        run(*told, "--format", "json", "-", input=CALL).stdout
    )


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        '{"tool": "cat", "args": {"path": "/srv/a"}}',
        '{"tool": "fly"}',
        '{"tool": "start"}',
        '{"tool": "start", "settings": {"approval": {"blocked": ["start"]}}}',
        '{"tool": "start", "args": {"count": "3"}}',
        "{}",
        "[]",
        "{",
    ],
)
def test_it_ends_and_decides_as_explain_does(run: Run, call: str) -> None:
    plain = run("explain", "--bundle", BUNDLE, "--format", "json", "-", input=call)
    effects = run("explain", "--effects", "--bundle", BUNDLE, "--format", "json", "-", input=call)
    pretty = run("explain", "--effects", "--bundle", BUNDLE, "-", input=call)
    assert effects.exit_code == plain.exit_code == pretty.exit_code
    assert effects.stderr == plain.stderr
    if plain.stdout:
        told, form = json.loads(plain.stdout), json.loads(effects.stdout)["decision"]
        assert {key: told[key] for key in form} == form


SECRETS = {
    "variable": "export DB_PASSWORD=hunter2hunter2; cat /etc/hosts",
    "header": "curl -H 'Authorization: Bearer abcdefghij0123456789' https://example.org",
    "token": "git clone https://u:ghp_abcdefghijklmnopqrstuvwxyz0123@example.org/x",
    "twice": "TOKEN=hunter2hunter2 sh -c 'echo hunter2hunter2 > /tmp/x'",
    "option": "x --password hunter2hunter2 && rm -rf /etc",
}


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("form", ["pretty", "json"])
def test_secrets_are_masked(run: Run, name: str, form: str) -> None:
    command = SECRETS[name]
    told = run(
        "explain", "--effects", "--format", form, "--tool", "exec", "--arg", f"command={command}"
    )
    assert "***" in told.stdout
    for secret in ("hunter2hunter2", "abcdefghij0123456789", "abcdefghijklmnopqrstuvwxyz0123"):
        assert secret not in told.stdout


def test_a_mask_moves_no_mark(run: Run) -> None:
    command = "x --password hunter2hunter2 && cat /etc/hosts"
    told = run("explain", "--effects", "--tool", "exec", "--arg", f"command={command}").stdout
    lines = told.splitlines()
    text = next(number for number, line in enumerate(lines) if "/etc/hosts" in line)
    at = lines[text].index("/etc/hosts")
    assert lines[text + 1][at : at + 10].strip(" ") == lines[text + 1][at : at + 10]


def test_nothing_that_acts_on_a_terminal_is_written(run: Run) -> None:
    command = "rm\u202e -rf \x1b[2J /etc\r\n\u200b"
    call = json.dumps({"tool": "exec", "args": {"command": command}})
    for form in ("pretty", "json"):
        told = run("explain", "--effects", "--format", form, "-", input=call).stdout
        assert all(char.isprintable() or char == "\n" for char in told)
