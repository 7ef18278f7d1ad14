"""The facade: settings in every form, and what it says of those that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from callgate.compiler.cache import GraphCache
from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError
from tests.acme import BUNDLE, acme


@pytest.mark.parametrize("form", [dict, str, Path])
@pytest.mark.parametrize("cache", [False, True])
def test_settings_are_a_mapping_or_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: type, cache: bool
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "config.yaml"
    file.write_text("approval: {mode: off}\n")
    given: Any = {"approval": {"mode": "off"}} if form is dict else form(file)
    engine = Engine.load(BUNDLE, given, cache=cache)
    assert engine.settings["approval.mode"] == "off"


@pytest.mark.parametrize("form", [str, Path])
def test_a_settings_file_that_is_not_there(tmp_path: Path, form: type) -> None:
    with pytest.raises(PolicyError, match=r"no-such\.yaml"):
        Engine.load(BUNDLE, form(tmp_path / "no-such.yaml"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"approval": {"mod": "off"}}, "did you mean `approval.mode`?"),
        ({"approval": {"mode": "of"}}, "did you mean `off`?"),
        ([], "`settings` is an object"),
    ],
)
def test_settings_of_a_call_that_do_not_fit(settings: Mapping[str, Any], words: str) -> None:
    failure = acme().decide({"tool": "look", "settings": settings}).failure
    assert failure is not None
    assert failure.code == "R009"
    assert failure.message.endswith(words)


def test_a_secret_setting_never_shows(tmp_path: Path) -> None:
    settings = tmp_path / "config.yaml"
    settings.write_text("tools: {web: {searchApiKey: zebra-crossing-7}}\n")
    call = {"tool": "exec", "args": {"command": "echo zebra-crossing-7 > /tmp/zebra-crossing-7"}}
    cache = GraphCache(tmp_path / "cache")
    for _ in range(2):  # the second time from the cache
        told = Engine.load("echo", settings, cache=cache).decide(call).to_dict()
        assert "zebra" not in str(told)
        assert "***" in str(told["effects"])
    for entry in cache.folder.iterdir():
        assert b"zebra" not in entry.read_bytes()


def test_what_was_given_is_told_without_secrets() -> None:
    engine = Engine.load(
        "echo",
        {"tools": {"deny": ["bash"], "web": {"searchApiKey": "k-1"}}, "agent": {"name": "a"}},
    )
    assert engine.given == {"tools.deny": ("exec",), "tools.web.search_api_key": True}
    assert Engine.load("echo").given == {}
