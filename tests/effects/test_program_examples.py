"""The examples of programs: when they behave, and what is said when they don't."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.effects.program_examples import NEEDED, example_problems
from tests.effects.reading import LANGUAGES, PROGRAMS

REMOVE: dict[str, Any] = {
    "options": {"recursive": ["-r", "--recursive"], "log": "--log=FILE"},
    "operands": "FILE...",
    "effects": [
        {"delete": {"path": "FILE", "recursive": "option recursive"}},
        {"write": {"path": "option log"}},
    ],
}
KILL: dict[str, Any] = {
    "options": {"signal": "-SIGNAL"},
    "operands": "PROCESS...",
    "effects": [{"signal": {"target": "PROCESS", "signal": "option signal or 'TERM'"}}],
}
FETCH: dict[str, Any] = {
    "operands": "URL [PORT]",
    "effects": [
        {"connect": {"url": "URL", "scheme": "https"}, "unless": "PORT"},
        {"connect": {"host": "URL", "port": "PORT", "scheme": "x"}, "when": "PORT"},
    ],
}


def problems(entry: dict[str, Any], **examples: Any) -> list[str]:
    """What is wrong with the examples of the program `x`, apart from their number."""
    found = example_problems({"x": {**entry, "examples": examples}})
    return [problem.message for problem in found if not problem.few]


@pytest.mark.parametrize(
    ("entry", "command", "effect"),
    [
        (REMOVE, "x a", {"delete": "a"}),
        (REMOVE, "x a", {"delete": "./a"}),
        (REMOVE, "x a", {"delete": "/work/a"}),
        (REMOVE, "x a", {"delete": "a", "recursive": False}),
        (REMOVE, "x ~/a", {"delete": "~/a"}),
        (REMOVE, "x ~", {"delete": "~"}),
        (REMOVE, "x -r a b", {"delete": "b", "recursive": True}),
        (REMOVE, "x -r a b", {"delete": {"path": "b", "recursive": True}}),
        (REMOVE, "x a", {"delete": None}),
        (REMOVE, "x a", {"run": "x", "words": ["a"]}),
        (REMOVE, "x -r a", {"run": "x", "options": ["-r"], "operands": ["a"]}),
        (REMOVE, "x $A", {"delete": "?"}),
        (REMOVE, "x $A", {"run": "x", "words": ["?"]}),
        (REMOVE, "x a", {"delete": "a", "certain": True, "through": []}),
        (REMOVE, "x 'a*'", {"delete": "a*"}),
        (KILL, "x -9 7", {"signal": {"target": 7, "signal": "KILL"}}),
        (KILL, "x 7", {"signal": "7"}),
        (FETCH, "x https://h/a", {"connect": "https://h/a", "host": "h"}),
        (FETCH, "x h 80", {"connect": "h", "port": 80}),
    ],
)
def test_expected_effects_are_found(
    entry: dict[str, Any], command: str, effect: dict[str, Any]
) -> None:
    assert problems(entry, match=[{command: [effect]}]) == []


@pytest.mark.parametrize(
    ("command", "effect", "said"),
    [
        ("x a", {"delete": "b"}, "no such effect: it has run {program: x, operands: [a]}, delete"),
        ("x a", {"delete": "a", "recursive": True}, "delete {path: /work/a}"),
        ("x a", {"write": "a"}, "no such effect"),
        ("x /a", {"delete": "a"}, "no such effect"),
        ("x a", {"delete": "?"}, "no such effect"),
        ("x $A", {"delete": "$A"}, "delete {path: ?, recursive: ?}"),
        ("x a", {"run": "x", "words": ["a", "b"]}, "no such effect"),
        ("x a", {"run": "x", "words": "a"}, "no such effect"),
        ("x a", {"delete": True}, "no such effect"),
        ("x a b c d e", {"write": "a"}, ", …"),
        ("x a", {"deletes": "a"}, "has no kind"),
        ("x a", {}, "has no kind"),
        ("x a", {"delete": "a", "recursiv": True}, "`recursiv` is no field of `delete`"),
    ],
)
def test_what_is_not_there_is_told(command: str, effect: dict[str, Any], said: str) -> None:
    (message,) = problems(REMOVE, match=[{command: [effect]}])
    assert said in message


def test_passing_examples_do_nothing_but_run() -> None:
    assert problems(REMOVE, **{"pass": ["x", "x -r", "x --log"]}) == []
    (message,) = problems(REMOVE, **{"pass": ["x", "x a"]})
    assert message == "this example has effects: delete {path: /work/a}"
    (message,) = problems(REMOVE, **{"pass": ["x $("]})
    assert "opaque" in message


def test_problems_say_where() -> None:
    entry = {
        **REMOVE,
        "examples": {"match": [{"x a": [{"delete": "a"}, {"write": "a"}]}], "pass": ["x a"]},
        "commands": {"y|z": {"examples": {"pass": ["x >a"]}}},
    }
    found = [problem.path for problem in example_problems({"x": entry, "*": {}})]
    assert found == [
        ("x",),
        ("x", "examples", "match", 0, "x a", 1),
        ("x", "examples", "pass", 0),
        ("x", "commands", "y|z", "examples", "pass", 0),
    ]


@pytest.mark.parametrize(
    ("match", "passing", "said"),
    [
        (NEEDED, NEEDED, None),
        (NEEDED - 1, NEEDED, "1 more under `match` is missing"),
        (NEEDED, 0, "3 more under `pass` are missing"),
        (0, NEEDED - 1, "3 more under `match` and 1 more under `pass` are missing"),
    ],
)
def test_there_are_enough(match: int, passing: int, said: str | None) -> None:
    examples = {
        "match": [{f"x a{number}": [{"delete": f"a{number}"}]} for number in range(match)],
        "pass": ["x"] * passing,
    }
    found = list(example_problems({"x": {**REMOVE, "examples": examples}}))
    assert [problem.few for problem in found] == [True] * (said is not None)
    assert all(said in problem.message for problem in found if said)


def test_the_examples_of_the_bundle_behave() -> None:
    assert [(p.path, p.message) for p in example_problems(PROGRAMS, LANGUAGES)] == []
