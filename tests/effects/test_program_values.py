"""Values and kinds of effect in programs' entries, with entries of the tests' own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from callgate.effects import Extractor
from tests.effects.reading import HERE, SHELL, shown

ENTRIES: Final[Mapping[str, Any]] = {
    "get": {
        "options": {"output": "-o FILE", "folder": "-d FOLDER", "mount": "-v MOUNT"},
        "operands": "PLACE...",
        "effects": [
            {"write": {"path": "option output below option folder or option output"}},
            {"read": {"path": "option mount before :"}},
            {"endpoint": {"place": "PLACE", "as": "read", "scheme": "ssh", "names": True}},
        ],
    },
    "drop": {
        "options": {"where": "-w"},
        "operands": "NAME...",
        "effects": [
            {"sql": {"statement": "drop", "tables": "NAME", "has_where": "option where"}},
        ],
    },
    "far": {
        "options": {"text": "-c TEXT"},
        "operands": "HOST",
        "effects": [
            {"shell": {"text": "option text", "apart": True}},
            {"shell": {"stdin": True}, "unless": "option text"},
        ],
    },
    "tool": {
        "options": {"config": "-c SETTING"},
        "always": [{"write": {"path": "option config after out="}}],
        "commands": {"go": {"operands": "WORD..."}},
    },
    "send": {
        "options": {"data": "-d DATA", "named": "-e DATA"},
        "operands": "HOST",
        "effects": [
            {"read": {"path": "option data led by @"}},
            {"read": {"path": "words of lines of input led by put"}},
            {"delete": {"path": "option named before = after @"}},
        ],
    },
    "line": {
        "operands": "COMMAND WORD...",
        "effects": [
            {"command": {"words": "program", "each": "lines of input"}, "unless": "COMMAND"},
            {"delete": {"path": "WORD"}, "when": "COMMAND is del"},
        ],
    },
    "script": {
        "within": ["/etc/init.d"],
        "operands": "ACTION",
        "effects": [{"service": {"name": "program", "action": "ACTION"}}],
    },
    "rm": {"operands": "FILE...", "effects": [{"delete": {"path": "FILE"}}]},
    "ls": {"operands": "FILE..."},
}
EXTRACTOR: Final = Extractor(ENTRIES)
REMOTE: Final = "connect host={} scheme=ssh address_class=unresolved"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # an option's value in a folder
        ("get -o a -d b", ["write path=/w/b/a"]),
        ("get -o /a -d b", ["write path=/a"]),
        ("get -o a", ["write path=/w/a"]),
        # what follows a mark that a word begins with
        ("send -d @a h", ["read path=/w/a"]),
        ("send -d ' @a' h", ["read path=/w/a"]),
        ("send -d a@b h", []),
        ("send -e a=x@y h", []),
        ("send -e a@b h", ["delete path=/w/b"]),
        ('send -d "x$A" h', []),
        # lines of what it is fed, and their words
        ("send h <<< 'put a \"b c\"'", ["read path=/w/a", "read path=/w/b c"]),
        ("send h <<E\ncd x\n  put ~/a\nget b\nE", ["read path=/home/u/a"]),
        ("send h < a", ["read path=/w/a"]),
        ("send h", []),
        # a command for each line
        ("line <<E\ndel a b\n\nget c\ndel d\nE", [f"delete path=/w/{x}" for x in "abd"]),
        ("line del a <<< 'del b'", ["delete path=/w/a"]),
        ("line", []),
        # programs by their folder
        ("/etc/init.d/a stop", ["service name=a action=stop"]),
        ("/etc/init.d/rm stop", ["service name=rm action=stop"]),
        ("/etc/init.d/x/a stop", []),
        ("a stop", []),
        # what stands before a mark
        ("get -v /a:/b", ["read path=/a"]),
        ("get -v a", ["read path=/w/a"]),
        ('get -v "/a:$X"', ["read path=/a"]),
        ('get -v "$X:/b"', ["read path=?"]),
        # a name whose address stands in the program's settings
        ("get origin", [REMOTE.format("origin")]),
        ("get ./a", ["read path=/w/a"]),
        ("get ..", ["read path=/"]),
        # what a statement does
        ("drop a b", ["sql statement=drop tables=[a b]"]),
        ("drop -w a", ["sql statement=drop tables=[a] has_where=True"]),
        # a shell elsewhere: each text for itself, or what it is fed
        ("far -c ls -c 'rm /a'", ["delete path=/a"]),
        ("far h", []),
        ("far h <<< 'rm /a'", ["interpret language=shell source=inline", "delete path=/a"]),
        # options of the program stand before the sub-command
        ("tool -c out=a go", ["write path=/w/a"]),
        ("tool -c out= go", []),
        ("tool go $X", []),
        (
            "tool $X go",
            ["opaque reason=the sub-command is not known before it runs", "write path=?"],
        ),
    ],
)
def test_effects(text: str, found: list[str]) -> None:
    effects = EXTRACTOR.extract(SHELL, {"command": text}, HERE)
    assert [shown(effect) for effect in effects.all if effect.kind != "run"] == found
