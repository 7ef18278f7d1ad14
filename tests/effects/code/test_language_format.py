"""The format of `kind: languages`: every way of writing, and every mistake."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.effects import Extractor
from callgate.effects.code.languages import language_problems
from tests.effects.reading import HERE, LANGUAGES, shown

CODE = {"text": ("arg", "code", None), "language": ("const", "toy")}


def effects_in(entry: dict[str, Any], text: str) -> list[str]:
    """The effects of a text in a language of one entry, without those of running it."""
    syntax = {"comments": ["#"], "strings": ['"'], **entry.pop("syntax", {})}
    extractor = Extractor({}, {"toy": {"syntax": syntax, **entry}})
    found = extractor.extract([("code", CODE)], {"code": text}, HERE).all
    return [shown(effect) for effect in found[1:]]


def calls(*effects: dict[str, Any]) -> dict[str, Any]:
    """An entry in which `f` does something."""
    return {"calls": {"f": list(effects)}}


READ = calls({"read": {"path": 1}})
OPEN = calls({"open": {"path": 1, "mode": 2}})
BOTH = ["delete path=/w/a", "delete path=/w/b"]


VALUES = [
    (calls({"read": {"path": 1}}), 'f("a")', ["read path=/w/a"]),
    (calls({"read": {"path": 2}}), 'f("a", "b")', ["read path=/w/b"]),
    (calls({"read": {"path": 2}}), "f(x)", []),
    (calls({"read": {"path": "2 or 1"}}), 'f("a")', ["read path=/w/a"]),
    (calls({"read": {"path": "key p"}}), 'f("a", p: "b")', ["read path=/w/b"]),
    (calls({"read": {"path": "'c'"}}), "f()", ["read path=/w/c"]),
    (calls({"delete": {"path": "1..."}}), 'f("a", "b")', BOTH),
    (calls({"delete": {"path": "1 rest"}}), 'f(["a", "b"])', ["delete path=/w/b"]),
    (calls({"delete": {"path": "1 item 2"}}), 'f(["a", "b"])', ["delete path=/w/b"]),
    (calls({"delete": {"path": "1 then 2"}}), 'f("a", "b")', BOTH),
    (calls({"read": {"path": "'c'"}, "when": "1 empty"}), "f([])", ["read path=/w/c"]),
    (calls({"read": {"path": "'c'"}, "when": "1 empty"}), "f([1])", []),
    (calls({"read": {"path": 1}, "when": 2}), 'f("a")', []),
    (calls({"read": {"path": 1}, "when": 2}), 'f("a", 1)', ["read path=/w/a"]),
    (calls({"read": {"path": 1}, "unless": 2}), 'f("a", 1)', []),
    (calls({"marked": {"text": 1}}), 'f(">a")', ["write path=/w/a"]),
    (calls({"marked": {"text": 1}}), 'f("a")', ["read path=/w/a"]),
    (calls({"marked": {"text": 1, "mode": "'w'"}}), 'f("a")', ["write path=/w/a"]),
    (calls({"unknown": {"reason": "'why'"}}), "f()", ["opaque reason=why"]),
    (calls({"unknown": {"reason": "'why'", "unless": 1}}), 'f("a")', []),
    (calls({"unknown": {"reason": "'why'", "unless": 1}}), "f(a)", ["opaque reason=why"]),
    (calls({"folder": {"path": 1}}, {"read": {"path": 2}}), 'f("/x", "a")', ["read path=/x/a"]),
    ({"calls": {"*.f": [{"read": {"path": 1}}]}}, 'a.f("b")', ["read path=/w/b"]),
    ({"calls": {"*.f": [{"read": {"path": 1}}]}}, 'f("b")', []),
    ({"calls": {"m.f": [{"read": {"path": 1}}]}}, 'f("b")', []),
    ({"calls": {"m.f": [{"read": {"path": 1}}]}}, 'use m\nf("b")', ["read path=/w/b"]),
    ({"calls": {"a|b": [{"read": {"path": 1}}]}}, 'b("b")', ["read path=/w/b"]),
    ({"calls": {"f": []}}, 'f("/etc/shadow")', []),
    ({"calls": {}}, 'f("/etc/shadow")', ["mention path=/etc/shadow (doubtful)"]),
    ({"names": {"a.b": [{"unknown": {"reason": "'why'"}}]}}, "x = a.b", ["opaque reason=why"]),
    ({"holders": ["g"], **READ}, 'g.f("b")', ["read path=/w/b"]),
    ({"values": {"path": ["j"]}, **READ}, 'f(j("a", "b"))', ["read path=/w/a/b"]),
    ({"values": {"home": ["h"]}, **READ}, "f(h())", ["read path=/home/u"]),
    ({"values": {"text": ["j"]}, **READ}, 'f(j("a", "b"))', ["read path=/w/ab"]),
    ({"modes": {"write": "z"}, **OPEN}, 'f("a", "z")', ["write path=/w/a"]),
    ({"syntax": {"bare": "words"}, **READ}, 'f "a"', ["read path=/w/a"]),
    ({"syntax": {"fold": True}, **READ}, 'F("a")', ["read path=/w/a"]),
    ({"syntax": {"inside": "<? ?>"}, **READ}, 'f("x")<? f("a") ?>', ["read path=/w/a"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "text", "wanted"), VALUES, ids=[f"{a} {b}" for a, b, _ in VALUES]
)
def test_values(entry: dict[str, Any], text: str, wanted: list[str]) -> None:
    assert effects_in(dict(entry), text) == wanted


MISTAKES = [
    (calls({"raed": {"path": 1}}), "`raed` is no kind of effect", "did you mean `read`?"),
    (calls({"read": {"pth": 1}}), "`pth` is no field of `read`", "did you mean `path`?"),
    (calls({"read": {"path": "x"}}), "`x` is no value", "write a number"),
    (calls({"read": {"path": True}}), "true and false are no value here", ""),
    (calls({"read": {"path": 1}, "write": {"path": 1}}), "an effect has exactly one kind", ""),
    (calls({"shell": {}}), "`shell` needs `text`", ""),
    ({"values": {"pth": ["f"]}}, "`pth` is no kind of value", "did you mean `path`?"),
]


@pytest.mark.parametrize(
    ("entry", "message", "help"), MISTAKES, ids=[text for _, text, _ in MISTAKES]
)
def test_mistakes(entry: dict[str, Any], message: str, help: str) -> None:
    ((path, found, advice),) = language_problems({"toy": entry})
    assert path[0] == "toy"
    assert found == message
    assert advice.startswith(help)


def test_the_bundle_has_no_mistakes() -> None:
    assert list(language_problems(LANGUAGES)) == []
