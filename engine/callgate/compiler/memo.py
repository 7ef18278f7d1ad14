"""What parts of a policy come to under settings: made once for all settings that agree on what a
part reads, as most overlays change one or two settings of many."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Final

import orjson

from callgate.compiler.simplify import TRUE, Fold, fold_template, simplify
from callgate.model.codec import encode_template
from callgate.model.condition import Condition
from callgate.model.expr import Expr, facts_of
from callgate.model.template import Template

__all__ = ["Memo", "Under", "settings_read"]

_MOST: Final = 8192
_SETTING: Final = "settings."


def settings_read(exprs: Iterable[Expr]) -> tuple[str, ...]:
    """The names of the settings that expressions read, sorted."""
    names = {name for expr in exprs for name in facts_of(expr) if name.startswith(_SETTING)}
    return tuple(sorted(name.removeprefix(_SETTING) for name in names))


class Memo:
    """The parts of one policy that were made so far. Safe to share between threads: at worst, two
    make the same part."""

    def __init__(self) -> None:
        self.parts: dict[Hashable, Any] = {}
        self.reads: dict[Hashable, tuple[str, ...]] = {}

    def keep(self, key: Hashable, part: Any) -> Any:
        """Remember a part, and give it back."""
        if len(self.parts) >= _MOST:
            self.parts.clear()
        self.parts[key] = part
        return part


class Under:
    """The parts of a policy under one set of settings (dotted names with all defaults). `fold`: the
    constants that these are, with those of the policy."""

    def __init__(self, memo: Memo, settings: Mapping[str, Any], fold: Fold) -> None:
        self.fold = fold
        self._memo = memo
        self._settings = settings
        self._values: dict[str, bytes] = {}

    def part(self, what: Hashable, exprs: Iterable[Expr], make: Callable[[], Any]) -> Any:
        """What `make` gives, which depends on the settings that `exprs` read and nothing else that
        could change. `what` tells the part from others of the policy; its expressions are looked at
        once."""
        key = (what, *map(self._value, self.reads_of(what, exprs)))
        parts = self._memo.parts
        return parts[key] if key in parts else self._memo.keep(key, make())

    def condition(self, condition: Condition | None) -> Expr:
        """What these settings leave of a condition of the policy; without one, true."""
        if condition is None:
            return TRUE
        expr, fold = condition.expr, self.fold
        found: Expr = self.part(id(expr), (expr,), lambda: simplify(expr, fold))
        return found

    def reason(self, template: Template | None) -> Any:
        """A reason of the policy in its JSON form, with the constants in its slots."""
        if template is None:
            return None
        slots = (part for part in template.parts if isinstance(part, Expr))
        fold = self.fold
        return self.part(
            id(template), slots, lambda: encode_template(fold_template(template, fold))
        )

    def reads_of(self, what: Hashable, exprs: Iterable[Expr]) -> tuple[str, ...]:
        """The settings that the expressions of a part read."""
        found = self._memo.reads.get(what)
        if found is None:
            found = self._memo.reads[what] = settings_read(exprs)
        return found

    def _value(self, name: str) -> bytes:
        """A setting's value as JSON, which tells true from 1; empty where there is no setting."""
        value = self._values.get(name)
        if value is None:
            known = name in self._settings
            value = b"" if not known else _json(self._settings[name])
            self._values[name] = value
        return value


def _json(value: Any) -> bytes:
    return orjson.dumps(value, dict, orjson.OPT_SORT_KEYS)
