"""Whatever a file holds: diagnostics, never an exception."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate import resources
from callgate.load.bundle import bundle_lines, load_bundle
from callgate.load.files import read_bundle_bytes
from callgate.load.reader import read_document
from callgate.load.report import format_diagnostic
from callgate.load.schemas import kinds, surely_valid
from callgate.load.settings import load_settings
from callgate.load.settings_file import parse_settings
from callgate.model.catalogue import Setting, Vocabulary
from callgate.model.diagnostic import Diagnostics
from callgate.model.types import BOOL, INT, JSON, STRING, Enum, Field, ListOf, MapOf, Optional

TYPES = [
    *(BOOL, INT, STRING, JSON, Enum("e", ("a", "b")), Enum("o", ("a",), open=True)),
    *(ListOf(STRING), MapOf(ListOf(STRING)), Optional(INT), ListOf(Enum("e", ("a", "b")))),
]
VOCABULARY = Vocabulary(
    settings={
        f"{section}.{key}": Setting(
            f"{section}.{key}", Field(type, default=None, secret=key == "bb")
        )
        for section in ("a", "aB", "b.c")
        for (key, type) in zip(
            ("a", "b", "ab", "a_b", "c", "ba", "bb", "bc", "cc", "cb"), TYPES, strict=True
        )
    },
    open_sections=("d",),
)

# Pieces that YAML files are made of, in any order.
pieces = st.lists(
    st.sampled_from(
        [
            *(
                "kind",
                "flow",
                "guards",
                "rules",
                "id",
                "title",
                "when",
                "decide",
                "deny",
                "a",
                "é𝄞",
            ),
            *(
                ": ",
                ":",
                "\n",
                "\n  ",
                "\n    ",
                "\n- ",
                "  - ",
                "- ",
                "\t",
                " ",
                "\r\n",
                "\r",
                "#",
                " #",
            ),
            *(
                "{",
                "}",
                "[",
                "]",
                ", ",
                ",",
                "'",
                '"',
                "`",
                "\\",
                "\\x",
                "|",
                ">",
                "|2-\n",
                ">+\n",
                "%",
            ),
            *(
                "!",
                "!x ",
                "!!str ",
                "&x ",
                "*x",
                "<<",
                "?",
                "? ",
                "---\n",
                "...\n",
                "@",
                "~",
                "null",
            ),
            *(
                "true",
                "1",
                "1.5",
                "0x",
                ".inf",
                "\ufeff",
                "\x00",
                "\u2028",
                "\x85",
                "call.tool == ",
                "f(a",
            ),
        ]
    )
    | st.text(max_size=4),
    max_size=30,
).map("".join)
any_bytes = st.binary(max_size=60) | pieces.map(lambda text: text.encode("utf-8", "replace"))


def read_all(data: bytes) -> None:
    """Read bytes as every kind of thing, and print what is wrong."""
    for manifest in (False, True):
        diagnostics = Diagnostics()
        document = read_document("f", data, diagnostics, manifest)
        assert document is not None or diagnostics.has_errors
        if document is not None:
            assert manifest or surely_valid(document.kind)(document.data)
            assert document.incomplete == diagnostics.has_errors
            touch(document, document.data)
        show(diagnostics, data)
    diagnostics = Diagnostics()
    document = parse_settings("f", data, diagnostics)
    if document is not None:
        load_settings(document.data, VOCABULARY, {"a": "b"}, diagnostics, document)
        touch(document, document.data)
    show(diagnostics, data)


def touch(document: Any, value: Any, path: tuple[str | int, ...] = ()) -> None:
    """Ask for the place of everything in a document."""
    span = document.span(*path)
    assert (span.line, span.column) <= (span.end_line, span.end_column)
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            document.span(*path, key, key=True)
            touch(document, item, (*path, key))
    else:
        text = document.text(*path)
        for n in range(min(len(text.value), 5)):
            text.span(n, n + 1)


def show(diagnostics: Diagnostics, data: bytes) -> None:
    lines = bundle_lines([("f", data)])
    found = diagnostics.sorted()
    assert found == sorted(found, key=lambda d: d.sort_key)
    for diagnostic in found:
        assert not diagnostic.message.endswith(".")
        assert format_diagnostic(diagnostic, lines)


@settings(max_examples=200, deadline=None)
@given(any_bytes)
def test_any_bytes(data: bytes) -> None:
    read_all(data)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(kinds()), pieces)
def test_files_that_begin_well(kind: str, rest: str) -> None:
    read_all(f"kind: {kind}\n{rest}".encode("utf-8", "replace"))


@cache
def real_files() -> list[bytes]:
    return [data for _, data in read_bundle_bytes(resources.bundle_names()[0]) if len(data) < 6_000]


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_mutated_real_files(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(real_files())).decode()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.sampled_from([0, 0, 1, 3, 30, 300]))
        text = text[:at] + data.draw(pieces | st.just(""))[:20] + text[at + length :]
    read_all(text.encode("utf-8", "replace"))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_mutated_trees_of_real_files(data: st.DataObject) -> None:
    """As YAML the file stays right; what stands where is wrong."""
    tree = yaml.load(data.draw(st.sampled_from(real_files())), yaml.CBaseLoader)
    for _ in range(data.draw(st.integers(1, 3))):
        holder = tree
        while isinstance(holder, dict | list) and holder:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            key = data.draw(st.sampled_from(keys))
            if not isinstance(holder[key], dict | list) or data.draw(st.integers(0, 3)) == 0:
                new = data.draw(st.sampled_from([None, 3, "x", [], ["y"], {}, {"z": 1}, "DROP"]))
                if new == "DROP":
                    del holder[key]
                else:
                    holder[key] = new
                break
            holder = holder[key]
    read_all(yaml.dump(tree, Dumper=yaml.CSafeDumper, allow_unicode=True).encode())


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["bundle.yaml", "a.yaml", "b/c.yml"]), any_bytes, max_size=3)
)
def test_any_folder(files: dict[str, bytes]) -> None:
    diagnostics = Diagnostics()
    ordered = sorted(files.items(), key=lambda item: item[0] != "bundle.yaml")
    bundle = load_bundle("x", diagnostics, [[(f"y/x/{name}", data) for name, data in ordered]])
    assert bundle is None or "bundle.yaml" in files


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "aB", "a_b", "b", "c", "d", "ab", ""]) | st.integers(0, 1),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=120, deadline=None)
@given(json_like, json_like)
def test_any_settings(raw: Any, overlay: Any) -> None:
    diagnostics = Diagnostics()
    base = load_settings(raw, VOCABULARY, {}, diagnostics)
    over = base.overlay(overlay, diagnostics)
    assert base.values.keys() == over.values.keys() == VOCABULARY.settings.keys()
    assert base.given <= over.given
    again = Diagnostics()
    assert repr(load_settings(raw, VOCABULARY, {}, again).values) == repr(base.values)


@pytest.mark.parametrize("name", ["", "x", "\0", "a/b", "..", "~", "é" * 300])
def test_any_place(name: str, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    load_bundle(str(tmp_path / name) if "\0" not in name else name, diagnostics)
    assert diagnostics.has_errors
