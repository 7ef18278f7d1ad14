"""No text makes extraction fail, and it never says nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import Surroundings
from callgate.effects.shell.bounds import MAX_BYTES
from callgate.model.effect import EffectSet
from tests.effects.reading import EXTRACTOR, SHELL, effects

TOKENS = st.sampled_from(
    [
        *(
            "rm",
            "-rf",
            "/",
            "a",
            "sudo",
            "sh -c",
            "eval",
            "xargs",
            "find . -exec",
            "curl",
            "cd",
            "=",
        ),
        *(
            " ",
            " ",
            "\n",
            "\t",
            ";",
            "&",
            "&&",
            "|",
            "||",
            "(",
            ")",
            "{",
            "}",
            "[[",
            "]]",
            "((",
            "))",
        ),
        *(
            "'",
            '"',
            "\\",
            "`",
            "$",
            "$(",
            "${",
            "$((",
            "$'",
            "<",
            ">",
            "<<",
            "<<<",
            "<<E",
            "<(",
            "2>&1",
        ),
        *(
            "if",
            "then",
            "fi",
            "for",
            "in",
            "do",
            "done",
            "case",
            "esac",
            "while",
            "function",
            "!",
            "#",
        ),
        *(
            "~",
            "*",
            "?",
            "[",
            "]",
            "{a,b}",
            "$HOME",
            "$X",
            "é",
            "\u202e",
            "\r",
            "\x01",
            "E\n",
            "-",
            "--",
        ),
    ]
)


def check(found: EffectSet, text: str) -> None:
    assert found.all or "#" in text or "=" in text
    for effect in found.all:
        if effect.kind == "opaque":
            assert "could not be read" not in effect.fields["reason"], text
        if effect.span is not None:
            start, end = effect.span
            assert 0 <= start <= end <= len(text)
    assert found.complete is not ("opaque" in found.by_kind)


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check(effects(text), text)


@given(st.lists(TOKENS, max_size=40).map("".join))
def test_text_like_shell(text: str) -> None:
    check(effects(text), text)


@given(st.lists(TOKENS, max_size=25).map(" ".join), st.sampled_from(["/w", "", "~", "\0", "x"]))
def test_text_like_shell_in_odd_places(text: str, folder: str) -> None:
    place = Surroundings(cwd=folder, home=folder, workspace=folder, links={"/w/a": "/w/a/b"})
    check(effects(text, place), text)


@given(st.binary(max_size=100))
def test_any_bytes(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    check(effects(text), text)


@given(
    st.lists(st.sampled_from(["(", "{ ", "$(", "`", '"$(', "<(", "if ", "! ", "sudo "]), max_size=8)
)
def test_deep_nesting(openings: list[str]) -> None:
    text = "".join(openings) * 40 + "rm -rf /"
    check(effects(text), text)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a ",
            "a;",
            "a|",
            "(",
            "$(",
            "'",
            '"a" ',
            "a\n",
            "\\\n",
            "<<A ",
            "{a,b}",
            "=~ a|",
            ")'",
            "#\nx\n",
        ),
        *(
            "eval ",
            "sudo ",
            "cd x;",
            "cd x||",
            "env a=1 ",
            "curl ",
            "{{{{",
            "$X",
            "a=(",
            "[[ a && ",
        ),
    ],
)
def test_long_texts(piece: str) -> None:
    text = (piece * (MAX_BYTES // len(piece) + 1))[:MAX_BYTES]
    check(effects(text), text)


def test_a_megabyte() -> None:
    found = effects("rm -rf / " * 120_000)
    assert [effect.kind for effect in found.all] == ["opaque"]


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
            max_leaves=10,
        ),
    )
)
def test_any_arguments(args: dict[str, object]) -> None:
    tool = [*SHELL, ("paths", {"as": ("const", "write")}), ("read", {"path": ("arg", "p", None)})]
    found = EXTRACTOR.extract(tool, args, Surroundings())
    assert found.all
