"""The section `gate` of a graph: what the live gate has to know, under certain settings."""

from __future__ import annotations

import re
from typing import Any, Final

from callgate.compiler.simplify import TRUE, Fold, simplify
from callgate.model.codec import encode_expr
from callgate.model.expr import Const, Expr
from callgate.model.gate import GateRules, ReviewerRules

__all__ = ["gate_section"]

_WAIT: Final = (0, 604_800)
_DAYS: Final = (0, 36_500)
_TIMEOUT: Final = (1, 600)
_RETRIES: Final = (0, 10)
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def gate_section(rules: GateRules, fold: Fold) -> dict[str, Any]:
    """The section of the graph's document: every value is a constant under these settings.

    Numbers outside their bounds are brought to the nearest; negative `days` are 1, as 0 would mean
    that grants do not end. A `key_from` that names no environment variable is left empty: it may
    be the key, which belongs in no graph.
    """
    lasting = None if rules.lasting is None else simplify(rules.lasting.expr, fold)
    days = _constant(rules.grant_days, fold)
    return {
        "wait_seconds": _within(_constant(rules.wait_seconds, fold), _WAIT),
        "approvers": list(_constant(rules.approvers, fold)),
        "signed_answers": _constant(rules.signed_answers, fold),
        "lasting": None if lasting is None or lasting == TRUE else encode_expr(lasting),
        "families": {name: list(tools) for name, tools in rules.families.items()},
        "grant_days": 1 if days < 0 else _within(days, _DAYS),
        "reviewer": None if rules.reviewer is None else _reviewer(rules.reviewer, fold),
    }


def _reviewer(rules: ReviewerRules, fold: Fold) -> dict[str, Any] | None:
    base_url = _constant(rules.base_url, fold)
    if not base_url:
        return None
    key_from = _constant(rules.key_from, fold)
    return {
        "base_url": base_url,
        "model": _constant(rules.model, fold),
        "key_from": key_from if _VARIABLE.fullmatch(key_from) else "",
        "timeout_seconds": _within(_constant(rules.timeout_seconds, fold), _TIMEOUT),
        "retries": _within(_constant(rules.retries, fold), _RETRIES),
    }


def _constant(expr: Expr, fold: Fold) -> Any:
    found = simplify(expr, fold)
    if not isinstance(found, Const):  # the checker lets nothing else through
        raise ValueError("settings do not decide what the gate must know")
    return found.value


def _within(value: int, bounds: tuple[int, int]) -> int:
    low, high = bounds
    return min(max(value, low), high)
