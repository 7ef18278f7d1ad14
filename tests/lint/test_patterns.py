"""What is claimed of two command patterns holds: held to the matcher, allowing and not."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.effects import Extractor, Surroundings, match
from callgate.lang import parse_pattern
from callgate.lint.patterns import apart, covers, programs
from callgate.model.effect import Effect
from callgate.model.expr import CommandMatch, Var
from callgate.model.values import UNKNOWN

_FLAGS = {"force": "-f|--force", "recursive": "-r|--recursive", "output": "-o|--output=FILE"}
_EXTRACTOR = Extractor(
    {
        "*": {"trusted": ["/usr/bin"]},
        "git": {
            "options": {"folder": "-C FOLDER"},
            "commands": {"push": {"options": _FLAGS}, "pull": {"options": _FLAGS}},
        },
        "rm": {"options": _FLAGS},
        "dd": {"options": {"input": "if=FILE", "output": "of=FILE"}},
        "find": {"style": "single-dash", "options": {"name": "-name GLOB", "go": "-rf"}},
    }
)
_HERE = Surroundings(cwd="/w", workspace="/w", home="/home/u")
_ORDER = {False: 0, UNKNOWN: 1, True: 2}

_HEADS = ("git", "rm", "dd", "find", "gi*", "*t", "(git|rm)", "(rm|rm)", "odd")
_NAMES = (
    "push",
    "pull",
    "pu*",
    "*",
    "(push|pull)",
    "(push|*l)",
    "a",
    "of=a",
    "of=*",
    "(of=a|if=a)",
)
_OPTIONS = (
    "-f",
    "--force",
    "(-f|--force)",
    "-r",
    "-rf",
    "--output=a",
    "--output=*",
    "-C=a",
    "--odd",
)
_MORE = ("", "", "", "$", "[-f] $", "[--output=*] $")
_NOISE = (
    "push pull a of=a if=a -f --force --forc -r -rf -fr --odd --odd=a --output=a --output -o -C -x"
    ' -- $X "$X" "p$X" pu* --output="$X" -name -fx'
)
_COMMAND_HEADS = ("git", "rm", "dd", "find", "/usr/bin/git", "./rm", "$X", "g?t", "odd", "sudo git")


def _written(head: str, words: list[str], options: list[str], more: str) -> str:
    return " ".join([head, *words, *options, *([more] if more else [])])


def _one_of(part: str) -> str:
    """A word that fits a part of a pattern."""
    return part.strip("()[]").partition("|")[0].replace("*", "a")


@st.composite
def _alike(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """Two patterns that have much in common, and commands that may fit them."""
    head = draw(st.sampled_from(_HEADS))
    words = draw(st.lists(st.sampled_from(_NAMES), max_size=2))
    options = draw(st.lists(st.sampled_from(_OPTIONS), max_size=2, unique=True))
    more = draw(st.sampled_from(_MORE))
    other_words = [
        word if draw(st.booleans()) else draw(st.sampled_from(_NAMES))
        for word in words[: draw(st.integers(0, 2))]
    ]
    other_options = [
        option if draw(st.integers(0, 3)) else draw(st.sampled_from(_OPTIONS))
        for option in options[: draw(st.integers(0, 2))]
    ]
    one = _written(head, words, options, more)
    other_head = head if draw(st.integers(0, 3)) else draw(st.sampled_from(_HEADS))
    other = _written(other_head, other_words, other_options, draw(st.sampled_from(("", more))))
    commands = []
    for _ in range(8):
        first = _one_of(head) if draw(st.booleans()) else draw(st.sampled_from(_COMMAND_HEADS))
        noise = draw(st.lists(st.sampled_from(_NOISE.split()), max_size=2))
        rest = draw(st.permutations([*map(_one_of, [*words, *options]), *noise]))
        commands.append(" ".join([first, *rest]))
    return one, other, commands


_STRANGE = Effect("run", {"program": UNKNOWN}, None), Effect("run", {"program": "git"}, None)


def _run(command: str) -> Effect:
    found = _EXTRACTOR.extract([("shell", {"text": ("arg", "c", None)})], {"c": command}, _HERE)
    return found.by_kind["run"][-1]


def _test(text: str, *, strict: bool = False) -> CommandMatch:
    return CommandMatch(Var("r"), parse_pattern(text), strict)


@settings(deadline=None, max_examples=600)
@given(_alike())
def test_what_is_claimed_of_two_patterns_holds(case: tuple[str, str, list[str]]) -> None:
    *texts, commands = case
    tests = [_test(text, strict=strict) for text, strict in product(texts, (False, True))]
    for run in (*map(_run, commands), *_STRANGE):
        truths: list[Any] = [match(run, test.pattern, test.strict) for test in tests]
        for (one, mine), (other, theirs) in product(zip(tests, truths, strict=True), repeat=2):
            if covers(one, other):
                assert _ORDER[mine] >= _ORDER[theirs]
            if mine is True:
                assert theirs is False or not apart(one, other)
                names = programs(one)
                assert names is None or run.fields["program"] in names


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("git", "git push", True),
        ("git push", "git push --force", True),
        ("git push", "git push origin --force $", True),
        ("rm (-r|--recursive)", "rm -r build", True),
        ("(git|rm)", "git push", True),
        ("git p*", "git push", True),
        ("git p*", "git pu*h", True),
        ("git push --output", "git push --output=a", True),
        ("git push --force", "git push", False),
        ("git push", "git pull", False),
        ("git push $", "git push --force", False),
        ("rm -r", "rm --recursive", False),
        ("rm -r", "rm -rf", False),
        ("git", "gi*", False),
        ("git push", "git *", False),
        ("dd *", "dd of=a", False),  # an option of that program
    ],
)
def test_a_pattern_that_covers_another(outer: str, inner: str, expected: bool) -> None:
    assert covers(_test(outer), _test(inner)) is expected


@pytest.mark.parametrize(
    ("one", "other", "strict", "expected"),
    [
        ("git", "rm -r", False, True),
        ("(git|rm)", "dd", False, True),
        ("gi*", "rm", False, True),
        ("gi*", "*t", False, False),
        ("git push", "git pull", True, True),
        # `push` may be the value of an option that nobody described.
        ("git push", "git pull", False, False),
        ("git push $", "git pull", False, True),
        ("git push -f", "git pull", True, False),
        ("git p*", "git push", True, False),
    ],
)
def test_patterns_that_are_apart(one: str, other: str, strict: bool, expected: bool) -> None:
    assert apart(_test(one, strict=strict), _test(other, strict=strict)) is expected


def test_an_allowing_pattern_reads_options_in_its_own_way() -> None:
    assert covers(_test("git", strict=True), _test("git push", strict=True))
    assert not covers(_test("git", strict=True), _test("git push --odd", strict=True))
    assert not covers(_test("git"), _test("git", strict=True))
