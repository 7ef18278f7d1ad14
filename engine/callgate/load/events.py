"""YAML text → PyYAML's events, from libyaml where it is there (ten times as fast)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import yaml
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

__all__ = ["YAML_ERRORS", "event_reader", "pure_event_reader"]

YAML_ERRORS: Final = (yaml.YAMLError, ValueError, OverflowError)
"""What an event reader raises when the text is not YAML."""


class _PureParser(Reader, Scanner, Parser):
    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)


def pure_event_reader(text: str) -> Callable[[], Any]:
    """What `event_reader` returns where libyaml is missing."""
    return _PureParser(text).get_event


def event_reader(text: str) -> Callable[[], Any]:
    """A function that returns the next event of a YAML text; it raises one of `YAML_ERRORS`."""
    if not yaml.__with_libyaml__:
        return pure_event_reader(text)
    from yaml._yaml import CParser

    return CParser(text).get_event
