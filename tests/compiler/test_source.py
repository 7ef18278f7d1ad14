"""What a policy is made from, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.compiler.source import PolicySource
from callgate.model.diagnostic import PolicyError


def test_settings_that_can_not_be_read_are_not_called_empty(tmp_path: Path) -> None:
    source = PolicySource("echo", tmp_path / "none.yaml")
    with pytest.raises(PolicyError) as caught:
        _ = source.settings
    assert [found.code for found in caught.value.diagnostics] == ["Y013"]
    with pytest.raises(PolicyError):
        source.key("1")
