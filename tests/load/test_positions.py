"""From a scalar's value back to the file, in every style."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings

from callgate.load.document import Document, ScalarText
from callgate.load.events import event_reader, pure_event_reader
from callgate.load.nodes import Mapping
from callgate.load.source import Source
from callgate.load.tree import build_tree
from callgate.model.diagnostic import Diagnostics
from callgate.model.span import Span
from tests.load.texts import Rendered, rendered


def document(text: str, pure: bool = False) -> Document:
    source = Source("f.yaml", text)
    reader = (pure_event_reader if pure else event_reader)(text)
    root = build_tree(reader, source, Diagnostics(), aliases=True)
    assert isinstance(root, Mapping), text
    return Document("test", source, root)


def cut(text: str, span: Span) -> str:
    """The text of a file at a span, found without the code under test."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    before = sum(map(len, lines[: span.line - 1])) + span.column - 1
    return text[before : sum(map(len, lines[: span.end_line - 1])) + span.end_column - 1]


def check_words(case: Rendered, scalar: ScalarText) -> None:
    at = 0
    for word, written in case.words:
        at = scalar.value.index(word, at)
        assert cut(case.text, scalar.span(at, at + len(word))) == written
        at += len(word)


@settings(max_examples=150, deadline=None)
@given(rendered())
def test_every_word_is_found_where_it_is_written(case: Rendered) -> None:
    check_words(case, document(case.text).text("a", 0, "k"))


@settings(max_examples=40, deadline=None)
@given(rendered())
def test_pyyaml_alone_gives_the_same_tree_and_places(case: Rendered) -> None:
    assume("\t" not in case.text)  # which PyYAML's own parser refuses in places
    fast, slow = document(case.text), document(case.text, pure=True)
    assert fast.data == slow.data
    check_words(case, slow.text("a", 0, "k"))


@settings(max_examples=60, deadline=None)
@given(rendered())
def test_every_character_has_a_place_of_its_own(case: Rendered) -> None:
    scalar = document(case.text).text("a", 0, "k")
    places = [scalar.span(n, n + 1) for n in range(len(scalar.value))]
    starts = [(place.line, place.column) for place in places]
    assert starts == sorted(set(starts))
    assert all((p.line, p.column) < (p.end_line, p.end_column) for p in places)


@pytest.mark.parametrize(
    ("text", "word", "written", "place"),
    [
        ("k: ab cd\n", "cd", "cd", (1, 7)),
        ("k: 'it''s cd'\n", "'", "''", (1, 7)),
        ('k: "\\u0061\\tcd"\n', "cd", "cd", (1, 13)),
        ('k: "\\u0061\\tcd"\n', "a", "\\u0061", (1, 5)),
        ('k: "a\\\n   b"\n', "ab", "a\\\n   b", (1, 5)),
        ('k: "a\\x20 \n   cd"\n', "  cd", None, (1, 6)),
        ("k: >-\n  ab\n  cd\n", "cd", "cd", (3, 3)),
        ("k: >2-  # x\n     ab\n\n\n  cd\n", "\n\ncd", None, (3, 1)),
        ("k: |+\n\n  ab\n\n", "ab", "ab", (3, 3)),
        ("k: ab\n\n  cd\n", "cd", "cd", (3, 3)),
        ("k: &x ab cd\n", "cd", "cd", (1, 10)),
        ("é𝄞: 日 𝄞 cd\n".replace("é𝄞", "k"), "cd", "cd", (1, 8)),
        ("k: |\r\n  ab\r\n  cd\r\n", "cd", "cd", (3, 3)),
    ],
)
def test_places(text: str, word: str, written: str | None, place: tuple[int, int]) -> None:
    scalar = document(text).text("k")
    at = scalar.value.index(word)
    span = scalar.span(at, at + len(word))
    assert (span.line, span.column) == place
    if written is not None:
        assert cut(text, span) == written


@pytest.mark.parametrize(
    ("text", "place"),
    [("k: ab\n", (1, 6)), ("k: 'ab'\n", (1, 7)), ('k: "a\\x62"\n', (1, 10)), ("k: ''\n", (1, 5))],
)
def test_the_end_of_a_text_is_behind_its_last_character(text: str, place: tuple[int, int]) -> None:
    scalar = document(text).text("k")
    span = scalar.span(len(scalar.value), len(scalar.value))
    assert (span.line, span.column) == (span.end_line, span.end_column) == place


def test_offsets_outside_the_text_are_brought_back_in() -> None:
    scalar = document("k: ab\n").text("k")
    assert scalar.span(-5, 99) == scalar.span() == Span("f.yaml", 1, 4, 1, 6)
    assert scalar.span(9, 1) == scalar.span(2, 2)


def test_spans_of_keys_values_and_what_is_not_there() -> None:
    file = document("a:\n  - b: 'x'\n    c: {d: 1}\n\n# end\ne: 2\n")
    assert str(file.span("a", 0, "b")) == "f.yaml:2:8"
    assert str(file.span("a", 0, "b", key=True)) == "f.yaml:2:5"
    assert str(file.span("a", 0, "c", "d", key=True)) == "f.yaml:3:9"
    assert file.span("a", 0, "c") == Span("f.yaml", 3, 8, 3, 14)
    assert file.span("a", 0, "nope") == file.span("a", 0)
    assert file.span("a", 9) == file.span("a")
    assert file.span("e", "f", key=True) == file.span("e")
    for path in [("a",), ("a", 9), ("e", "f"), ("a", "b")]:
        with pytest.raises(KeyError):
            file.text(*path)


def test_the_value_of_a_plain_scalar_is_its_text() -> None:
    file = document("a: true\nb: 0x1F\nc: 'true'\n")
    assert [file.text(k).value for k in "abc"] == ["true", "0x1F", "true"]
    assert file.data == {"a": True, "b": 31, "c": "true"}
