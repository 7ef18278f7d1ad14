"""What a policy is made from, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

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
