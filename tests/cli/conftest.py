"""A command line to try: in this process, with a cache folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from callgate.cli import main

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled graphs that all tests of a process share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `callgate` with arguments; `input` is standard input."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def invoke(*args: object, input: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(main, [str(arg) for arg in args], input=input)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert "Traceback" not in result.output
        return result

    return invoke
