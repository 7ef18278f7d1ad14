"""A call that was found as a test case: what was decided is what it expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from callgate.model.decision import Decision
from callgate.policytest.proposals.attempt import Attempt

__all__ = ["case_form"]


def case_form(attempt: Attempt, decision: Decision, shown: str, name: str) -> dict[str, Any]:
    """The case in the form of a test file, not confirmed by anybody. `shown`: the reason code of
    the second flow, where that is what the case is about."""
    told = decision.to_dict()
    expect: dict[str, Any] = {"decision": told["decision"], "rule": told["rule"]}
    if told["pending"]:
        expect["pending"] = told["pending"]["consult"]
    matched = [_matched(match) for match in told["matched"]]
    if matched:
        expect["matched"] = matched
    if shown:
        expect["shown"] = shown
    form: dict[str, Any] = {
        "name": name,
        "confirmed": False,
        "call": dict(attempt.call),
    }
    if attempt.settings:
        form["settings"] = dict(attempt.settings)
    form["expect"] = expect
    return form


def _matched(match: Mapping[str, Any]) -> Any:
    marks = {key: match[key] for key in ("enforce", "exception") if key in match}
    return {"rule": match["rule"], **marks} if marks else match["rule"]
