"""Rule files in a few words, for tests of lint rules."""

from __future__ import annotations

import json

__all__ = ["flow", "guards", "steps"]


def guards(*rules: tuple[str, str], **more: str) -> str:
    """A guards file: of each rule its decision and its condition on `w`, a write. The rules are
    called `g.0`, `g.1` …; their conditions stand on lines 7, 13 …"""
    text = "kind: guards\nrules:\n"
    for number, (decide, when) in enumerate(rules):
        text += (
            f"  - id: g.{number}\n    title: G{number}\n    decide: {decide}\n"
            f"    each: w in effects.write\n    when: {json.dumps(when)}\n    reason: no\n"
        )
    return text + "".join(f"    {key.replace('_', '-')}: {value}\n" for key, value in more.items())


def flow(*rules: tuple[str, str]) -> str:
    """A flow of one step after the guards: of each rule its decision and its condition. The rules
    are called `s.0`, `s.1` …; their conditions stand on lines 12, 16 …"""
    return steps(("true", *rules))


def steps(*given: tuple[str | tuple[str, str], ...]) -> str:
    """A flow of steps after the guards: of each its condition, then its rules or `deny`, which it
    ends with."""
    text = "kind: flow\nsteps:\n  - id: guards\n    title: Guards\n    guards: all\n"
    for number, (when, *rules) in enumerate(given):
        name = "s" if len(given) == 1 else f"s{number}"
        text += f"  - id: {name}\n    title: {name}\n"
        text += f"    when: {json.dumps(when)}\n" if when != "true" else ""
        pairs = [rule for rule in rules if isinstance(rule, tuple)]
        text += "    rules:\n" if pairs else ""
        for at, (decide, condition) in enumerate(pairs):
            text += (
                f"      - id: {name}.{at}\n        title: R{name}{at}\n"
                f"        when: {json.dumps(condition)}\n        decide: {decide}\n"
            )
        text += "    otherwise: {decide: deny, reason: no}\n" if "deny" in rules else ""
    return text + "otherwise: {decide: deny, reason: no}\n"
