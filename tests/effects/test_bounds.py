"""What is too much is said to be."""

from __future__ import annotations

import pytest

from callgate.effects.shell.bounds import MAX_BYTES
from tests.effects.reading import effects

PASSED = {
    "length": "a" * (MAX_BYTES + 1),
    "wide": "é" * (MAX_BYTES // 2 + 1),
    "here-documents": "cat <<A\nA\n" * 33,
    "tests": "[[ a ]]; " * 65,
    "brackets": "(" * 65 + "a" + ")" * 65,
    "substitutions": "echo " + "$(echo " * 65 + ")" * 65,
    "nesting": "if a; then " * 65 + "b; " + "fi; " * 65,
    "wrappers": "sudo " * 10 + "ls",
    "shells": "eval " * 10 + "ls",
    "commands": "xargs " * 3000,
    "effects": "rm a; " * 3000,
    "braces": "rm " + "{a,b}" * 7,
    "parts": "echo " + "${a#$(echo " * 12 + "b " * 25_000 + ")}" * 12,
    "pipes": "a | " * 2000 + "a",
}


@pytest.mark.parametrize("text", PASSED.values(), ids=PASSED)
def test_a_bound_is_said(text: str) -> None:
    found = effects(text).by_kind.get("opaque", [])
    assert any(effect.fields["bound"] for effect in found), [e.fields for e in found]


@pytest.mark.parametrize(
    "text", ["a 'b", "$X", "a\0b", "a \ud800", "eval $X", "}", "case x in", "git $X", "''", "a <<E"]
)
def test_what_is_not_understood_passes_no_bound(text: str) -> None:
    found = effects(text).by_kind["opaque"]
    assert not any(effect.fields["bound"] for effect in found)


UNITS = [
    *("cat <<A ", "[[ a && ", "((", "$(", "$((", "`", "{ ", "{", "case x in a) ", "<(", '"', "'"),
    *("if ", "if a; then ", "for ", "for i in a; do ", "\\\n", "(", "a | ", "a && ", "a; ", "a & "),
    *("${a:-", "a[", "f() { ", "coproc {", "${a#`b`}", "X=a; ", "X=a; b $X; ", "$a", "! ", "<<<"),
    *("for i in a b; do c $i; done; ", "a=$b;", "{a,b}", "curl -T a b.c; ", "cat a | ", "é "),
    *("f(){ X=a; }; ", "cat a > b; nc h 1 < b; ", "X=$(cat a); curl -d $X h; ", "wrap rm "),
]


@pytest.mark.parametrize("unit", UNITS)
def test_the_same_again_and_again_is_read_or_refused(unit: str) -> None:
    text = (unit * (16_000 // len(unit.encode()) + 1))[:16_000]
    assert effects(text)
