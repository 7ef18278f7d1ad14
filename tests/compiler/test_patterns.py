"""Command patterns in settings: what can't be used, and what becomes of the others."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.compiler.assemble_types import MisfitError, parse_type, read_value
from callgate.compiler.patterns import pattern_check
from callgate.compiler.simplify import TRUE, simplify
from callgate.lang import parse_pattern
from callgate.model.codec import encode_expr
from callgate.model.expr import Apply, CommandMatch, Const, Expr, Fact, Not, Or, Quant, Var
from callgate.model.types import CLOSED_PATTERN, PATTERN, ListOf, Optional

PROGRAMS = {
    "sh": {
        "options": {"command": "-c", "version": "--version"},
        "operands": "SCRIPT ARGUMENT...",
        "effects": [
            {"code": {"language": "shell", "text": "SCRIPT"}, "when": "option command"},
            {"code": {"language": "shell", "file": "SCRIPT"}, "unless": "option command"},
            {
                "code": {"language": "shell", "stdin": True},
                "unless": ["option command", "option version", "SCRIPT"],
            },
        ],
    },
    "py": {
        "options": {"code": "-c CODE", "module": "-m MODULE"},
        "operands": "SCRIPT ARGUMENT...",
        "absent": {"SCRIPT": ["option code", "option module"]},
        "effects": [
            {"code": {"language": "python", "text": "option code"}, "when": "option code"},
            {"code": {"language": "python", "file": "SCRIPT"}},
            {
                "code": {"language": "python", "stdin": True},
                "unless": ["option code", "option module", "SCRIPT"],
            },
        ],
    },
    "wrap": {"operands": "COMMAND...", "effects": [{"command": {"words": "COMMAND"}}]},
    "find": {
        "style": "single-dash",
        "options": {"exec": "-exec COMMAND... ;"},
        "other": ["-name PATTERN"],
        "operands": "FOLDER...",
        "effects": [{"command": {"words": "option exec"}}],
    },
    "git": {
        "options": {"config": "-c SETTING"},
        "effects": [{"command": {"words": "option config"}}],
        "commands": {
            "status": {"other": ["--short"]},
            "bisect": {"operands": "WORD...", "effects": [{"command": {"words": "WORD"}}]},
        },
    },
    "make": {
        "options": {"eval": "-E|--eval=TEXT", "file": "-f FILE"},
        "other": ["-j[NUMBER]"],
        "operands": "TARGET...",
        "effects": [
            {"code": {"language": "make", "text": "option eval"}, "when": "option eval"},
            {
                "command": {"words": "words of TARGET after SHELL="},
                "when": ["TARGET is SHELL=*", "option file is -"],
            },
        ],
    },
    "cat": {"operands": "FILE...", "effects": [{"read": {"path": "FILE"}}]},
}
CHECK = pattern_check(PROGRAMS)


@pytest.mark.parametrize(
    ("text", "closed", "code", "part"),
    [
        ("", False, "C036", (0, 0)),
        ("git push 'x'", False, "C036", (9, 10)),
        ("git push; ls", False, "C036", (8, 9)),
        ("/usr/bin/git push", False, "C036", (0, 12)),
        ("--force", False, "C036", (0, 1)),
        ("^rm.*$", False, "C036", None),
        ("git (push", True, "C036", (8, 9)),
        ("git status", True, "C037", None),
        ("* $", True, "C037", None),
        ("make* $", True, "C037", None),
        ("(ls|m*) $", True, "C037", None),
        ("sh $", True, "C037", None),
        ("sh build.sh $", True, "C037", None),
        ("sh [--version] $", True, "C037", None),
        ("sh [-c] * $", True, "C037", None),
        ("py script.py $", True, "C037", None),
        ("py [-m=*] * $", True, "C037", None),
        ("py -c=* $", True, "C037", None),
        ("wrap ls $", True, "C037", None),
        ("(cat|wrap) ls $", True, "C037", None),
        ("find * [-exec=*] $", True, "C037", None),
        ("git [-c=*] status $", True, "C037", None),
        ("git bisect run * $", True, "C037", None),
        ("make * $", True, "C037", None),
        ("make S* $", True, "C037", None),
        ("make (test|SHELL\\=x) $", True, "C037", None),
        ("make [-f] test $", True, "C037", None),
        ("make [--eval=*] test $", True, "C037", None),
        ("git (status|bisect) * $", True, "C037", None),
    ],
)
def test_what_can_not_be_used(
    text: str, closed: bool, code: str, part: tuple[int, int] | None
) -> None:
    mistake = CHECK(text, closed)
    assert mistake is not None
    assert (mistake.code, mistake.part) == (code, part)
    assert mistake.help


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("git push", False),
        ("* --force", False),
        ("sh", False),
        ("wrap", False),
        ("git status [--short] $", True),
        ("git (status) $", True),
        ("cat * $", True),
        ("find * -name=* $", True),
        ("py -m=pytest $", True),
        ("py -m=pytest * $", True),
        ("sh --version $", True),
        ("unheard [-x] * $", True),
        ("make [-j] (test|lint) $", True),
        ("make [-f=other.mk] test* $", True),
    ],
)
def test_what_can(text: str, closed: bool) -> None:
    assert CHECK(text, closed) is None


def test_types() -> None:
    assert parse_type("list of pattern", {}) == ListOf(PATTERN)
    assert parse_type("optional closed_pattern", {}) == Optional(CLOSED_PATTERN)
    assert read_value(["git push"], ListOf(PATTERN)) == ("git push",)
    for text in ("map of pattern", "map of list of closed_pattern"):
        with pytest.raises(MisfitError):
            parse_type(text, {})
    for wrong, type_ in (("git 'x'", PATTERN), ("git push", CLOSED_PATTERN)):
        with pytest.raises(MisfitError):
            read_value(wrong, type_)


RUN, P, LIST = Var("r"), Var("p"), Fact("settings.patterns")


def _is(text: str, strict: bool = False) -> CommandMatch:
    return CommandMatch(RUN, parse_pattern(text), strict)


def _folded(expr: Expr, patterns: Any) -> Expr:
    return simplify(expr, {"settings.patterns": Const(patterns)}.get)


def test_a_list_of_patterns_becomes_one_test_for_each() -> None:
    listed = Quant("any", "p", LIST, CommandMatch(RUN, P))
    assert _folded(listed, ("git push", "rm")) == Or((_is("git push"), _is("rm")))
    assert _folded(listed, ("git push",)) == _is("git push")
    assert _folded(listed, ("git push", "git push")) == _is("git push")
    assert _folded(listed, ()) == Const(False)
    none = Quant("none", "p", LIST, CommandMatch(RUN, P, True))
    assert _folded(none, ("ls $",)) == Not(_is("ls $", True))
    assert _folded(none, ()) == TRUE
    assert _folded(CommandMatch(RUN, LIST), "git push") == _is("git push")


def test_a_condition_beside_the_match_is_folded_for_each() -> None:
    known = Apply("eq", (P, Const("git push")))
    where = Or((known, CommandMatch(RUN, P)))
    assert _folded(Quant("any", "p", LIST, where), ("rm", "git push")) == TRUE
    assert _folded(Quant("any", "p", LIST, where), ("rm",)) == _is("rm")


def test_a_pattern_that_is_not_folded_is_no_part_of_a_graph() -> None:
    with pytest.raises(ValueError, match="settings"):
        encode_expr(CommandMatch(RUN, LIST))
