"""Functions and loops that start processes without end."""

from __future__ import annotations

import pytest

from tests.effects.reading import effects

BOMBS = [
    *(":(){ :|:& };:", ":() { : | : & }; :", "f(){ f & f; }; f", "b(){ b|b; }; b", "f(){ f|f& };f"),
    *(
        "function bomb { bomb | bomb & }; bomb",
        "f() { f & }; f",
        "f() { f; f; }; f",
        "f() ( f|f& )",
    ),
    *("bash -c 'b(){ b|b; }; b'", "f() { true && f | f & }; f", "sudo sh -c ':(){ :|:& };:'"),
    *("f() { { f & }; f; }; f", "f() { echo $(f) | f; f; }; f", "eval 'f() { f | f & }; f'"),
    *("while :; do $0 & done", "while true; do ./x & done", "while true; do bash -c x & done"),
    "f() { if true; then f | f; fi; }; f",
]

NONE = [
    "f() { if [ $1 -gt 0 ]; then f $(($1-1)); fi; }; f 3",
    "f() { [ $1 = 0 ] || f 0; }; f",
    "f() { g & g; }; f",
    "f() { echo f | grep f; }; f",
    "f() { case $1 in a) f b;; esac; }",
    "while true; do ./x & sleep 1; done",
    "while true; do ./x; done",
    "while read l; do ./x $l & done < f",
    "for i in 1 2 3; do ./x & done; wait",
    "echo ':(){ :|:& };:'",
    "ls & ls & wait",
    "make -j 4 &",
]


@pytest.mark.parametrize("text", BOMBS)
def test_bombs(text: str) -> None:
    assert effects(text).by_kind.get("forkbomb")


@pytest.mark.parametrize("text", NONE)
def test_what_ends(text: str) -> None:
    assert not effects(text).by_kind.get("forkbomb")
