"""The command cases of tests/cases/guards: what a call shall come to, written without the rules.

A file is one kind: `kind`, `covers` (the line of the lessons, or the group of rules) and `cases`. A
case is `run` (shell text for the tool exec) or `tool` and `args`, and `is` (allow, ask or deny).
`settings`, `context` and `observed` are laid over the usual ones, `answers` are taken as they are;
`rule` is the rule that decides; `why` tells what isn't plain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from callgate import Decision, Engine

__all__ = ["CASES", "CONTEXT", "FILES", "STRICTNESS", "Case", "decide", "engine", "template"]

FILES: Final = sorted((Path(__file__).parents[1] / "cases" / "guards").glob("*.yaml"))

CONTEXT: Final = {"channel": "cli", "cwd": "/srv/app", "workspace": "/srv/app", "home": "/home/u"}

STRICTNESS: Final = {"allow": 0, "ask": 1, "deny": 2}

_KEYS: Final = {
    "run",
    "tool",
    "args",
    "settings",
    "context",
    "observed",
    "answers",
    "is",
    "rule",
    "why",
}

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_PLAIN = r"[\w./~@:%+,-]*"
_PATH = re.compile(rf"{_PLAIN}[/~]{_PLAIN}")
_HOST = re.compile(r"[\w-]+(\.[\w-]+)+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Case:
    """One call and what it shall come to; `kind` is its file's."""

    kind: str
    tool: str
    args: Mapping[str, Any]
    expected: str
    rule: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    observed: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The command, or the tool and its arguments."""
        if self.tool == "exec" and set(self.args) == {"command"}:
            return str(self.args["command"])
        return f"{self.tool} {json.dumps(self.args, ensure_ascii=False)}"

    @property
    def plain(self) -> bool:
        """Whether it is a command under the usual circumstances."""
        usual = not (self.context or self.observed or self.answers or self.settings)
        return usual and self.tool == "exec" and set(self.args) == {"command"}

    @property
    def call(self) -> dict[str, Any]:
        """The call, without the settings."""
        context = {**CONTEXT, **self.context}
        return {
            "tool": self.tool,
            "args": dict(self.args),
            "context": context,
            "observed": dict(self.observed),
            "answers": dict(self.answers),
        }

    @property
    def key(self) -> str:
        """What makes it another case than the others."""
        laid_over = [self.context, self.observed, self.answers, self.settings]
        return json.dumps([self.tool, self.args, *laid_over], sort_keys=True)


@cache
def engine(settings: str = "{}") -> Engine:
    """The bundle `echo` under settings, given as JSON."""
    if settings == "{}":
        return Engine.load("echo")
    return engine().with_settings(json.loads(settings))


def decide(case: Case) -> Decision:
    """The decision on a case."""
    return engine(json.dumps(case.settings, sort_keys=True)).decide(case.call)


def template(case: Case) -> str:
    """A case without its paths, hosts and numbers. A word in a spelling of its own, by quotes,
    patterns or variables, stands for itself. Of a file tool's path its folder and ending are kept.
    """
    laid_over = json.dumps([case.context, case.observed, case.settings], sort_keys=True)
    if case.tool == "exec" and set(case.args) == {"command"}:
        words = [_word(word) for word in str(case.args["command"]).split()]
        return " ".join([*words, laid_over])
    if case.tool in ("read_file", "write_file", "edit_file", "patch"):
        folder, _, name = str(case.args["path"]).rpartition("/")
        return f"{case.tool} {folder}/ {name.rpartition('.')[2]} {laid_over}"
    return f"{case.text} {laid_over}"


def _word(word: str) -> str:
    if _PATH.fullmatch(word):
        return "PATH"
    return "HOST" if _HOST.fullmatch(word) else _NUMBER.sub("0", word)


def _read(path: Path) -> Iterator[Case]:
    data = yaml.load(path.read_text("utf-8"), Loader=_LOADER)
    assert set(data) == {"kind", "covers", "cases"}, path
    assert data["kind"] == path.stem, path
    for entry in data["cases"]:
        assert not set(entry) - _KEYS, entry
        assert entry["is"] in STRICTNESS, entry
        assert ("run" in entry) != ("tool" in entry), entry
        args = {"command": entry["run"]} if "run" in entry else entry["args"]
        yield Case(
            kind=data["kind"],
            tool=entry.get("tool", "exec"),
            args=args,
            expected=entry["is"],
            rule=entry.get("rule", ""),
            context=entry.get("context", {}),
            observed=entry.get("observed", {}),
            answers=entry.get("answers", {}),
            settings=entry.get("settings", {}),
        )


CASES: Final = tuple(case for path in FILES for case in _read(path))
