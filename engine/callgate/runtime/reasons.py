"""Reasons made ready: the texts of rules, with the functions of their slots."""

from __future__ import annotations

from typing import Any, Final

from callgate.model.codec import decode_template
from callgate.model.expr import Expr, Fact
from callgate.runtime.codegen import Codegen, Test

__all__ = ["Reason", "Reasons", "Slot"]

_OF_GUARDS: Final = Fact("guards.reason")


class Slot:
    """A place in a reason. `of_guards`: it is filled with the reason of the guard that asks; else
    `test` gives its value, None where its expression can't be computed. Its second argument is the
    effect, where the reason has a binder (`each`)."""

    __slots__ = ("each", "of_guards", "test")

    def __init__(self, expr: Expr, binder: str | None, codegen: Codegen) -> None:
        self.each = binder is not None
        self.of_guards = expr == _OF_GUARDS
        self.test: Test | None = None
        if not self.of_guards:
            try:
                self.test = codegen.compile(expr, binder)
            except Exception:
                self.test = None


class Reason:
    """A reason: literal texts and slots in turn. `plain`: the whole text where there is no slot."""

    __slots__ = ("parts", "plain")

    def __init__(self, parts: tuple[str | Slot, ...]) -> None:
        self.parts = parts
        texts = [part for part in parts if isinstance(part, str)]
        self.plain = "".join(texts) if len(texts) == len(parts) else None


class Reasons:
    """The reasons of a graph, each read when it is first told."""

    def __init__(self, codegen: Codegen) -> None:
        self._codegen = codegen
        self._known: dict[int, tuple[Any, Reason | None]] = {}

    def of(self, form: Any, binder: str | None = None) -> Reason | None:
        """The reason of a JSON form that stands in the graph; None for none. `binder`: what the
        effect is called in it."""
        if form is None:
            return None
        # By identity: a form lives as long as its graph, and is held here as well.
        known = self._known.get(id(form))
        if known is None:
            template = decode_template(form)
            made = None
            if template is not None:
                made = Reason(
                    tuple(
                        part if isinstance(part, str) else Slot(part, binder, self._codegen)
                        for part in template.parts
                    )
                )
            known = self._known[id(form)] = (form, made)
        return known[1]
