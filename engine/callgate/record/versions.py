"""Which versions read and decided: of the engine, and of the parsers that it reads calls with."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from callgate import __version__

__all__ = ["versions"]

_PARSERS: Final = ("ada-url", "google-re2", "sqlglot", "tree-sitter", "tree-sitter-bash")


@cache
def versions() -> dict[str, Any]:
    """`engine`, and `parsers`: name → version, "" of one that does not tell it. Not to be
    changed: it is read once."""
    return {"engine": __version__, "parsers": {name: _version(name) for name in _PARSERS}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
