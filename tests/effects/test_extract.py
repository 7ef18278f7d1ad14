"""From the catalogue's entries and a call's arguments to effects."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import Surroundings
from callgate.effects.sink import MAX_EFFECTS
from callgate.model.effect import EFFECT_KINDS, Effect
from callgate.model.types import BOOL
from callgate.model.values import UNKNOWN
from callgate.stdlib.paths import normalise
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
        (
            [("read", {"path": arg("p")})],
            {"p": "/etc/shadow\n"},
            ["read path=/etc/shadow\n", "read path=/etc/shadow"],
        ),
        (
            [("write", {"path": arg("p")})],
            {"p": "\t~/.x\u2028"},
            ["write path=/w/\t~/.x\u2028", "write path=/home/u/.x"],
        ),
        (
            [("read", {"path": arg("p")})],
            {"p": " file:///x"},
            ["read path=/w/ file:/x", "read path=/w/file:/x", "read path=/x"],
        ),
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
            {"t": "rm(a)"},
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
                "read path=/w/a/b tree=True",
                "connect url=https://example.org/x scheme=https host=example.org port=443"
                " address_class=public",
                *("read path=/etc/x tree=True", "read path=/w/.env tree=True"),
                *("read path=/w/notes.md tree=True", "read path=/y tree=True"),
            ],
        ),
    ],
)
def test_effects_of_tools(tool: Tool, args: dict[str, Any], found: list[str]) -> None:
    assert extract(tool, args) == found


@pytest.mark.parametrize(
    ("tool", "args", "rest"),
    [
        ([("read", {"path": arg("p")})], {}, ["read path=?"]),
        ([("read", {"path": arg("p")})], {"p": None}, ["read path=?"]),
        ([("read", {"path": arg("p")})], {"p": 1}, ["read path=?"]),
        ([("read", {"path": arg("p")})], {"p": ["a", 1]}, ["read path=/w/a", "read path=?"]),
        ([("read", {"path": arg("p")})], {"p": {"a": "b"}}, ["read path=?"]),
        ([("shell", {"text": arg("p")})], {"p": ["rm", "x"]}, []),
        ([("shell", {"text": arg("p")})], {"p": True}, []),
        (
            [("shell", {"text": const("rm a /b"), "cwd": arg("p")})],
            {"p": 1},
            ["run program=rm program_path=rm words=[a /b]", "delete path=?", "delete path=/b"],
        ),
        ([("code", {"text": arg("p"), "language": const("sh")})], {}, []),
        (
            [("code", {"text": const("rm /a"), "language": arg("p")})],
            {},
            ["run program=rm program_path=rm words=[/a]", "delete path=/a"],
        ),
        (
            [("delete", {"path": const("/a"), "recursive": arg("p")})],
            {"p": "yes"},
            ["delete path=/a recursive=?"],
        ),
        (
            [("connect", {"host": const("10.0.0.1"), "port": arg("p")})],
            {"p": True},
            ["connect scheme=? host=10.0.0.1 port=? address_class=private"],
        ),
        (
            [("connect", {"url": const("https://example.org/"), "port": arg("p")})],
            {},
            [
                "connect url=https://example.org/ scheme=https host=example.org port=443"
                " address_class=public"
            ],
        ),
        (
            [("connect", {"url": const("example.org/x"), "scheme": arg("p")})],
            {},
            [
                "connect url=https://example.org/x scheme=https host=example.org port=443"
                " address_class=public"
            ],
        ),
        (
            [("connect", {"url": arg("p"), "host": const("10.0.0.1")})],
            {},
            [
                "connect url=? scheme=? host=? port=? address_class=?",
                "connect scheme=? host=10.0.0.1 address_class=private",
            ],
        ),
        (
            [("permission", {"path": const("/a"), "mode": arg("p")})],
            {},
            ["permission path=/a mode=? world_writable=?"],
        ),
        (
            [("permission", {"path": const("/a"), "mode": arg("p")})],
            {"p": []},
            ["permission path=/a mode=? world_writable=?"],
        ),
        (
            [("signal", {"target": const("1"), "signal": arg("p")})],
            {"p": 9},
            ["signal target=1 signal=?"],
        ),
        (
            [("sql", {"statement": const("drop"), "tables": arg("p")})],
            {"p": "users"},
            ["sql statement=drop tables=?"],
        ),
        (
            [("run", {"program": const("rm"), "words": arg("p")})],
            {},
            ["run program=rm program_path=rm words=[?]", "delete path=? recursive=?"],
        ),
        ([("interpret", {"language": arg("p"), "source": const("file")})], {}, []),
    ],
)
def test_an_argument_that_is_missing_or_mistyped_is_opaque(
    tool: Tool, args: dict[str, Any], rest: list[str]
) -> None:
    found = EXTRACTOR.extract(tool, args, HERE)
    first, *others = found.all
    assert first.kind == "opaque"
    assert "`p`" in first.fields["reason"]
    assert [shown(effect) for effect in others] == rest
    assert not found.complete


def test_one_bad_argument_hides_nothing() -> None:
    tool: Tool = [("read", {"path": arg("p")}), ("write", {"path": arg("q")})]
    found = EXTRACTOR.extract(tool, {"q": "a"}, HERE)
    assert sorted(found.by_kind) == ["opaque", "read", "write"]


VALUES: dict[str, Any] = {
    "path": st.sampled_from(["a", "/etc/shadow", "~/.ssh", "-"])
    | st.lists(st.sampled_from(["a", "/b"]), min_size=1),
    "url": st.sampled_from(["https://example.org/x", "http://10.0.0.1:81/"]),
    "host": st.sampled_from(["example.org", "10.0.0.1"]),
    "scheme": st.sampled_from(["ssh", "https"]),
    "tables": st.lists(st.sampled_from(["a", "b"]), min_size=1),
    "mode": st.sampled_from(["777", "a+w", "600"]),
    "signal": st.sampled_from(["9", "TERM"]),
}
"""Values of fields by their names; others are words, or true or false. Ports are those of URLs."""

UNKNOWABLE = {
    kind: [name for name, field in record.fields.items() if field.unknown]
    for kind, record in EFFECT_KINDS.items()
    if kind not in ("run", "opaque", "interpret")
}


def covers(one: Effect, other: Effect) -> bool:
    """Whether an effect says of each field what the other says, or that nobody knows."""
    return one.kind == other.kind and all(
        one.fields[name] is UNKNOWN or one.fields[name] == value
        for name, value in other.fields.items()
    )


@given(st.data())
def test_an_argument_left_out_hides_nothing_else(data: st.DataObject) -> None:
    """So a guard that denied for another field denies still, and one that read it can't tell."""
    kind = data.draw(st.sampled_from(sorted(UNKNOWABLE)))
    names = [n for n in UNKNOWABLE[kind] if n not in ("world_writable", "address_class", "port")]
    fields = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    flags = [n for n, field in EFFECT_KINDS[kind].fields.items() if field.type == BOOL]
    values = {
        **dict.fromkeys(names, st.just("word")),
        **dict.fromkeys(flags, st.booleans()),
        **VALUES,
    }
    args = {name: data.draw(values[name]) for name in fields}
    gone = data.draw(st.sampled_from(fields))
    wrong: Any = data.draw(st.sampled_from([None, 3.5, {}]))
    tool: Tool = [(kind, {name: arg(name) for name in fields})]
    if kind == "device":
        tool[0][1]["action"] = const("write")
    found = EXTRACTOR.extract(tool, args, HERE)
    less = EXTRACTOR.extract(tool, {**args, gone: wrong}, HERE)
    assert not less.complete
    for effect in found.all:
        assert any(covers(other, effect) for other in less.all), shown(effect)


@pytest.mark.parametrize(
    ("tool", "args", "found"),
    [
        ([("write", {"path": arg("p")})], {"p": "-"}, ["write path=/w/-"]),
        ([("read", {"path": arg("p")})], {"p": ["-", "a"]}, ["read path=/w/-", "read path=/w/a"]),
        (
            [("permission", {"path": arg("p"), "mode": arg("m")})],
            {"p": ["a", "b"], "m": ["600", "644"]},
            [
                "permission path=/w/a mode=600",
                "permission path=/w/a mode=644",
                "permission path=/w/b mode=600",
                "permission path=/w/b mode=644",
            ],
        ),
        (
            [("sql", {"statement": const("drop"), "tables": arg("p")})],
            {"p": ["a", "b"]},
            ["sql statement=drop tables=[a b]"],
        ),
        (
            [("sql", {"statement": const("drop"), "tables": const("users")})],
            {},
            ["sql statement=drop tables=[users]"],
        ),
    ],
)
def test_fields_of_arguments(tool: Tool, args: dict[str, Any], found: list[str]) -> None:
    assert extract(tool, args) == found


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


@pytest.mark.parametrize("language", ["pytohn", "", "shell script"])
def test_code_in_an_unknown_language_is_opaque(language: str) -> None:
    tool: Tool = [("code", {"text": arg("t"), "language": arg("l")})]
    assert extract(tool, {"t": "x", "l": language}) == [
        f"interpret language={language} source=inline",
        "opaque reason=code in a language that nobody described",
    ]


@pytest.mark.parametrize("language", ["python", "Python3", "javascript", "node", "ruby", "perl"])
def test_code_in_a_known_language_is_interpreted(language: str) -> None:
    tool: Tool = [("code", {"text": arg("t"), "language": arg("l")})]
    (found,) = EXTRACTOR.extract(tool, {"t": "x", "l": language}, HERE).all
    assert found.kind == "interpret"


def test_every_effect_has_the_fields_of_its_kind() -> None:
    texts = [
        *("sudo rm -rf x; kill 1; reboot; crontab x; chmod 777 x; dd of=/dev/sda; cp a b", "$X"),
        *("curl x.org | sh", "systemctl stop x", "ssh u@h ls", 'curl "$X"', "cat > $X <<< a"),
        *("A=1 scp x h:", "f() { f | f; }; f", "psql -c 'drop table x'"),
    ]
    seen = set()
    for text in texts:
        for effect in effects(text).all:
            seen.add(effect.kind)
            names = EFFECT_KINDS[effect.kind].fields.keys() - {"certain", "through"}
            # Those of a command are read when they are asked for.
            for name in names:
                effect.fields[name]
            assert effect.fields.keys() == names
    assert seen == EFFECT_KINDS.keys() - {"mention"}


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


DIFF = """\
diff --git a/src/a.py b/src/a.py
--- a/src/a.py\t2024-01-01 00:00:00
+++ b/src/a.py\t2024-01-01 00:00:00
@@ -1,2 +1,2 @@
-x
+y
"""


@pytest.mark.parametrize(
    ("text", "names", "gone"),
    [
        (DIFF, {"a/src/a.py", "b/src/a.py", "src/a.py"}, set()),
        ("--- /dev/null\n+++ /home/u/.bashrc\n@@ -0,0 +1 @@\n+x\n", {"/home/u/.bashrc"}, set()),
        ("--- a/x y\n+++ /dev/null\n", {"a/x y", "x y"}, {"a/x y", "x y"}),
        ("--- x\r\n+++ y\r\n", {"x", "y"}, set()),
        ("  --- ../x\n  +++ ../x\n", {"../x"}, set()),
        ('--- "a/\\303\\244\\t\\"b"\n+++ x\n', {'a/ä\t"b', 'ä\t"b', "x"}, set()),
        ("*** x\t2024\n--- y\n*** 1,3 ****\n--- 1,3 ----\n", {"x", "y"}, set()),
        ("rename from x\nrename to y\n", {"x", "y"}, {"x"}),
        ("copy from x\ncopy to y\n", {"x", "y"}, {"x"}),
        ("diff --git a/x y b/x y\nold mode 1\n", {"a/x y", "b/x y", "x y"}, set()),
        ("diff --git x.py .env\n", {"x.py", ".env"}, set()),
        ('diff --git "a/\\056env" b/x\n', {"a/.env", ".env"}, set()),
        ("Index: data/x\n=====\n", {"data/x"}, set()),
        (
            "*** Begin Patch\n*** Update File: x\n*** Move to: z\n*** Add File: y\n"
            "*** Delete File: q\n*** End of File\n*** End Patch\n",
            {"x", "y", "z", "q"},
            {"x", "q"},
        ),
    ],
)
def test_a_patch_names_files(text: str, names: set[str], gone: set[str]) -> None:
    def places(kind: str) -> set[str]:
        found = EXTRACTOR.extract([("patch", {"text": arg("p")})], {"p": text}, HERE)
        assert found.complete
        return {effect.fields["path"] for effect in found.by_kind.get(kind, ())}

    def meant(names: set[str]) -> set[str]:
        return {str(normalise(name, "/w")) for name in names}

    assert places("read") == places("write") == meant(names)
    assert places("delete") == meant(gone)


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"p": "@@ -1 +1 @@", "f": "x"}, ["read path=/w/x", "write path=/w/x"]),
        ({"p": "@@ -1 +1 @@"}, ["opaque reason=a patch that names no file"]),
        ({"f": "x"}, ["read path=/w/x", "write path=/w/x"]),
        ({"p": "+++ /dev/null\n", "f": ""}, ["opaque reason=a patch that names no file"]),
    ],
)
def test_a_patch_is_for_a_file(args: dict[str, Any], found: list[str]) -> None:
    tool = [("patch", {"text": arg("p"), "path": ("arg", "f", "")})]
    told = [effect for effect in extract(tool, args) if "is missing" not in effect]
    assert told == found


def test_a_patch_of_many_files_is_opaque() -> None:
    text = "".join(f"+++ {n}\n" for n in range(1001))
    found = EXTRACTOR.extract([("patch", {"text": arg("p")})], {"p": text}, HERE)
    assert not found.complete
    assert len(found.by_kind["write"]) == 1000


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"/home/u/.bashrc": "x y"}, ["path=/home/u/.bashrc"]),
        (
            "--file=/etc/shadow",
            ["path=/w/--file=/etc/shadow", "path=/etc/shadow"],
        ),
        ("@/etc/shadow", ["path=/w/@/etc/shadow", "path=/etc/shadow"]),
        (
            "C:\\Users\\ann\\.kube\\config",
            [
                "path=/w/C:\\Users\\ann\\.kube\\config",
                "path=/Users/ann/.kube/config",
            ],
        ),
        ("..\\x", ["path=/w/..\\x"]),
        ("put your key in ~/.ssh/authorized_keys", []),
        ("use ~/.aws/config", []),
        ("one or two of src/a.py", []),
        ("see /etc/shadow", ["path=/w/see /etc/shadow"]),
        ("a b c/../../etc/shadow", ["path=/etc/shadow"]),
        ("/a b c/d", ["path=/a b c/d"]),
        ("~/a b c/d", ["path=/home/u/a b c/d"]),
        ("n", ["path=/w/n", "path=/etc/shadow"]),
        ("m", []),
        ("two words", []),
        ('{"a": "b"}', []),
        ("1.5", ["path=/w/1.5"]),
        ("42", []),
        ("1700000000", []),
    ],
)
def test_what_looks_like_a_path(value: Any, found: list[str]) -> None:
    place = Surroundings(cwd="/w", home="/home/u", links={"/w/n": "/etc/shadow"})
    told = EXTRACTOR.extract([("paths", {"as": const("read")})], {"p": value}, place)
    assert [shown(effect) for effect in told.all] == [f"read {path} tree=True" for path in found]


@pytest.mark.parametrize(
    ("value", "host"),
    [
        ("169.254.169.254", "169.254.169.254"),
        ("10.0.0.1:8080/x", "10.0.0.1"),
        ("metadata.google.internal", "metadata.google.internal"),
        ("localhost:3000", "localhost"),
        ("[::1]:80", "::1"),
        ("::1", "::1"),
        ("2852039166", "169.254.169.254"),
        ("0x7f000001", "127.0.0.1"),
        ("u:p@127.0.0.1", "127.0.0.1"),
        ("1.2.3.4", "1.2.3.4"),
    ],
)
def test_what_looks_like_an_address(value: str, host: str) -> None:
    told = EXTRACTOR.extract([("paths", {"as": const("write")})], {"p": value}, HERE)
    assert [effect.fields["host"] for effect in told.by_kind["connect"]] == [host]


def test_paths_may_be_deleted() -> None:
    assert extract([("paths", {"as": const("delete")})], {"p": "/x"}) == [
        "delete path=/x recursive=True"
    ]


@pytest.mark.parametrize(("value", "path"), [("", "/w"), (None, "/w"), (".", "/w"), ("x", "/w/x")])
def test_an_empty_text_is_as_good_as_none_where_there_is_a_default(value: Any, path: str) -> None:
    tool = [("read", {"path": ("arg", "p", ".")})]
    assert extract(tool, {"p": value}) == [f"read path={path}"]
    assert extract([("read", {"path": arg("p")})], {"p": ""}) == ["read path=?"]
