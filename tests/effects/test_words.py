"""Words are decoded as the shell decodes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects.shell.braces import MAX_WORDS
from callgate.model.values import UNKNOWN
from tests.effects.reading import effects, opaque, words_of

LITERAL = [
    ("a", ["a"]),
    ("'a b'", ["a b"]),
    ('"a b"', ["a b"]),
    ("r\\m", ["rm"]),
    ("r'm'", ["rm"]),
    ('r"m"', ["rm"]),
    ("''", [""]),
    ('""', [""]),
    ("a''b", ["ab"]),
    ('"a\\"b"', ['a"b']),
    ('"a\\b"', ["a\\b"]),
    ('"a\\\\b"', ["a\\b"]),
    ("'a\\b'", ["a\\b"]),
    ("\\ ", [" "]),
    ("a\\ b c", ["a b", "c"]),
    ("a\\\nb", ["ab"]),
    ("a \\\n b", ["a", "b"]),
    ('"a\\\nb"', ["ab"]),
    ("$'\\x72m'", ["rm"]),
    ("$'a\\tb\\n'", ["a\tb\n"]),
    ("$'\\162\\155'", ["rm"]),
    ("$'\\u00e9'", ["é"]),
    ("$'a\\0b'c", ["ac"]),
    ("$'\\''", ["'"]),
    ('$"hello"', ["hello"]),
    ("$ $", ["$", "$"]),
    ('"$"', ["$"]),
    ("a#b", ["a#b"]),
    ("a # b", ["a"]),
    ("{a,b}", ["a", "b"]),
    ("x{a,b}y", ["xay", "xby"]),
    ("{a,{b,c}}", ["a", "b", "c"]),
    ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
    ("{1..3}", ["1", "2", "3"]),
    ("{c..a}", ["c", "b", "a"]),
    ("{01..3}", ["01", "02", "03"]),
    ("{1..7..3}", ["1", "4", "7"]),
    ("{9..1..-4}", ["9", "5", "1"]),
    ("{a}", ["{a}"]),
    ("{a,b", ["{a,b"]),
    ("'{a,b}'", ["{a,b}"]),
    ("\\{a,b}", ["{a,b}"]),
    ("{'a,b',c}", ["a,b", "c"]),
    ("HEAD@{1}", ["HEAD@{1}"]),
    ("é 'ü'", ["é", "ü"]),
    ("a\u00a0b", ["a\u00a0b"]),
    ("~", ["~"]),
    ("~/x", ["~/x"]),
    ("x=~/y", ["x=~/y"]),
    ("$HOME/x", ["~/x"]),
    ('"${HOME}/x"', ["~/x"]),
    ("$PWD/x", ["/w/x"]),
    ("~+/x", ["/w/x"]),
    ("*.py", ["*.py"]),
    ("2", ["2"]),
    ("2>/dev/null 3", ["3"]),
    ("a 2>&1 b", ["a", "b"]),
    ("-rf2>x", ["-rf2"]),
    # As above, for the grammar.
    ("\\$ -rf2>x", ["$", "-rf2"]),
    ("\\$ 2>/dev/null 3", ["$", "3"]),
    ("\\$ a''b 2>&1 c", ["$", "ab", "c"]),
    ("<<<x a", ["a"]),
    ("<<E a\nbody\nE\n", ["a"]),
]


@pytest.mark.parametrize(("text", "words"), LITERAL, ids=[text for text, _ in LITERAL])
def test_literal_words(text: str, words: list[str]) -> None:
    assert [word.text for word in words_of(f"cmd {text}")] == words


@pytest.mark.parametrize(
    ("text", "pieces", "splits"),
    [
        ("$X", (UNKNOWN,), True),
        ('"$X"', (UNKNOWN,), False),
        ('"$@"', (UNKNOWN,), True),
        ("a$X", ("a", UNKNOWN), True),
        ('"a$X"b', ("a", UNKNOWN, "b"), False),
        ('"$X $Y"', (UNKNOWN, " ", UNKNOWN), False),
        ('" $X  ${Y} $(z) `z`"', (" ", UNKNOWN, "  ", *[UNKNOWN, " "] * 2, UNKNOWN), False),
        ("/tmp/a$$", ("/tmp/a", UNKNOWN), True),
        ("a$!.$$", ("a", UNKNOWN, ".", UNKNOWN), True),
        ("$(x)", (UNKNOWN,), True),
        ("`x`", (UNKNOWN,), True),
        ("$((1+1))", (UNKNOWN,), False),
        ("<(x)", ("/dev/fd/", UNKNOWN), False),
        ("${X:-y}", (UNKNOWN,), True),
        ("${HOME:-y}", (UNKNOWN,), True),
        ("~root/x", (UNKNOWN, "/x"), False),
        ("~-", (UNKNOWN,), False),
        ("rm${IFS}-rf", ("rm", UNKNOWN, "-rf"), True),
    ],
)
def test_unresolved_words(text: str, pieces: tuple[object, ...], splits: bool) -> None:
    (word,) = words_of(f"cmd {text}")
    assert word.text is UNKNOWN
    assert (word.pieces, word.splits) == (pieces, splits)


def test_a_quoted_tilde_is_a_letter() -> None:
    active, quoted = words_of("cmd ~/x '~/x'")
    assert (active.home, quoted.home) == (0, -1)
    assert words_of('cmd ~"$HOME"')[0].home == -1


def test_only_unquoted_globs_are_globs() -> None:
    assert [w.glob for w in words_of("cmd * '*' \\* a? '?' [ab] [ \"[ab]\"")] == [
        *(True, False, False),
        *(True, False),
        *(True, False, False),
    ]


def test_brace_expansion_is_bounded() -> None:
    two = "{a,b}"
    assert len(words_of(f"cmd {two * 6}")) == MAX_WORDS
    (found,) = effects(f"cmd {two * 7}").by_kind["opaque"]
    assert found.fields == {"reason": "braces that make too many words", "bound": True}
    (word,) = words_of("cmd {1..1000000}")
    assert word.text is UNKNOWN


@pytest.mark.parametrize("text", ["cmd $'\\xff'", "cmd 'a", 'cmd "a', "cmd `a", "cmd $(a"])
def test_what_is_no_word_is_said(text: str) -> None:
    assert opaque(text)


@given(st.text(st.characters(exclude_characters="'\0", exclude_categories=["Cs"])))
def test_single_quotes_keep_everything(text: str) -> None:
    (word,) = words_of(f"cmd '{text}'")
    assert word.text == text
    assert word.offset == 5


@given(st.text("ab/-=.,:", min_size=1), st.data())
def test_quoting_changes_nothing(text: str, data: st.DataObject) -> None:
    written = "".join(
        data.draw(st.sampled_from([char, f"\\{char}", f"'{char}'", f'"{char}"', f"''{char}"]))
        for char in text
    )
    (word,) = words_of(f"cmd {written}")
    assert word.text == text
