"""From the catalogue's entries and a call's arguments to effects."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.effects import Surroundings
from callgate.effects.sink import MAX_EFFECTS
from callgate.model.effect import EFFECT_KINDS
from tests.effects.reading import EXTRACTOR, HERE, PROGRAMS, effects, shown

Tool = list[tuple[str, dict[str, tuple[Any, ...]]]]


def arg(name: str, default: Any = None) -> tuple[Any, ...]:
    return ("arg", name, default)


def const(value: Any) -> tuple[Any, ...]:
    return ("const", value)


def extract(tool: Tool, args: dict[str, Any], place: Surroundings = HERE) -> list[str]:
    return [shown(effect) for effect in EXTRACTOR.extract(tool, args, place).all]


@pytest.mark.parametrize(
    ("tool", "args", "found"),
    [
        ([("read", {"path": arg("p")})], {"p": "a"}, ["read path=/w/a"]),
        ([("read", {"path": arg("p")})], {"p": "~/a"}, ["read path=/home/u/a"]),
        ([("read", {"path": arg("p")})], {"p": "~root/a"}, ["read path=?"]),
        ([("read", {"path": arg("p")})], {"p": "*"}, ["read path=/w/*"]),
        ([("read", {"path": arg("p", ".")})], {}, ["read path=/w"]),
        ([("read", {"path": arg("p")})], {"p": ["a", "b"]}, ["read path=/w/a", "read path=/w/b"]),
        ([("read", {"path": arg("p")})], {"p": []}, []),
        ([("write", {"path": const("/x")})], {}, ["write path=/x"]),
        (
            [("write", {"path": arg("p")})],
            {"p": "/dev/sda"},
            [
                *("device path=/dev/sda action=write", "write path=/dev/sda"),
            ],
        ),
        (
            [("delete", {"path": arg("p"), "recursive": arg("r", False)})],
            {"p": "a", "r": True},
            [
                "delete path=/w/a recursive=True",
            ],
        ),
        (
            [("delete", {"path": arg("p"), "recursive": const(True)})],
            {"p": "a"},
            [
                "delete path=/w/a recursive=True",
            ],
        ),
        (
            [("signal", {"target": arg("id", ""), "signal": arg("s")})],
            {"id": "p1", "s": "9"},
            [
                "signal target=p1 signal=KILL",
            ],
        ),
        (
            [("permission", {"path": arg("p"), "mode": arg("m")})],
            {"p": "a", "m": "777"},
            [
                "permission path=/w/a mode=777 world_writable=True",
            ],
        ),
        (
            [("interpret", {"language": const("python"), "source": const("file")})],
            {},
            [
                "interpret language=python source=file",
            ],
        ),
        (
            [("connect", {"host": arg("h"), "port": arg("n")})],
            {"h": "10.0.0.1", "n": 80},
            [
                "connect scheme=? host=10.0.0.1 port=80 address_class=private",
            ],
        ),
        ([("schedule", {"text": arg("t", "")})], {}, ["schedule text="]),
        (
            [("run", {"program": arg("p"), "words": arg("w")})],
            {"p": "rm", "w": ["-r", "x y"]},
            [
                "run program=rm program_path=rm words=[-r x y]",
                "delete path=/w/x y recursive=True",
            ],
        ),
        (
            [("shell", {"text": arg("t"), "cwd": arg("d", "")})],
            {"t": "rm a", "d": "y"},
            [
                "run program=rm program_path=rm words=[a]",
                "delete path=/w/y/a",
            ],
        ),
        (
            [("shell", {"text": arg("t"), "cwd": arg("d", "")})],
            {"t": "rm a"},
            [
                "run program=rm program_path=rm words=[a]",
                "delete path=/w/a",
            ],
        ),
        (
            [("code", {"text": arg("t"), "language": arg("l", "python")})],
            {"t": "rm a"},
            [
                "interpret language=python source=inline",
            ],
        ),
        (
            [("code", {"text": arg("t"), "language": arg("l", "python")})],
            {"t": "rm a", "l": "BASH"},
            [
                "run program=rm program_path=rm words=[a]",
                "delete path=/w/a",
            ],
        ),
        (
            [("code", {"text": arg("t"), "language": arg("l")})],
            {"t": "x", "l": "node"},
            [
                "interpret language=javascript source=inline",
            ],
        ),
        (
            [("paths", {"as": const("read")})],
            {
                "path": "a/b",
                "n": 1,
                "url": "https://example.org/x",
                "text": "two words",
                "deep": {"list": ["/etc/x", " .env\n", "notes.md", "file:///y", "a\n/b"]},
            },
            [
                "read path=/w/a/b",
                "connect url=https://example.org/x scheme=https host=example.org port=443"
                " address_class=public",
                *("read path=/etc/x", "read path=/w/.env"),
                *("read path=/w/notes.md", "read path=/y"),
            ],
        ),
    ],
)
def test_effects_of_tools(tool: Tool, args: dict[str, Any], found: list[str]) -> None:
    assert extract(tool, args) == found


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ([("read", {"path": arg("p")})], {}),
        ([("read", {"path": arg("p")})], {"p": None}),
        ([("read", {"path": arg("p")})], {"p": 1}),
        ([("read", {"path": arg("p")})], {"p": ["a", 1]}),
        ([("read", {"path": arg("p")})], {"p": {"a": "b"}}),
        ([("shell", {"text": arg("p")})], {"p": ["rm", "x"]}),
        ([("shell", {"text": arg("p")})], {"p": True}),
        ([("shell", {"text": const("a"), "cwd": arg("p")})], {"p": 1}),
        ([("code", {"text": arg("p"), "language": const("sh")})], {}),
        ([("delete", {"path": const("/a"), "recursive": arg("p")})], {"p": "yes"}),
        ([("connect", {"host": const("a"), "port": arg("p")})], {"p": True}),
    ],
)
def test_an_argument_that_is_missing_or_mistyped_is_opaque(
    tool: Tool, args: dict[str, Any]
) -> None:
    found = EXTRACTOR.extract(tool, args, HERE)
    assert [effect.kind for effect in found.all] == ["opaque"]
    assert "`p`" in found.all[0].fields["reason"]
    assert not found.complete


def test_one_bad_argument_hides_nothing() -> None:
    tool: Tool = [("read", {"path": arg("p")}), ("write", {"path": arg("q")})]
    found = EXTRACTOR.extract(tool, {"q": "a"}, HERE)
    assert sorted(found.by_kind) == ["opaque", "write"]


def test_many_paths_are_bounded() -> None:
    found = EXTRACTOR.extract(
        [("paths", {"as": const("read")})], {"p": [f"/{n}" for n in range(1001)]}, HERE
    )
    assert len(found.by_kind["read"]) == 1000
    assert not found.complete


@pytest.mark.parametrize("text", ["rm " + "a " * 20_000, "rm x; " * 6000, "cat " + "$A " * 6000])
def test_many_effects_are_bounded(text: str) -> None:
    found = effects(text)
    assert len(found.all) == MAX_EFFECTS + 1
    assert [e.fields["reason"] for e in found.by_kind["opaque"]] == ["too many effects"]


@pytest.mark.parametrize("language", ["sql", "pytohn", "", "shell script"])
def test_code_in_an_unknown_language_is_opaque(language: str) -> None:
    tool: Tool = [("code", {"text": arg("t"), "language": arg("l")})]
    assert extract(tool, {"t": "x", "l": language}) == ["opaque reason=code in an unknown language"]


@pytest.mark.parametrize("language", ["python", "Python3", "javascript", "node", "ruby", "perl"])
def test_code_in_a_known_language_is_interpreted(language: str) -> None:
    tool: Tool = [("code", {"text": arg("t"), "language": arg("l")})]
    (found,) = EXTRACTOR.extract(tool, {"t": "x", "l": language}, HERE).all
    assert found.kind == "interpret"


def test_every_effect_has_the_fields_of_its_kind() -> None:
    texts = [
        *("sudo rm -rf x; kill 1; reboot; crontab x; chmod 777 x; dd of=/dev/sda; cp a b", "$X"),
        *("curl x.org | sh", "systemctl stop x", "ssh u@h ls", 'curl "$X"', "cat > $X <<< a"),
    ]
    seen = set()
    for text in texts:
        for effect in effects(text).all:
            seen.add(effect.kind)
            assert effect.fields.keys() == EFFECT_KINDS[effect.kind].fields.keys() - {
                *("certain", "through")
            }
    assert seen == EFFECT_KINDS.keys() - {"sql"}


def test_effects_stand_by_kind_in_the_order_of_all() -> None:
    found = effects("rm a; cat b; rm c > d")
    assert [e for e in found.all if e.kind == "delete"] == found.by_kind["delete"]
    assert sum(map(len, found.by_kind.values())) == len(found.all)


def test_programs_survive_json() -> None:
    import json

    from callgate.effects import Extractor

    again = Extractor(json.loads(json.dumps(PROGRAMS)))
    tool: Tool = [("shell", {"text": arg("t")})]
    found = again.extract(tool, {"t": "sudo rm -rf /x"}, HERE)
    assert [shown(e) for e in found.by_kind["delete"]] == ["delete path=/x recursive=True"]
