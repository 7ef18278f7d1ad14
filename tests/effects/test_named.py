"""What the words of a program that nobody described name."""

from __future__ import annotations

import pytest

from callgate.model.values import UNKNOWN
from tests.effects.reading import effects

NAMED = [
    ("./x /etc/shadow", ["/etc/shadow"]),
    ("./x a/b c", ["/w/a/b"]),
    ("./x --file=/etc/shadow -f/etc/gshadow", ["/etc/shadow", "/etc/gshadow"]),
    ("./x @/etc/shadow k=/a src:/b", ["/etc/shadow", "/a", "/b"]),
    ("./x --file=~/a ~/b", ["/home/u/a", "/home/u/b"]),
    ("./x .env", ["/w/.env"]),
    ("sudo ./x /a", ["/a"]),
    ("cd /etc; ./x shadow -v", ["/etc/shadow"]),
    ("./x a b --file=c -n 3", []),
    ("./x https://example.org/etc/shadow", []),
    ("./x 'about /etc/shadow' ''", []),
    ('./x "$F" $G', []),
    ("cat /a", []),
    ("echo ./x /a", []),
]


@pytest.mark.parametrize(("text", "paths"), NAMED)
def test_places_among_the_words_are_mentioned(text: str, paths: list[str]) -> None:
    found = effects(text).by_kind.get("mention", [])
    assert [effect.fields["path"] for effect in found] == paths


@pytest.mark.parametrize(
    "text",
    [
        "frob 'rm -rf /'",
        "frob -c 'sudo rm -rf /etc'",
        "frob 'x; rm -rf ~'",
        "frob 'dd if=/dev/zero of=/dev/sda'",
        "frob 'mkfs.ext4 /dev/sda1'",
    ],
)
def test_a_destructive_command_in_one_word_is_doubtful(text: str) -> None:
    found = effects(text)
    assert any("reads as the command" in e.fields["reason"] for e in found.by_kind["opaque"])
    assert not found.by_kind.keys() & {"delete", "device"}


@pytest.mark.parametrize(
    "text",
    [
        "frob 'rm it'",
        "frob 'rm -rf / is what it says'",
        "frob 'remove / and /etc'",
        "frob 'rm -rf build'",
        "frob 'ls /etc; cat /a'",
        "frob 'dd if=/dev/zero of=x'",
        "git commit -m 'rm -rf /'",
    ],
)
def test_prose_and_harmless_words_are_none(text: str) -> None:
    assert "opaque" not in effects(text).by_kind


def test_many_words_are_no_bound() -> None:
    found = effects("./x " + "a/b " * 3000 + "'rm -rf x' " * 200)
    assert len(found.by_kind["mention"]) == 3000
    assert not any(e.fields["bound"] for e in found.by_kind.get("opaque", []))
    assert UNKNOWN not in {e.fields["path"] for e in found.by_kind["mention"]}
