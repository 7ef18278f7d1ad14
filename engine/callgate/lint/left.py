"""Which calls are left when some have been taken away."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Final

from callgate.lint.covering import Index, conjuncts
from callgate.lint.logic import Logic, doubtful_in
from callgate.lint.logic_forms import Form, Test, Truth, form, tests_in
from callgate.lint.logic_values import ANY, Values
from callgate.model.expr import Expr

__all__ = ["Left"]

_MOST_ENDINGS: Final = 8
_MOST_STEPS: Final = 128


class Left:
    """What the endings so far leave: by index, and by value for facts with few."""

    def __init__(self, logic: Logic) -> None:
        self._logic = logic
        self._index: Index[Form] = Index()
        self._values: dict[Expr, Values] = {}
        self._recent: dict[Expr, deque[Form]] = {}
        self._nothing = False
        self.told = False
        """Whether something ends every call: what comes then, the loader tells."""

    def take(self, expr: Expr | None) -> None:
        """Take the calls away for which a condition holds; None is every call."""
        wanted = Truth(True) if expr is None else form(expr)
        if wanted == Truth(True):
            self.told = True
        if expr is None or isinstance(wanted, Truth):
            return
        rest = form(expr, holds=False)
        self._nothing = self._nothing or self._ends(rest)
        self._index.add(wanted, rest)
        if isinstance(wanted, Test) and wanted.values is not None:
            domain = self._logic.domain(wanted.term)
            if domain is not ANY and not doubtful_in(wanted):
                left = self._values.get(wanted.term, domain).meet(wanted.values.rest)
                self._values[wanted.term] = left
                self._nothing = self._nothing or left.empty

    def _ends(self, rest: Form) -> bool:
        """Whether, with the endings before it that look at the same, one leaves nothing at all."""
        before: dict[int, Form] = {}
        for term in dict.fromkeys(test.term for test in tests_in(rest)):
            recent = self._recent.setdefault(term, deque(maxlen=_MOST_ENDINGS))
            before.update((id(item), item) for item in recent)
            recent.append(rest)
        others = islice(before.values(), 2 * _MOST_ENDINGS)
        return not self._logic.possible(rest, *others, steps=_MOST_STEPS)

    def leaves(self, wanted: Form) -> bool:
        """Whether some call of a form may be left."""
        if self._nothing or self.told:
            return False
        forms: list[Form] = [wanted]
        for test in conjuncts(wanted):
            left = self._values.get(test.term)
            if left is not None:
                forms.append(Test(test.term, left))
        forms.extend(islice(self._index.candidates(wanted, whole=False), _MOST_ENDINGS))
        return len(forms) == 1 or self._logic.possible(*forms, steps=_MOST_STEPS)
