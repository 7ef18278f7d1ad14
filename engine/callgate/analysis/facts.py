"""The facts that a condition reads, and the values they have in one call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from callgate.model.expr import Apply, Const, Expr, Fact, Get, Var, children
from callgate.model.policy import Policy
from callgate.runtime.interpreter import Program
from callgate.runtime.render import View

__all__ = ["effect_fields", "facts_read", "leaf_name", "leaves", "open_settings"]

MOST: Final = 8
"""Facts shown of one condition."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SETTING: Final = re.compile(r"\bsettings\.([A-Za-z_][\w.]*)")


def leaves(expr: Expr) -> Iterator[Expr]:
    """The facts that an expression reads, in order: a fact, or a field or key of one."""
    if leaf_name(expr):
        yield expr
        return
    for child in children(expr):
        yield from leaves(child)


def leaf_name(expr: Expr) -> str:
    """The name of a fact, or of a field or constant key of one; "" for anything else."""
    match expr:
        case Fact(name=name):
            return name
        case Get(base=base, field=field):
            name = leaf_name(base)
            return name and f"{name}.{field}"
        case Apply(op="item", args=(base, Const(value=str(key)))):
            name = leaf_name(base)
            return name and f'{name}["{key}"]'
    return ""


def open_settings(policy: Policy, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings that may be shown: all but the secret ones."""
    known = policy.vocabulary.settings
    return {
        name: value
        for name, value in settings.items()
        if name in known and not known[name].field.secret
    }


def effect_fields(expr: Expr) -> Iterator[str]:
    """The fields of bound effects that an expression reads, as `d.path`, in order."""
    match expr:
        case Get(base=Var(name=name), field=field):
            yield f"{name}.{field}"
        case _:
            for child in children(expr):
                yield from effect_fields(child)


def facts_read(
    program: Program, view: View, expr: Expr, text: str, settings: Mapping[str, Any]
) -> tuple[tuple[str, str], ...]:
    """Names and shown values of what a condition reads: facts of the call, then the settings that
    its text names (they are folded into `expr`)."""
    found: dict[str, str] = {}
    for leaf in leaves(expr):
        name = leaf_name(leaf)
        if name not in found and len(found) < MOST:
            found[name] = _value(program, view, leaf, name)
    for name in _SETTING.findall(text):
        while name and name not in settings:
            name = name.rpartition(".")[0]
        if name and len(found) < MOST:
            found[f"settings.{name}"] = view.show(settings[name])
    return tuple(found.items())


def _value(program: Program, view: View, leaf: Expr, name: str) -> str:
    try:
        value = program.codegen.compile(leaf)(view.frame)
    except Exception:
        return "(not known)"
    if name.startswith("effects.") and isinstance(value, list | tuple):
        return f"{len(value)} effect{'' if len(value) == 1 else 's'}"
    if name == "observed.time" and isinstance(value, int):
        return (_EPOCH + timedelta(microseconds=value)).isoformat().replace("+00:00", "Z")
    return '""' if value == "" else view.show(value)
