"""Properties of well-typed conditions: they never fail, and are unknown only where they say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.lang.check_uses import Use
from callgate.model.expr import Expr, Fact, children
from callgate.model.values import UNKNOWN
from tests.check.evaluate import evaluate
from tests.check.generated import conditions, facts
from tests.check.standard import check

slow = settings(deadline=None, suppress_health_check=list(HealthCheck))


@slow
@given(conditions(), facts())
def test_a_well_typed_condition_evaluates(text: str, values: Callable[[str], Any]) -> None:
    condition, problems = check(text)
    errors = [problem for problem in problems if problem.severity == "error"]
    assert condition is not None, (text, errors)
    found = evaluate(condition.expr, values)
    assert found is True or found is False or found is UNKNOWN
    if not condition.unknown:
        assert found is not UNKNOWN


@slow
@given(conditions())
def test_the_canonical_text_means_the_same(text: str) -> None:
    condition, _ = check(text)
    assert condition is not None
    again, _ = check(condition.text)
    assert again == condition


@slow
@given(conditions(), st.sampled_from((Use.GUARD, Use.ALLOW)), st.data())
def test_more_effects_never_weaken(text: str, use: Use, data: st.DataObject) -> None:
    """Where the checker accepts a guard, an effect more can't stop it; where it accepts an
    allowing rule, an effect more can't make it allow."""
    forms = [
        f"effects.complete and {form}" if use is Use.ALLOW else form
        for form in (f"({text})", f"not ({text})")
    ]
    accepted = [condition for form in forms if (condition := check(form, use)[0]) is not None]
    if not accepted or not any(map(_reads_effects, (condition.expr for condition in accepted))):
        return
    condition = accepted[0]
    values = data.draw(facts())
    before = evaluate(condition.expr, values)

    def more(name: str) -> Any:
        if name == "effects.complete":
            return values(name) and not extra("effects.opaque")
        if name.startswith("effects."):
            return [*values(name), *extra(name)]
        return values(name)

    extra = data.draw(facts())
    after = evaluate(condition.expr, more)
    order = {False: 0, UNKNOWN: 1, True: 2}
    if use is Use.GUARD:
        assert order[after] >= order[before]
    else:
        assert order[after] <= order[before]


def _reads_effects(expr: Expr) -> bool:
    if isinstance(expr, Fact):
        return expr.name.startswith("effects.")
    return any(_reads_effects(part) for part in children(expr))
