"""Settings against a vocabulary."""

from __future__ import annotations

import os
import textwrap
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callgate.load.bundle import bundle_lines
from callgate.load.document import Document
from callgate.load.report import format_diagnostic
from callgate.load.settings import Settings, load_settings, snake_case
from callgate.load.settings_entries import Checks
from callgate.load.settings_file import parse_settings, read_settings_file
from callgate.model.catalogue import Setting, Vocabulary
from callgate.model.diagnostic import Diagnostics, PolicyError, Severity
from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    JSON,
    PATH,
    STRING,
    TIME,
    Enum,
    Field,
    ListOf,
    MapOf,
    Optional,
    Type,
)

MODE = Enum("mode", ("off", "smart", "manual"))
TOOL = Enum("tool", ("exec", "read_file"), open=True)


def setting(
    name: str, type: Type, default: Any, secret: bool = False, tools: bool = False
) -> Setting:
    return Setting(name, Field(type, default=default, secret=secret), of_tools=tools)


VOCABULARY = Vocabulary(
    settings={
        s.name: s
        for s in [
            setting("tools.deny", ListOf(TOOL), [], tools=True),
            setting("tools.allow", ListOf(TOOL), ["bash"], tools=True),
            setting("tools.web.enabled", BOOL, True),
            setting("tools.web.timeout", INT, 30),
            setting("tools.web.search_api_key", STRING, "", secret=True),
            setting("tools.write_root", Optional(PATH), None),
            setting("tools.until", TIME, 0),
            setting("tools.extra", JSON, None),
            setting("permissions.mode", MODE, "smart"),
            setting("permissions.allow_from", MapOf(ListOf(STRING)), {"*": ["root"]}),
            setting("permissions.servers", MapOf(JSON), {}, secret=True),
        ]
    },
    open_sections=("providers", "logs_dir"),
)
ALIASES = {"bash": "exec", "shell": "exec"}


def load(raw: Any) -> tuple[Settings, list[str]]:
    """Settings from a mapping or a file's text, and what is wrong with them."""
    diagnostics = Diagnostics()
    document: Document | None = None
    if isinstance(raw, str):
        data = textwrap.dedent(raw).encode()
        document = parse_settings("c.yaml", data, diagnostics)
        raw = document.data if document else None
    settings = load_settings(raw, VOCABULARY, ALIASES, diagnostics, document)
    return settings, [
        f"{d.span.line}:{d.span.column} {d.code} {d.message} | {d.help}" if d.span
        else f"{d.code} {d.message} | {d.help}"
        for d in diagnostics.sorted()
    ]  # fmt: skip


def test_defaults() -> None:
    settings, found = load(None)
    assert found == []
    assert settings.given == frozenset()
    assert settings.values == {
        "tools.deny": (),
        "tools.allow": ("exec",),
        "tools.web.enabled": True,
        "tools.web.timeout": 30,
        "tools.web.search_api_key": None,
        "tools.write_root": None,
        "tools.until": 0,
        "tools.extra": None,
        "permissions.mode": "smart",
        "permissions.allow_from": {"*": ("root",)},
        "permissions.servers": None,
    }


def test_a_file() -> None:
    settings, found = load(
        """
        logs_dir: 3
        providers: {anything: [1, {goes: 2}], any_thing: 1, anyThing: 2}
        tools:
          deny: [shell, exec, bash, read_file]
          web: {timeout: 5}
          writeRoot: /srv
          until: 1970-01-01T00:00:01Z
          extra: [1, [a]]
        permissions:
          mode: off
          allowFrom: {telegram: [user_1], fooBar: []}
          servers: {a: {token: t}}
        """
    )
    assert found == []
    assert settings.given == {
        "tools.deny",
        "tools.web.timeout",
        "tools.write_root",
        "tools.until",
        "tools.extra",
        "permissions.mode",
        "permissions.allow_from",
        "permissions.servers",
    }
    values = settings.values
    assert values["tools.deny"] == ("exec", "read_file")
    assert values["permissions.mode"] == "off"
    assert values["tools.until"] == 1_000_000
    assert values["tools.extra"] == [1, ["a"]]
    assert values["permissions.allow_from"] == {
        "*": ("root",), "telegram": ("user_1",), "fooBar": (),
    }  # fmt: skip
    assert values["permissions.servers"] is True
    assert (values["tools.web.timeout"], values["tools.web.enabled"]) == (5, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # spelling
        ("tools: {webb: 1}", "1:9 E001 unknown setting `tools.webb` | did you mean `tools.web`?"),
        (
            "tools:\n  web: {timout: 1}",
            "2:9 E001 unknown setting `tools.web.timout` | did you mean `tools.web.timeout`?",
        ),
        ("tols: {}", "1:1 E001 unknown setting `tols` | did you mean `tools`?"),
        (
            "permissions: {allowForm: {}}",
            "1:15 E001 unknown setting `permissions.allowForm` | did you mean",
        ),
        (
            "tools: {verbosity: 1}",
            "1:9 E005 this policy knows no setting `tools.verbosity` | it has no effect here",
        ),
        ("others: {}", "1:1 E005 this policy knows no setting `others` |"),
        (
            "permissions: {timeout: 1}",
            "1:15 E005 this policy knows no setting `permissions.timeout` | "
            "it has no effect here; did you mean `tools.web.timeout`?",
        ),
        (
            "tools: {dent_: 1}",
            "1:9 E001 unknown setting `tools.dent_` | did you mean `tools.deny`?",
        ),
        ("tools: {wxx: 1}", "1:9 E005 this policy knows no setting `tools.wxx` |"),
        # dotted keys
        (
            "permissions.mode: off",
            "1:1 E001 `permissions.mode` can't be written as one key | "
            "write it nested: `permissions: {mode: …}`",
        ),
        (
            "tools: {web.timout: 1}",
            "1:9 E001 `tools.web.timout` can't be written as one key | "
            "write it nested: `web: {timeout: …}`",
        ),
        ("tools.web: {}", "1:1 E001 `tools.web` can't be written as one key | write it nested"),
        ("permissions.allowFrom: {}", "1:1 E001 `permissions.allowFrom` can't be"),
        ("a.b: 1", "1:1 E005 this policy knows no setting `a.b` |"),
        # two spellings
        (
            "permissions: {allow_from: {}, allowFrom: {}}",
            "1:31 E004 `allow_from` and `allowFrom` are the same setting | keep one of them:",
        ),
        # any other spelling
        ("Tools: {}\ntools: {}", "1:1 E001 unknown setting `Tools` | did you mean `tools`?"),
        ("TOOLS: {Deny: [exec]}", "1:1 E001 unknown setting `TOOLS` | did you mean `tools`?"),
        (
            "tools: {Deny: [exec]}",
            "1:9 E001 unknown setting `tools.Deny` | did you mean `tools.deny`?",
        ),
        (
            "permissions: {AllowFrom: {}}",
            "1:15 E001 unknown setting `permissions.AllowFrom` | did you mean "
            "`permissions.allow_from`?",
        ),
        ("permissions: {allow_From: {}}", "1:15 E001 unknown setting `permissions.allow_From` |"),
        ("tools: {web: {searchAPIKey: k}}", "1:15 E001 unknown setting `tools.web.searchAPIKey` |"),
        # types
        (
            "tools: {deny: exec}",
            "1:15 E002 expected a list of strings as `tools.deny`, found a string | write [exec]",
        ),
        (
            "tools: {deny: }",
            "1:15 E002 expected a list of strings as `tools.deny`, found nothing | write `[]`",
        ),
        (
            "tools: {deny: [exec, 3]}",
            "1:22 E002 expected a string in `tools.deny`, found a number | put it in quotes",
        ),
        (
            "tools: {web: {enabled: yes}}",
            "1:24 E002 expected `true` or `false` as `tools.web.enabled`, found a string | write",
        ),
        (
            "tools: {web: {enabled: 1}}",
            "1:24 E002 expected `true` or `false` as `tools.web.enabled`, found a number |",
        ),
        (
            "tools: {web: {timeout: true}}",
            "1:24 E002 expected a whole number as `tools.web.timeout`, found `true` |",
        ),
        (
            "tools: {web: {timeout: 1.5}}",
            "1:24 E002 expected a whole number as `tools.web.timeout`, found a number |",
        ),
        (
            "tools: {web: [a]}",
            "1:14 E002 expected a mapping as `tools.web`, found a list | the keys in it are",
        ),
        (
            "tools: {write_root: 3}",
            "1:21 E002 expected a string as `tools.write_root`, found a number |",
        ),
        (
            "permissions: {mode: false}",
            "1:21 E002 expected `off`, `smart` or `manual` as `permissions.mode`, found `false`",
        ),
        (
            "permissions: {allow_from: [a]}",
            "1:27 E002 expected a mapping to lists of strings as `permissions.allow_from`, found a "
            "list | write a key for each entry, as in `{KEY: […]}`",
        ),
        (
            "permissions: {allow_from: {t: [123]}}",
            "1:32 E002 expected a string in `permissions.allow_from`, found a number |",
        ),
        (
            "permissions: {allow_from: {t: u}}",
            "1:31 E002 expected a list of strings in `permissions.allow_from`, found a string |",
        ),
        ("- a", "1:1 E002 expected a mapping of settings, found a list |"),
        ("tools: {until: soon}", "1:16 E002 expected a time as `tools.until`, found a string |"),
        # words
        (
            "permissions: {mode: 'of'}",
            "1:21 E003 `of` is not allowed as `permissions.mode` | did you mean `off`?",
        ),
        (
            "permissions: {mode: OFF}",
            "1:21 E003 `OFF` is not allowed as `permissions.mode` | did you mean `off`?",
        ),
        (
            "permissions: {mode: never}",
            "1:21 E003 `never` is not allowed as `permissions.mode` | write `off`, `smart` or",
        ),
        # YAML
        ("tools: {deny: [exec], deny: []}", "1:23 Y002 duplicate key `deny` |"),
        ("when: a: b", "1:8 Y001 YAML ends a text"),
    ],
)
def test_mistakes(text: str, expected: str) -> None:
    settings, found = load(text)
    assert len(found) == 1, found
    assert found[0].startswith(expected)
    if " E" in expected:
        assert settings.given == frozenset() or "E004" in expected


def test_only_unknown_settings_are_warnings() -> None:
    diagnostics = Diagnostics()
    load_settings({"x": 1, "tools": {"denyy": []}}, VOCABULARY, {}, diagnostics)
    assert [(d.code, d.severity) for d in diagnostics.sorted()] == [
        ("E001", Severity.ERROR),
        ("E005", Severity.WARNING),
    ]


def test_keys_of_the_files_author_are_let_through_at_the_top_alone() -> None:
    found = load("x-tools: &own {deny: [exec]}\nx-exec: 1\ntools: *own\n")[1]
    assert found == []
    (within,) = load("tools: {x-deny: []}\n")[1]
    assert within.startswith("1:9 ")


def test_a_section_with_nothing_in_it_is_empty() -> None:
    assert load("tools:\npermissions:\n")[1] == []


def test_every_mistake_is_shown_and_the_rest_counts() -> None:
    settings, found = load(
        """
        tools:
          deny: exec
          web: {timeout: soon, enabled: false}
        permissions:
          mode: of
          alow_from: {}
        zzz: 1
        """
    )
    assert [line.split()[1] for line in found] == ["E002", "E002", "E003", "E001", "E005"]
    assert settings.given == {"tools.web.enabled"}
    assert settings.values["tools.web.enabled"] is False
    assert settings.values["tools.deny"] == ()


@pytest.mark.parametrize(
    "text",
    [
        "tools: {web: {search_api_key: 12345678}}",
        "tools: {web: {search_api_key: [hunter2]}}",
        "permissions: {servers: hunter2}",
    ],
)
def test_secrets_are_neither_kept_nor_shown(text: str) -> None:
    settings, found = load(text)
    assert [line.split()[1] for line in found] == ["E002"]
    assert "hunter2" not in str(found) + repr(settings)
    assert "12345678" not in str(found) + repr(settings)


SECRETS = [
    "tools: {web: {search_api_key: hunter2, bad}}}",
    "tools:\n  web:\n    search_api_key: hunter2: x\n",
    "tools:\n  web:\n    search_api_key: 'hunter2\n",
    'tools:\n  web:\n    search_api_key: "hunter2\\q"\n',
    "tools:\n  web:\n    search_api_key: !hunter2\n",
    "tools:\n  web:\n    search_api_key: *hunter2\n",
    "tools:\n  web:\n    search_api_key: @hunter2\n",
    "tools:\n  web:\n    search_api_key: 1\nhunter2\nb: c\n",
    "a: {search_api_key: hunter2}\na: {b: hunter2}\n",
    "serch_api_key: hunter2\ntools: {serch_api_key: hunter2, webb: 1}\n",
]


@pytest.mark.parametrize("text", SECRETS)
def test_what_is_printed_shows_no_secret(text: str) -> None:
    diagnostics = Diagnostics()
    document = parse_settings("c.yaml", text.encode(), diagnostics)
    if document:
        load_settings(document.data, VOCABULARY, {}, diagnostics, document)
    lines = bundle_lines([("p/x/bundle.yaml", b""), ("c.yaml", text.encode())])
    assert lines("c.yaml")
    assert diagnostics.items
    for diagnostic in diagnostics.sorted():
        assert "hunter2" not in format_diagnostic(diagnostic, lines)


def test_of_a_secret_only_is_known_whether_it_is_there() -> None:
    for value, kept in [("hunter2", True), ("", None)]:
        settings, found = load({"tools": {"web": {"search_api_key": value}}})
        assert found == []
        assert settings.values["tools.web.search_api_key"] is kept


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("tools: {deny: [exec], verbosity: 1}", set()),
        ("tools: {deny: exec, web: {timeout: soon}}", {"tools.deny", "tools.web.timeout"}),
        ("tools: {web: [a]}\npermissions: {mode: x}", {"tools.web", "permissions.mode"}),
        ("tools: {dney: []}\npermisions: {}", {"tools.deny", "permissions"}),
        ("tools: {dney: [], deny: []}", set()),
        ("tools.web: {}\ntools: {web.timout: 3}", {"tools.web", "tools.web.timeout"}),
        ("permissions: {allow_from: {}, allowFrom: {}}", {"permissions.allow_from"}),
    ],
)
def test_what_is_wrong_is_known(text: str, wrong: set[str]) -> None:
    settings, _ = load(text)
    assert settings.wrong == wrong
    assert settings.can_tell("tools.until")
    for name in wrong:
        assert not settings.can_tell(name)
        assert not settings.can_tell(f"{name}.part")
    assert not load([])[0].can_tell("tools.until")


def test_overlays() -> None:
    base, _ = load({"tools": {"deny": ["a", "b"], "web": {"timeout": 1}}})
    base = base.overlay({"permissions": {"allow_from": {"t": ["u"]}}})
    over = base.overlay(
        {"tools": {"deny": ["bash"]}, "permissions": {"allowFrom": {"t": [], "s": ["v"]}}}
    )
    assert over.values["tools.deny"] == ("exec",)
    assert over.values["tools.web.timeout"] == 1
    assert over.values["permissions.allow_from"] == {"*": ("root",), "t": (), "s": ("v",)}
    assert base.values["permissions.allow_from"] == {"*": ("root",), "t": ("u",)}
    assert over.given == base.given | {"tools.deny", "permissions.allow_from"}
    assert base.overlay({}) == base
    with pytest.raises(PolicyError) as caught:
        base.overlay({"tools": {"deny": "x"}, "zzz": 1})
    assert [d.code for d in caught.value.diagnostics] == ["E002", "E005"]
    with pytest.raises(PolicyError, match="can't be written as one key"):
        base.overlay({"permissions.mode": "off"})


def test_settings_from_python() -> None:
    settings, found = load({"tools": {"deny": ("bash",), 3: 4}, "permissions": None})
    assert settings.values["tools.deny"] == ("exec",)
    assert found == ["E002 expected a text as key, found a number | put it in quotes"]
    assert load([])[1] == [
        "E002 expected a mapping of settings, found a list | for example `tools: {}`"
    ]


@pytest.mark.parametrize(
    ("key", "snake"),
    [
        ("networkPolicy", "network_policy"),
        ("network_policy", "network_policy"),
        ("searchAPIKey", "search_api_key"),
        ("MCPServers", "mcp_servers"),
        ("also_allow2x", "also_allow2x"),
        ("Tools", "tools"),
        ("mcp2Servers", "mcp2_servers"),
        ("", ""),
        ("1", "1"),
    ],
)
def test_one_spelling(key: str, snake: str) -> None:
    assert snake_case(key) == snake_case(snake) == snake


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"\xef\xbb\xbfbase: &b {timeout: 3}\r\ntools: {web: *b}\r\n")
    diagnostics = Diagnostics()
    document = read_settings_file(path, diagnostics)
    assert document
    assert (document.kind, document.file) == ("settings", str(path))
    settings = load_settings(document.data, VOCABULARY, {}, diagnostics, document)
    assert settings.values["tools.web.timeout"] == 3
    assert [d.code for d in diagnostics] == ["E005"]


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "Y008"), (b"a: !b c", "Y003"), (b"\xff", "Y007"), (b"a: [", "Y001"), (b"3", "E002")],
)
def test_files_that_can_not_be_used(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(data)
    diagnostics = Diagnostics()
    read_settings_file(path, diagnostics)
    assert [d.code for d in diagnostics] == [code]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "nope.yaml", tmp_path, "a\0b"):
        diagnostics = Diagnostics()
        assert read_settings_file(path, diagnostics) is None
        assert [d.code for d in diagnostics] == ["Y013"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_settings_may_come_from_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("tools: {}\n",))
    writer.start()
    document = read_settings_file(path, Diagnostics())
    writer.join()
    assert document
    assert document.data == {"tools": {}}


# -- entries of lists

MCP = Checks(tool={"mcp_a_b"}.__contains__)


def entries(text: str, **more: Any) -> list[str]:
    """What is wrong with the entries of lists in a file's text."""
    diagnostics = Diagnostics()
    document = parse_settings("c.yaml", text.encode(), diagnostics)
    assert document is not None
    vocabulary = replace(VOCABULARY, settings={**VOCABULARY.settings, **ENTRIES})
    load_settings(document.data, vocabulary, ALIASES, diagnostics, document, MCP, **more)
    return [
        f"{d.span} {d.severity} {d.code} {d.message} | {d.help}".removeprefix("c.yaml:")
        for d in diagnostics.sorted()
    ]


ENTRIES = {
    s.name: s
    for s in [
        setting("net.allow", ListOf(HOST), []),
        setting("net.home", Optional(HOST), None),
        setting("net.by_host", MapOf(ListOf(HOST)), {}),
        setting("net.users", ListOf(STRING), []),
        setting("net.maybe", Optional(ListOf(STRING)), None),
        setting("net.by_channel", MapOf(ListOf(STRING)), {}),
        replace(setting("net.open", MapOf(ListOf(STRING)), {}), wildcards=True),
        setting("net.secret", ListOf(STRING), [], secret=True),
    ]
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tools: {deny: [exec, bash, read_file, mcp_a_b]}", []),
        (
            "tools: {deny: [exce]}",
            [
                "1:16 error E006 there is no tool `exce`, which "
                "`tools.deny` lists | did you mean `exec`?"
            ],
        ),
        (
            "tools: {deny: [EXEC]}",
            [
                "1:16 error E006 there is no tool `EXEC`, which "
                "`tools.deny` lists | did you mean `exec`?"
            ],
        ),
        (
            "tools: {deny: [exec, shel]}",
            [
                "1:22 error E006 there is no tool `shel`, which "
                "`tools.deny` lists | did you mean `shell`?"
            ],
        ),
        (
            "tools: {deny: [deploy, mcp_a_c]}",
            [
                "1:16 warning E006 there is no tool `deploy`, which `tools.deny` lists | it stands "
                "for no tool unless the host brings one of exactly this name",
                "1:24 warning E006 there is no tool `mcp_a_c`, which "
                "`tools.deny` lists | it stands",
            ],
        ),
        (
            'tools: {deny: ["*"], allow: ["mcp_*"]}',
            [
                "1:16 warning E007 `*` in `tools.deny` is the name of no tool: a `*`",
                "1:30 warning E007 `mcp_*` in `tools.allow` is the name of no tool: a `*`",
            ],
        ),
        (
            'net: {allow: ["*.example.org", "*", example.org]}',
            [
                "1:15 warning E007 `*.example.org` in `net.allow` is no wildcard: a `*` stands for "
                "itself here | a host stands for its sub-domains, too: write `example.org`",
                "1:32 warning E007 `*` in `net.allow` is no wildcard: a `*` stands for "
                "itself here | name each of them",
            ],
        ),
        (
            "net: {allow: [example.org, EXAMPLE.org., 10.0.0.1, '::1', xn--mgba3a4f16a, local], "
            "home: h}",
            [],
        ),
        (
            "net: {allow: ['https://u@api.example.org/v1', 10.0.0.0/8, 'fe80::/10', "
            "'api.test.org:8443', api.test.org/v1, a b, '']}",
            [
                "1:15 warning E003 `https://u@api.example.org/v1` in `net.allow` is not the name "
                "of a host, so it matches none | write `api.example.org`",
                "1:47 warning E003 `10.0.0.0/8` in `net.allow` is not the name of a host, so it "
                "matches none | ranges of addresses are not read: write each address",
                "1:59 warning E003 `fe80::/10` in `net.allow` is not the name of a host, so it "
                "matches none | ranges of addresses are not read: write each address",
                "1:72 warning E003 `api.test.org:8443` in `net.allow` is not the name of a host, "
                "so it matches none | write `api.test.org`",
                "1:93 warning E003 `api.test.org/v1` in `net.allow` is not the name of a host, so "
                "it matches none | write `api.test.org`",
                "1:110 warning E003 `a b` in `net.allow` is not the name of a host, so it matches "
                "none | write a name such as `api.example.org`, or an address",
                "1:115 warning E003 an empty text in `net.allow` is not the name of a host, so it "
                "matches none | take it out",
            ],
        ),
        (
            "net: {allow: ['[::1]', 0x7f.1, bücher.example], home: 'https://h', "
            "by_host: {a: ['']}}",
            [
                "1:15 warning E003 `[::1]` in `net.allow` is not how this host is compared: it "
                "matches none | write `::1`",
                "1:24 warning E003 `0x7f.1` in `net.allow` is not how this host is compared: it "
                "matches none | write `127.0.0.1`",
                "1:32 warning E003 `bücher.example` in `net.allow` is not how this host is "
                "compared: it matches none | write `xn--bcher-kva.example`",
                "1:55 warning E003 `https://h` in `net.home` is not the name of a host, so it",
                "1:82 warning E003 an empty text in `net.by_host` is not the name of a host, so it",
            ],
        ),
        ('net: {users: ["rm *", "a*b", u]}', []),
        ('net: {users: ["u*"]}', ["1:15 warning E007 `u*` in `net.users` is no wildcard:"]),
        ('net: {maybe: ["*"]}', ["1:15 warning E007 `*` in `net.maybe` is no wildcard:"]),
        (
            'net: {by_channel: {"*": ["*"]}}',
            ["1:26 warning E007 `*` in `net.by_channel` is no wildcard:"],
        ),
        ('net: {open: {"*": ["*"]}, secret: ["*"]}', []),
    ],
)
def test_entries_of_lists(text: str, expected: list[str]) -> None:
    found = entries(text)
    assert len(found) == len(expected), found
    for actual, start in zip(found, expected, strict=True):
        assert actual.startswith(start)


def test_a_long_list_of_strangers_is_cut_short() -> None:
    names = ", ".join(f"stranger_{number}" for number in range(1_000))
    found = entries(f"tools: {{deny: [{names}]}}")
    assert len(found) == 201
    assert "error E006 `tools.deny` lists more than 200 names that are no tools" in found[-1]


def test_a_long_list_of_mistakes_is_cut_short() -> None:
    assert len(entries(f"tools: {{deny: [{'1, ' * 1_000}]}}")) == 100


def test_a_file_of_strangers_is_cut_short() -> None:
    text = "".join(f"stranger_{number}: 1\n" for number in range(2_000))
    found = load(text)[1]
    assert len(found) == 1_001
    assert found[-1].startswith("1001:1 E005 more than 1,000 keys in the file are unknown")


# -- nothing that may be a secret is shown

SECRET = "hunter2-do-not-show"


@pytest.mark.parametrize(
    "text",
    [
        "tools: {web: {search_api_kye: §}}",
        "tools: {web: {search_api_key: {a: §}}}",
        "tools: {web: {searchapikey: §, x: §}}",
        "tools: {web: {enabled: true, token: §}}",
        "tools:\n  web:\n    token: §\n    timeout: x\n",
        "tools:\n  token: &a §\n  web: {key: *a, timout: *a}\n",
        "token: |\n  §\ntools: {deny: x}\n",
        "token: >-\n  §\n  §\n",
        "? token\n: §\n",
        "token: '§\n",
        'token: "§\n',
        "token: {§\n",
        "token: §: x\n",
        "token: §\ntoken: §\n",
        "tools: {token: §, deny: [exce]}\n",
        "token: !tag §\n",
        "token: *§\n",
        "token: `§`\n",
        "token: @§\n",
        "token: %§\n",
        "token:\t§\n\tb: 1\n",
        "web.search_api_key: §\n",
        "tools: {web.search_api_key: §, web: 1}\n",
        "tools: {deny: [exec], token: [§, §]}\n  §\n",
        "permissions: {servers: §, Servers: §}\n",
        "permissions: {servers: [§]}\n",
        "token: §\ntools: [a\n",
        "{token: §, tools: {deny: x, tokn: §}}",
        '{"token": "§", "token": "§"}',
    ],
)
def test_no_secret_is_shown(text: str, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    data = text.replace("§", SECRET).encode()
    document = parse_settings("c.yaml", data, diagnostics)
    if document is not None:
        load_settings(document.data, VOCABULARY, ALIASES, diagnostics, document)
    lines = bundle_lines([("c.yaml", data)])
    assert diagnostics.items, "the file is right"
    for item in diagnostics.sorted():
        assert SECRET not in format_diagnostic(item, lines)
        assert SECRET not in f"{item.message} {item.help} {item.related}"
