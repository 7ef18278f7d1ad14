"""The files of the bundle `echo` as plain data, for tests that compare them with other texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

__all__ = ["ECHO", "ROOT", "cases", "document", "outcomes", "rule_ids"]

ROOT = Path(__file__).parents[2]
ECHO = ROOT / "policies" / "echo"


@cache
def document(name: str) -> dict[str, Any]:
    """A file of the bundle, by its name in bundle.yaml."""
    data: dict[str, Any] = yaml.safe_load((ECHO / name).read_text("utf-8"))
    return data


def cases() -> Iterator[dict[str, Any]]:
    """Every entry of every file of tests, tables as one."""
    for name in document("bundle.yaml")["files"]:
        if document(name)["kind"] == "tests":
            yield from document(name)["cases"]


def rule_ids() -> dict[str, str]:
    """Id → file, of all guards, flow rules, risk rules, invariants and settings checks."""
    found: dict[str, str] = {}
    for name in document("bundle.yaml")["files"]:
        if document(name)["kind"] not in ("tests", "programs"):
            found.update(dict.fromkeys(_ids(document(name)), name))
    return found


def outcomes() -> dict[str, str]:
    """Id → file, of what decides without being a rule: answers, and the ends of steps."""
    found: dict[str, str] = {}
    for name in document("bundle.yaml")["files"]:
        for step in document(name).get("steps", ()):
            if "otherwise" in step:
                found[f"{step['id']}.otherwise"] = name
            if "asks_become" in step:
                found[f"{step['id']}.asks-become-deny"] = name
            for rule in (step, *step.get("rules", ())):
                for answer in rule.get("answers", ()):
                    found[f"{rule.get('id', step['id'])}.{answer}"] = name
    return found


def _ids(data: dict[str, Any]) -> Iterator[str]:
    for key in ("rules", "declared", "raise"):
        yield from (rule["id"] for rule in data.get(key, ()))
    for step in data.get("steps", ()):
        rules = step.get("rules", ())
        # A rule without a name goes by its step's.
        yield from (rule.get("id", step["id"]) for rule in rules)
        if "consult" in step or not rules:
            yield step["id"]
