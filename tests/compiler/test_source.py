"""What a policy is made from, and what is wrong with it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from callgate.compiler.cache import GraphCache
from callgate.compiler.source import PolicySource
from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError


def test_settings_that_can_not_be_read_are_not_called_empty(tmp_path: Path) -> None:
    source = PolicySource("echo", tmp_path / "none.yaml")
    with pytest.raises(PolicyError) as caught:
        _ = source.settings
    assert [found.code for found in caught.value.diagnostics] == ["Y013"]
    with pytest.raises(PolicyError):
        source.key("1")


def test_a_cached_finding_names_the_file_that_was_given(tmp_path: Path) -> None:
    """Two files with the same bytes are two files to whoever reads a diagnostic."""
    store = GraphCache(tmp_path / "cache")
    for name in ("one.yaml", "two.yaml", "one.yaml"):
        file = tmp_path / name
        file.write_text("stranger: 1\n")
        found = [item.span for item in Engine.load("echo", file, cache=store).diagnostics]
        assert [span.file for span in found if span] == [str(file)]


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({1: 2}, "Dict key must be str"),
        ({"a": "\ud800"}, "surrogates"),
        ({"a": {"b"}}, "they hold a set"),
        ({"a": 2**70}, "64-bit"),
        ({"a": b"b"}, "they hold a bytes"),
        ({"a": datetime(2026, 12, 1)}, "they hold a datetime"),
    ],
)
@pytest.mark.parametrize("cached", [False, True])
def test_settings_are_json(tmp_path: Path, settings: Any, cause: str, cached: bool) -> None:
    with pytest.raises(PolicyError) as caught:
        Engine.load("echo", settings, cache=GraphCache(tmp_path) if cached else False)
    (found,) = caught.value.diagnostics
    assert found.code == "E002" and cause in found.message


def test_any_mapping_will_do(tmp_path: Path) -> None:
    settings = MappingProxyType({"tools": MappingProxyType({"deny": ("exec",)})})
    for cache in (False, GraphCache(tmp_path), GraphCache(tmp_path)):
        engine = Engine.load("echo", settings, cache=cache)
        assert engine.decide({"tool": "exec", "args": {"command": "ls"}}).decision == "deny"


HIDDEN = "https://user:passw0rd@h/\x1b[2J\u202e"
SECRET = {"tools": {"web": {"search_api_key": "hunter2-hunter2", "search_base_url": ""}}}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (HIDDEN, "\\e[2J\\u202e"),
        ("x" * 200, "x…"),
        ("http://h/hunter2-hunter2", "http://h/***"),
        ("x" * 110 + "hunter2-hunter2", "x***"),
    ],
)
def test_values_of_settings_are_shown_masked_and_escaped(url: str, shown: str) -> None:
    SECRET["tools"]["web"]["search_base_url"] = url
    _, sources, _ = PolicySource("echo", SECRET).compile()
    told = [item.why for item in sources.folded if "search_base_url is" in item.why]
    assert told and all(shown in why for why in told)
    text = " ".join(item.why for item in sources.folded)
    assert not any(part in text for part in ("passw0rd", "hunter2", "\x1b", "\u202e", "x" * 130))


def test_findings_do_not_show_secrets(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(
        "tools: {web: {search_api_key: hunter2-hunter2}, deny: [a-hunter2-hunter2, exex]}\n"
    )
    with pytest.raises(PolicyError) as caught:
        Engine.load("echo", file)
    told = {item.message: item.span for item in caught.value.diagnostics if item.code == "E006"}
    assert [message.partition(",")[0] for message in told] == [
        "there is no tool `a-***`",
        "there is no tool `exex`",
    ]
    places = [(span.column, span.end_column) for span in told.values() if span]
    assert places == [(56, 56), (75, 79)]
