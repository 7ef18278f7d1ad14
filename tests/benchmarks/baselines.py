"""The seven rules of `pipeline/`, by hand and as a tree of closures: what a policy engine's cost is
measured against. Both do the bare decision: no check of the call, no trace, no reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["by_hand", "closure_tree"]

AUTO_DENY = frozenset({"skill_install"})
AUTO_APPROVE = frozenset({"todo", "notify"})
TRUSTED = frozenset({"telegram", "cli"})
RISK = {
    "read_file": "read_only",
    "write_file": "write",
    "todo": "write",
    "notify": "write",
    "exec": "exec",
    "process": "exec",
    "cronjob": "dangerous",
    "skill_install": "dangerous",
}


def by_hand(call: dict[str, Any]) -> str:
    """The seven rules as a person would write them."""
    tool, context = call["tool"], call["context"]
    if tool in AUTO_DENY:
        return "deny"
    risk = RISK.get(tool, "dangerous")
    if context.get("unattended", False):
        if risk == "dangerous":
            return "deny"
        if context.get("cron_authorized", False) and risk in ("write", "exec"):
            return "allow"
    elif risk in ("read_only", "write"):
        return "allow"
    if tool in AUTO_APPROVE:
        return "allow"
    if risk == "exec" and context.get("channel", "") in TRUSTED:
        return "allow"
    return "ask"


Test = Callable[[dict[str, Any]], Any]


def _context(name: str, default: Any) -> Test:
    return lambda call: call["context"].get(name, default)


def _risk(call: dict[str, Any]) -> str:
    return RISK.get(call["tool"], "dangerous")


def _tool(call: dict[str, Any]) -> Any:
    return call["tool"]


def _among(value: Test, members: frozenset[str]) -> Test:
    return lambda call: value(call) in members


def _equal(value: Test, constant: str) -> Test:
    return lambda call: value(call) == constant


def _not(test: Test) -> Test:
    return lambda call: not test(call)


def _all(*tests: Test) -> Test:
    def every(call: dict[str, Any]) -> bool:
        for test in tests:  # noqa: SIM110  (a generator would double the cost)
            if not test(call):
                return False
        return True

    return every


def closure_tree() -> Callable[[dict[str, Any]], str]:
    """The seven rules as data turned into closures, walked one by one."""
    unattended = _context("unattended", False)
    rules: list[tuple[Test, str]] = [
        (_among(_tool, AUTO_DENY), "deny"),
        (_all(unattended, _equal(_risk, "dangerous")), "deny"),
        (_all(_not(unattended), _among(_risk, frozenset({"read_only", "write"}))), "allow"),
        (
            _all(
                unattended,
                _context("cron_authorized", False),
                _among(_risk, frozenset({"write", "exec"})),
            ),
            "allow",
        ),
        (_among(_tool, AUTO_APPROVE), "allow"),
        (_all(_equal(_risk, "exec"), _among(_context("channel", ""), TRUSTED)), "allow"),
    ]

    def decide(call: dict[str, Any]) -> str:
        for test, effect in rules:
            if test(call):
                return effect
        return "ask"

    return decide
