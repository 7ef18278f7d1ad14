"""YAML text → tree: what is refused, how scalars are read."""

from __future__ import annotations

import math
from typing import Any

import pytest

from callgate.load.events import event_reader, pure_event_reader
from callgate.load.nodes import to_data
from callgate.load.reader import parse_yaml
from callgate.load.scalars import core_value
from callgate.load.source import MAX_BYTES, Source, read_source
from callgate.load.tree import MAX_DEPTH, build_tree
from callgate.model.diagnostic import Diagnostic, Diagnostics


def read(
    text: str | bytes, aliases: bool = False, pure: bool = False
) -> tuple[Any, list[Diagnostic]]:
    """The data in a text and what is wrong with it."""
    diagnostics = Diagnostics()
    data = text if isinstance(text, bytes) else text.encode()
    source = read_source("f.yaml", data, diagnostics)
    if source is None:
        return None, diagnostics.sorted()
    if pure:
        root = build_tree(pure_event_reader(source.text), source, diagnostics, aliases)
    else:
        root = parse_yaml(source, diagnostics, aliases)
    return None if root is None else to_data(root), diagnostics.sorted()


def brief(diagnostics: list[Diagnostic]) -> list[str]:
    return [f"{d.span.line}:{d.span.column} {d.code}" for d in diagnostics if d.span]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((t, None) for t in ("", "~", "null", "Null", "NULL")),
        *((t, True) for t in ("true", "True", "TRUE")),
        *((t, False) for t in ("false", "False", "FALSE")),
        *((t, t) for t in ("yes", "no", "on", "off", "On", "OFF", "y", "n", "nUll", "tRue")),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("007", 7),
        ("0o17", 15),
        ("0xfF", 255),
        *((t, t) for t in ("0o8", "0xg", "-0x1", "1_000", "0b1", "12:30", "2001-01-01", "=", "<")),
        ("1.5", 1.5),
        ("-.5e3", -500.0),
        ("1.", 1.0),
        ("1e3", 1000.0),
        *((t, t) for t in (".", "e3", "1e", "-", "+", "1.2.3", "٣", "²")),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("9" * 1001, "9" * 1001),
    ],
)
def test_plain_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    got = core_value(text)
    assert got == value
    assert type(got) is type(value)
    if text not in ("", "-"):
        assert read(f"k: {text}")[0] == {"k": value}
        assert read(f"k: '{text}'")[0] == {"k": text}


def test_not_a_number() -> None:
    assert math.isnan(core_value(".nan"))


def test_duplicate_keys_name_the_first() -> None:
    data, found = read("a: 1\nb: {c: 1, 'c': 2}\n\"a\": 3\na: 4\n")
    assert data == {"a": 1, "b": {"c": 1}}
    assert brief(found) == ["2:11 Y002", "3:1 Y002", "4:1 Y002"]
    assert [str(span) for d in found for _, span in d.related] == [
        "f.yaml:2:5",
        "f.yaml:1:1",
        "f.yaml:1:1",
    ]


def test_tags_are_refused_and_never_lost() -> None:
    data, found = read("a: !x\nb: !!str 1\nc: [!<y> z, 1]\nd: !e {f: 1}\ng: ! h\n!k k: 1\n")
    assert data == {"c": [1]}
    assert brief(found) == [f"{n} Y003" for n in ("1:4", "2:4", "3:5", "4:4", "5:4", "6:1")]
    assert "`not x`" in found[0].help
    assert "not" not in found[1].help


def test_merge_keys_are_refused() -> None:
    data, found = read("a: {<<: {b: 1}, '<<': 2}\n<<: 3\n")
    assert data == {"a": {"<<": 2}}
    assert brief(found) == ["1:5 Y004", "2:1 Y004"]


def test_rule_files_have_no_aliases() -> None:
    data, found = read("a: &x [1]\nb: *x\nc: &y 2\n*z : 3\n")
    assert data == {"a": [1], "c": 2}
    assert brief(found) == ["1:4 Y005", "2:4 Y005", "3:4 Y005", "4:1 Y005"]


def test_settings_may_have_aliases_within_bounds() -> None:
    assert read("a: &x [1, {b: 2}]\nc: *x\nd: &y e\nf: *y\n", aliases=True) == (
        {"a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": "e", "f": "e"},
        [],
    )
    data, found = read("a: &x [1, *x]\nb: *nope\n", aliases=True)
    assert data == {"a": [1]}
    assert brief(found) == ["1:11 Y005", "2:4 Y005"]


def test_aliases_that_blow_up_are_refused() -> None:
    bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
    )
    data, found = read(bomb, aliases=True)
    assert {d.code for d in found} == {"Y005"}
    assert found[0].span and found[0].span.line == 5
    assert len(str(data)) < 100_000


def test_aliases_that_nest_too_deep_are_refused() -> None:
    chain = "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 80))
    _, found = read(chain, aliases=True)
    assert found[0].code == "Y012"
    assert found[0].span and found[0].span.line == MAX_DEPTH


def test_keys_are_texts() -> None:
    data, found = read("1: a\ntrue: b\n~: c\n[d]: e\n? {f: 1}\n: g\n1.5: h\non: i\n'1': j\n")
    assert data == {"on": "i", "1": "j"}
    assert brief(found) == [f"{n} Y011" for n in ("1:1", "2:1", "3:1", "4:1", "5:3", "7:1")]
    assert found[0].help == 'put it in quotes: `"1"`'


def test_one_document_a_file() -> None:
    data, found = read("%YAML 1.2\n---\na: 1\n...\n---\nb: 2\n---\n")
    assert data == {"a": 1}
    assert brief(found) == ["5:1 Y010"]


@pytest.mark.parametrize("text", ["", " \n\n", "# only a comment\n", "---\n", "~\n", "\ufeff"])
def test_empty_files(text: str) -> None:
    assert brief(read(text)[1]) == ["1:1 Y008"]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "a:\n"])
def test_nesting_is_bounded(opening: str) -> None:
    def nested(depth: int) -> str:
        if opening == "a:\n":
            return "".join(" " * n + opening for n in range(depth))
        closing = {"[": "]", "{a: ": "}"}.get(opening, "")
        return opening * depth + closing * depth

    assert read(nested(MAX_DEPTH))[1] == []
    _, found = read(nested(MAX_DEPTH + 1))
    assert [d.code for d in found] == ["Y012"]
    _, found = read(opening * 200_000 if opening != "a:\n" else nested(1000))
    assert [d.code for d in found] == ["Y012"]


def test_files_are_bounded() -> None:
    line = b"# " + b"x" * 61 + b"\n"
    exact = line * (MAX_BYTES // 64 - 1) + b"a: " + b"1" * 60 + b"\n"
    assert len(exact) == MAX_BYTES
    assert read(exact)[1] == []
    assert brief(read(exact + b"\n")[1]) == ["1:1 Y009"]


@pytest.mark.parametrize(
    ("data", "place", "hint"),
    [
        (b"a: b\n\xc3\xa9\xff\n", "2:2", "UTF-8"),
        (b"\xef\xbb\xbfa: \xe9\n", "1:4", "UTF-8"),
        ("a: 1\n".encode("utf-16"), "1:1", "UTF-16"),
        (b"a: \xed\xa0\x80\n", "1:4", "UTF-8"),
    ],
)
def test_files_are_utf_8(data: bytes, place: str, hint: str) -> None:
    _, found = read(data)
    assert brief(found) == [f"{place} Y007"]
    assert hint in found[0].help


def test_a_bom_is_no_part_of_the_text() -> None:
    data, found = read("\ufeffa: 100\nb: 1\nb: 2\n")
    assert data == {"a": 100, "b": 1}
    assert brief(found) == ["3:1 Y002"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_count_as_in_an_editor(ending: str) -> None:
    text = ending.join(["a: 1", "# 𝄞", "𝄞: |", "  x", "", "é: {b: 1, b: 2}", ""])
    assert brief(read(text)[1]) == ["6:11 Y002"]


def test_characters_that_no_file_may_hold() -> None:
    data, found = read("a: x\x00\nb: '\u2028'\nc: \x85\nd: 1\nd: 2\n")
    assert data == {"a": "x�", "b": "�", "c": "�", "d": 1}
    assert brief(found) == ["1:5 Y001", "2:5 Y001", "3:4 Y001", "5:1 Y002"]
    assert "`\\L`" in found[1].help
    assert len(read("\x01" * 1000)[1]) == 10
    assert read('a: "\\L\\N\\0"\n') == ({"a": "\u2028\x85\0"}, [])


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: [x, 'y', \"z\"]\nc: {d: |\n}\n".replace("|\n", "~"),
        "a: 1\na: 2\nb: !x y\n<<: 3\n1: 2\n? [a]\n: 3\nc: &d e\nf: *d\n---\ng: 1\n",
        "a:\n- b: >-\n    c\n    d\n\n  e: |2\n      f\n",
    ],
)
def test_pyyaml_alone_says_the_same(text: str) -> None:
    assert read(text, pure=True) == read(text)


def test_events_come_from_libyaml() -> None:
    reader = event_reader("a: 1")
    assert type(reader.__self__).__module__ == "yaml._yaml"  # type: ignore[attr-defined]


def test_places_of_offsets() -> None:
    source = Source("f", "ab\r\nc\rd\n\n𝄞")
    assert [source.place(n) for n in range(len(source.text) + 1)] == [
        *((1, 1), (1, 2), (1, 3), (1, 4)),
        *((2, 1), (2, 2), (3, 1), (3, 2)),
        *((4, 1), (5, 1), (5, 2)),
    ]
    assert source.lines == ["ab", "c", "d", "", "𝄞"]
    assert source.line_range(1) == (0, 2)
    assert source.line_range(9) == (9, 10)
