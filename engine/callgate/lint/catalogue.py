"""All rules of the catalogue."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from callgate.lint import rules
from callgate.lint.rule import Rule
from callgate.model.codes import CODES, WARNINGS
from callgate.model.suggest import closest

__all__ = ["all_rules", "find_code", "find_rule"]


@cache
def all_rules() -> tuple[Rule, ...]:
    """One of each rule, by code."""
    found: dict[str, Rule] = {}
    for info in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        for item in vars(import_module(info.name)).values():
            if isinstance(item, type) and issubclass(item, Rule) and hasattr(item, "code"):
                found[item.code] = item()
    return tuple(found[code] for code in sorted(found))


@cache
def _by_word() -> Mapping[str, Rule]:
    return {word: rule for rule in all_rules() for word in (rule.code, rule.name)}


def find_rule(word: str) -> Rule:
    """The rule of a code, in capitals or not, or a name. Raises LookupError, with the nearest one
    in its message behind `; `."""
    rule = _by_word().get(word) or _by_word().get(word.upper())
    if rule is None:
        near = closest(word, list(_by_word()))
        hint = f"; did you mean `{near}`?" if near else ""
        raise LookupError(f"`{word}` is no lint rule{hint}")
    return rule


def find_code(word: str) -> str:
    """The code of what may be ignored or get another level: a rule, by its code or name, or a
    warning or note of loading. Raises LookupError, as `find_rule` does."""
    code = word.upper()
    if code in WARNINGS:
        return code
    if code in CODES and not code.startswith("L"):
        raise LookupError(f"`{word}` is an error; errors are never ignored, and keep their level")
    return find_rule(word).code
