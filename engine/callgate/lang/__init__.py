"""The condition language: parsing, printing and checking.

Texts become syntax trees (`callgate.model.syntax`) whose positions lie beside them, so that equal
text gives equal trees. Everything that can't be read raises `ConditionError`.
"""

from __future__ import annotations

from callgate.lang.command_pattern import parse_pattern, print_pattern
from callgate.lang.errors import ConditionError
from callgate.lang.parser import (
    ParsedCondition,
    ParsedEach,
    parse_condition,
    parse_each,
    parse_expression,
)
from callgate.lang.printer import print_syntax
from callgate.lang.regex import check_regex
from callgate.lang.skeleton import Positions
from callgate.lang.template import parse_template

__all__ = [
    "ConditionError",
    "ParsedCondition",
    "ParsedEach",
    "Positions",
    "check_regex",
    "parse_condition",
    "parse_each",
    "parse_expression",
    "parse_pattern",
    "parse_template",
    "print_pattern",
    "print_syntax",
]
