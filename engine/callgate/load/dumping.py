"""Data as the text of a rule file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from callgate.load.scalars import core_value

__all__ = ["entry_text", "item_text"]


def item_text(data: Mapping[str, Any], indent: str) -> str:
    """A mapping as an item of a list at an indent. Its characters are ASCII, so that nothing in it
    acts on a terminal or looks like something else. Raises ValueError."""
    return _text([dict(data)], indent)


def entry_text(name: str, data: Any, indent: str) -> str:
    """A value under a key at an indent; see `item_text`. Raises ValueError."""
    return _text({name: data}, indent)


class _Dumper(yaml.SafeDumper):
    """Writes texts so that they are read as texts, and nothing by reference."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never by reference."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists stand indented below their key."""
        super().increase_indent(flow, False)


def _plain(dumper: _Dumper, text: str) -> yaml.Node:
    style = None if core_value(text) == text and text.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _plain)


def _text(data: Any, indent: str) -> str:
    try:
        text = yaml.dump(
            data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=1 << 20
        )
    except (yaml.YAMLError, UnicodeError, RecursionError) as error:
        raise ValueError(f"it can't be written as YAML: {type(error).__name__}") from None
    return "".join(f"{indent}{line}\n" for line in text.splitlines())
