"""The format of `kind: programs`: what it means, and what is wrong with an entry."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import Extractor, Surroundings, program_problems
from callgate.effects.argument_reader import read_arguments
from callgate.effects.program_reader import read_program
from tests.effects.reading import PROGRAMS, shown, words_of

DELETE = [{"delete": {"path": "FILE"}}]


def run(entry: dict[str, Any], text: str, **others: dict[str, Any]) -> list[str]:
    """The effects of a command of the program `x`, without `run`. `others`: more programs."""
    extractor = Extractor({"x": entry, **others})
    tool = [("shell", {"text": ("arg", "t", None)})]
    found = extractor.extract(tool, {"t": text}, Surroundings(cwd="/w", home="/h"))
    return [shown(effect) for effect in found.all if effect.kind != "run"]


@pytest.mark.parametrize(
    ("entry", "text", "found"),
    [
        # operands
        ({"operands": "A FILE", "effects": DELETE}, "x a b", ["delete path=/w/b"]),
        ({"operands": "A FILE...", "effects": DELETE}, "x a", []),
        ({"operands": "FILE... B", "effects": DELETE}, "x a b", ["delete path=/w/a"]),
        ({"operands": "[A] FILE", "effects": DELETE}, "x b", ["delete path=/w/b"]),
        ({"operands": "[A] FILE", "effects": DELETE}, "x a b", ["delete path=/w/b"]),
        (
            {"operands": "FILE", "effects": DELETE},
            "x a b",
            ["delete path=/w/a", "delete path=/w/b"],
        ),
        ({"operands": "N=VALUE... FILE", "effects": DELETE}, "x A=1 B=2 c", ["delete path=/w/c"]),
        (
            {
                "options": {"o": "-o"},
                "operands": "A FILE",
                "absent": {"A": "option o"},
                "effects": DELETE,
            },
            "x -o a",
            ["delete path=/w/a"],
        ),
        (
            {"operands": "FILE...", "ends": "FILE", "effects": DELETE},
            "x a -b",
            [
                *("delete path=/w/a", "delete path=/w/-b"),
            ],
        ),
        *(
            ({"operands": "A", "effects": [{"delete": {"path": "A without .x"}}]}, text, found)
            for text, found in (
                ("x /a.x", ["delete path=/a"]),
                ("x /a.x.x", ["delete path=/a.x"]),
                ("x /a/.x", ["delete path=/a/.x"]),
                ("x /ax", ["delete path=/ax"]),
                ("x $A.x", ["delete path=?"]),
            )
        ),
        # options
        (
            {"options": {"o": "-o FILE"}, "effects": [{"write": {"path": "option o"}}]},
            "x -o a -ob",
            [
                *("write path=/w/a", "write path=/w/b"),
            ],
        ),
        (
            {"options": {"o": "-o|--out=FILE"}, "effects": [{"write": {"path": "option o"}}]},
            "x --out a --out=b --ou c",
            ["write path=/w/a", "write path=/w/b", "write path=/w/c"],
        ),
        (
            {"options": {"o": "-o[FILE]"}, "operands": "FILE...", "effects": DELETE},
            "x -oa b",
            [
                "delete path=/w/b",
            ],
        ),
        (
            {"options": {"o": "-o[FILE]"}, "operands": "FILE...", "effects": DELETE},
            "x -o b",
            [
                "delete path=/w/b",
            ],
        ),
        (
            {"options": {"o": "o=FILE"}, "effects": [{"write": {"path": "option o"}}]},
            "x o=a o=b",
            [
                *("write path=/w/a", "write path=/w/b"),
            ],
        ),
        (
            {
                "style": "single-dash",
                "options": {"o": "-out FILE"},
                "effects": [{"write": {"path": "option o"}}],
            },
            "x -out a -ou b",
            ["write path=/w/a"],
        ),
        (
            {
                "style": "bundle",
                "options": {"o": "-o FILE", "p": "-p"},
                "operands": "FILE...",
                "effects": DELETE,
            },
            "x po a b",
            ["delete path=/w/b"],
        ),
        (
            {"options": {"o": "-WORD"}, "operands": "FILE...", "effects": DELETE},
            "x -9 a -8",
            [
                *("delete path=/w/a", "delete path=/w/-8"),
            ],
        ),
        (
            {"other": ["-o FILE"], "operands": "FILE...", "effects": DELETE},
            "x -o a b",
            [
                "delete path=/w/b",
            ],
        ),
        # an option that is not listed: both readings
        (
            {"operands": "FILE...", "effects": DELETE},
            "x --what a b",
            [
                *("delete path=/w/a", "delete path=/w/b"),
            ],
        ),
        (
            {"operands": "A FILE...", "effects": DELETE},
            "x --what a b c",
            [
                *("delete path=/w/b", "delete path=/w/c"),
            ],
        ),
        ({"operands": "A FILE", "effects": DELETE}, "x --what a b", ["delete path=/w/b"]),
        # sub-commands
        (
            {
                "options": {"f": "-f"},
                "commands": {
                    "a|b": {
                        "operands": "FILE",
                        "effects": [
                            {"delete": {"path": "FILE", "recursive": "option f"}},
                            {"service": {"name": "FILE", "action": "command"}},
                        ],
                    }
                },
            },
            "x -f b c",
            ["delete path=/w/c recursive=True", "service name=c action=b"],
        ),
        ({"commands": {"a": {"operands": "FILE", "effects": DELETE}}}, "x c d", []),
        # values
        (
            {"operands": "FILE...", "effects": [{"read": {"path": "FILE or ."}}]},
            "x",
            ["read path=/w"],
        ),
        ({"effects": [{"read": {"path": "~/y"}}]}, "x", ["read path=/h/y"]),
        ({"effects": [{"power": {"action": "program"}}]}, "/bin/x", ["power action=x"]),
        (
            {"operands": "S... D", "effects": [{"write": {"path": "S in D"}}]},
            "x a/b c d/",
            [
                *("write path=/w/d/b", "write path=/w/d/c"),
            ],
        ),
        (
            {
                "options": {"o": "-o DIR"},
                "operands": "F...",
                "effects": [
                    {"read": {"path": "F below option o or F"}},
                ],
            },
            "x -o /y a /b",
            ["read path=/y/a", "read path=/b"],
        ),
        (
            {"options": {"o": "-o X"}, "effects": [{"read": {"path": "option o after @"}}]},
            "x -o @a -o b -o c@d",
            ["read path=/w/a", "read path=/w/d"],
        ),
        (
            {
                "options": {"o": "-o DIR"},
                "folder": "option o",
                "operands": "FILE",
                "effects": DELETE,
            },
            "x -o y a",
            ["delete path=/w/y/a"],
        ),
        # ways of writing that take different things
        (
            {
                "options": {"o": ["-o FILE", "-p[FILE]", "-q"]},
                "operands": "FILE...",
                "effects": [{"write": {"path": "option o"}}, *DELETE],
            },
            "x -o a -pb -p c -q d",
            ["write path=/w/a", "write path=/w/b", "delete path=/w/c", "delete path=/w/d"],
        ),
        (
            {
                "options": {"o": "-o TEXT", "r": "-r"},
                "operands": "FILE...",
                "effects": [
                    {
                        "command": {"words": "x then words of option o then FILE"},
                        "when": "option o",
                    },
                    {"delete": {"path": "FILE", "recursive": "option r"}, "unless": "option o"},
                ],
            },
            "x -o '-r \"a b\"' c",
            ["delete path=/w/a b recursive=True", "delete path=/w/c recursive=True"],
        ),
        # conditions
        (
            {
                "options": {"o": "-o"},
                "operands": "FILE",
                "effects": [
                    {"delete": {"path": "FILE"}, "when": "option o"},
                ],
            },
            "x a",
            [],
        ),
        (
            {
                "options": {"o": "-o"},
                "operands": "FILE",
                "effects": [
                    {"delete": {"path": "FILE"}, "unless": ["option o"]},
                ],
            },
            "x -o a",
            [],
        ),
        (
            {
                "options": {"o": "-o"},
                "operands": "FILE",
                "effects": [
                    {"delete": {"path": "FILE"}, "when": "option o"},
                ],
            },
            "x $A",
            ["delete path=? (doubtful)"],
        ),
        # commands in commands
        (
            {
                "operands": "COMMAND...",
                "ends": "COMMAND",
                "effects": [
                    {"command": {"words": "COMMAND"}},
                ],
            },
            "x x x",
            [],
        ),
        (
            {"effects": [{"opaque": {"reason": "what it does is not known"}}]},
            "x",
            [
                "opaque reason=what it does is not known",
            ],
        ),
    ],
)
def test_what_entries_mean(entry: dict[str, Any], text: str, found: list[str]) -> None:
    assert run(entry, text) == found
    assert not list(program_problems({"x": entry}))


@pytest.mark.parametrize(
    ("entry", "path", "message", "help"),
    [
        ({"options": {"a": "-o=FILE X"}}, "options.a", "is no option", "write"),
        ({"other": ["[x]"]}, "other.[x]", "is no option", "write"),
        ({"options": {"a": "-x", "b": "-x"}}, "options.b", "`-x` is written in two", "one thing"),
        ({"options": {"a": "-x"}, "other": ["-y|-x"]}, "other.-y|-x", "in two options", ""),
        ({"operands": "file"}, "operands", "`file` is no operand", "write"),
        ({"operands": "[FILE"}, "operands", "is no operand", "write"),
        ({"operands": "A... B..."}, "operands", "can't both", ""),
        ({"effects": [{"deletes": {}}]}, "effects.0.deletes", "no kind of effect", "`delete`"),
        ({"effects": [{"delete": {"paht": "."}}]}, "effects.0.delete.paht", "no field", "`path`"),
        ({"effects": [{"read": {}, "write": {}}]}, "effects.0", "exactly one kind", ""),
        ({"effects": [{"read": {"path": "FILE"}}]}, "effects.0.read.path", "no operand", ""),
        (
            {"options": {"output": "-o F"}, "effects": [{"read": {"path": "option outptu"}}]},
            "effects.0.read.path",
            "no option `outptu`",
            "`output`",
        ),
        (
            {"operands": "FILE", "effects": [{"read": {"path": "FIEL"}}]},
            "effects.0.read.path",
            "no operand `FIEL`",
            "`FILE`",
        ),
        (
            {"effects": [{"read": {"path": "."}, "when": "always"}]},
            "effects.0.when",
            "no condition",
            "write",
        ),
        ({"ends": "FILE"}, "ends", "no operand", ""),
        ({"absent": {"A": "x"}}, "absent.A", "no condition", ""),
        ({"commands": {"a": {"operands": "x"}}}, "commands.a.operands", "no operand", ""),
        ({"found": {"below": "X"}}, "found.below", "no operand", ""),
        (
            {"options": {"out": ["-o", "--out"]}, "effects": [{"write": {"path": "option out"}}]},
            "effects.0.write.path",
            "has no value: it is written `-o`",
            "`-o VALUE`",
        ),
        (
            {
                "options": {"out": "-o"},
                "operands": "A",
                "effects": [{"read": {"path": "A"}}, {"write": {"path": "A below option out"}}],
            },
            "effects.1.write.path",
            "has no value",
            "",
        ),
    ],
)
def test_mistakes_are_found(entry: dict[str, Any], path: str, message: str, help: str) -> None:
    ((found, said, hint),) = program_problems({"x": entry})
    assert ".".join(found) == f"x.{path}"
    assert message in said
    assert help in hint


@pytest.mark.parametrize(
    ("every", "found"),
    [
        # Nobody said which variables are obeyed: it may be any.
        ({}, ["no command was found in the text"]),
        ({"obeyed": ["X"]}, ["no command was found in the text"]),
        ({"obeyed": ["Y", "X*Y"]}, []),
        ({"obeyed": []}, []),
    ],
)
def test_variables_that_are_obeyed(every: dict[str, Any], found: list[str]) -> None:
    extractor = Extractor({"*": every})
    tool = [("shell", {"text": ("arg", "t", None)})]
    effects = extractor.extract(tool, {"t": "X=1"}, Surroundings(cwd="/w", home="/h"))
    assert [effect.fields["reason"] for effect in effects.by_kind.get("opaque", [])] == found


@pytest.mark.parametrize(
    "entry",
    [
        {
            "options": {"all": "-a"},
            "effects": [{"delete": {"path": ".", "recursive": "option all"}}],
        },
        {"options": {"all": "-a"}, "effects": [{"write": {"path": "."}, "when": "option all"}]},
        {"options": {"out": "-o[F]"}, "effects": [{"write": {"path": "option out"}}]},
        {"options": {"out": ["-o", "--out=F"]}, "effects": [{"write": {"path": "option out"}}]},
        {"options": {"out": "of=F"}, "effects": [{"write": {"path": "option out"}}]},
        {"options": {"out": "-SIGNAL"}, "effects": [{"signal": {"signal": "option out"}}]},
    ],
)
def test_options_with_and_without_values(entry: dict[str, Any]) -> None:
    assert not list(program_problems({"x": entry}))


@pytest.mark.parametrize(
    ("entry", "text", "secrets"),
    [
        ({"other": ["-p PASSWORD"]}, "x -p abcd", ["abcd"]),
        ({"other": ["-p PASSWORD"]}, "x -pabcd", ["abcd"]),
        ({"other": ["-p|--pass=PASSWORD"]}, "x --pass=abcd --pa efgh", ["abcd", "efgh"]),
        ({"other": ["-p[PASSWORD]", "-q"]}, "x -qpabcd -p ef", ["abcd"]),
        ({"other": ["-p NAME"]}, "x -p abcd", []),
        ({"other": ["-u USER:PASSWORD"]}, "x -u a:bc:d -ue:f -u g", ["bc:d", "f"]),
        ({"other": ["-u USER%PASSWORD"]}, "x -u a%b", ["b"]),
        ({"other": ["--a=KEY=PASSWORD"]}, "x --a=k=b --a k=c", ["b", "c"]),
        ({"other": ["-i pass:PASSWORD"]}, "x -i pass:ab -i file:c", ["ab"]),
        ({"operands": "A PASSWORD"}, "x a b", ["b"]),
        ({"operands": "A B", "effects": [{"secret": {"text": "B"}}]}, "x a b", ["b"]),
        (
            {"operands": "A B", "effects": [{"secret": {"text": "B"}, "when": "A is c"}]},
            "x a b; x c d",
            ["d"],
        ),
        ({"effects": [{"secret": {"text": "input"}}]}, "x <<< ab", ["ab"]),
        (
            {"idle": {"when": "option h"}, "options": {"h": "-h", "p": "-p PASSWORD"}},
            "x -hpa",
            ["a"],
        ),
        ({"commands": {"y": {"other": ["-p PASSWORD"]}}}, "x y -p a; x -p b", ["a"]),
        ({"other": ["-p PASSWORD"], "commands": {"y": {}}}, "x y -p a; x -p b", ["a", "b"]),
        ({"commands": {"y": {"commands": {"z": {"operands": "PASSWORD"}}}}}, "x y z a", ["a"]),
        ({"other": ["-p PASSWORD"]}, "V=ab; x -p $V -p $W -p 'c'd", ["ab", "cd"]),
        ({"other": ["-p PASSWORD"]}, "x -p <(echo a)", []),
    ],
)
def test_what_is_a_secret(entry: dict[str, Any], text: str, secrets: list[str]) -> None:
    extractor = Extractor({"*": {"passwords": ["PASSWORD"]}, "x": entry})
    tool = [("shell", {"text": ("arg", "t", None)})]
    found = extractor.extract(tool, {"t": text}, Surroundings(cwd="/w", home="/h"))
    assert [secret.text for secret in found.secrets] == secrets


def test_all_mistakes_of_an_entry_are_found() -> None:
    entry = {
        "options": {"in": "-i FILE"},
        "effects": [{"read": {"path": "option inn"}}, {"delete": {"path": "FIEL"}}],
        "commands": {"a": {"effects": [{"write": {"path": "."}}, {"wriet": {}}]}},
    }
    found = [".".join(path) for path, _, _ in program_problems({"x": entry})]
    assert found == [
        "x.effects.0.read.path",
        "x.effects.1.delete.path",
        "x.commands.a.effects.1.wriet",
    ]


def test_the_bundle_has_no_mistakes() -> None:
    assert list(program_problems(PROGRAMS)) == []


@given(st.lists(st.sampled_from(["-r", "--rec", "-fx", "--a=b", "--", "a", "$X", "'$Y'", "-"])))
def test_no_word_is_lost(texts: list[str]) -> None:
    program = read_program("rm", PROGRAMS["rm"])
    words = tuple(words_of(" ".join(["rm", *texts])))
    for greedy in (False, True):
        found = read_arguments(program, words, greedy, (0, 2))
        operands = [w for ws in found.bound.values() for w in ws if w.span != (0, 2)]
        assert operands == found.positional
        options = {o.name for o in found.occurrences}
        for word in words:
            if word not in found.positional and word.text != "--":
                values = [o.value for o in found.occurrences]
                assert word in values or str(word.text).partition("=")[0][:2] in {
                    name[:2] for name in options
                }
