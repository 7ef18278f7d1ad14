"""Patterns that let calls through and say too little."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.test_security_patterns import PROGRAMS, TOOLS, codes, flow, guards

NONE = "effects.complete and none({} where {})"
FETCH = """
      fetch:
        description: Get a page
        capabilities: []
        parameters: {type: object, properties: {url: {type: string}}, required: [url]}
        effects: [{connect: {url: args.url}}]
    """


@pytest.mark.parametrize(
    ("when", "decide", "expected"),
    [
        ('call.channel matches r".+"', "allow", True),
        ('call.channel matches r"\\S+"', "allow", True),
        ('call.channel matches r".+"', "deny", False),
        ('not call.channel matches r"\\S+"', "deny", True),
        ('call.channel matches r"[a-z]+"', "allow", False),
        ('call.channel matches r"ops-.*"', "allow", False),
        ('args.path like "*/public.md"', "allow", True),
        ('args.path matches r".*/public\\.md"', "allow", True),
        ('args.path like "/srv/*.md"', "allow", False),
        ('args.note like "*done"', "allow", False),
        ('args.path like "*/public.md"', "deny", False),
        ('args.url like "https://shop.example*"', "allow", True),
        ('args.url like "https://shop.example/*"', "allow", False),
        ('args.url like "https://*.shop.example/*"', "allow", True),
        ('args.url like "https://*.shop.example/*"', "deny", False),
        ('args.url like "http*"', "allow", True),
        ('args.url matches r"https?://.*shop[.]example.*"', "allow", True),
        ('args.url matches r"https://[^/]*shop[.]example/.*"', "allow", True),
        ('args.url matches r"https://shop\\.example"', "allow", False),
        ('args.url matches r"https?://(www\\.)?shop[.]example(:443)?/.*"', "allow", False),
        ('args.url matches r"https://[a-z]+[.]shop[.]example/.*"', "allow", False),
        ('args.note like "https://shop.example*"', "allow", True),
        ('args.note like "see https://shop.example*"', "allow", False),
        (NONE.format("c in effects.connect", 'not c.host like "shop*"'), "allow", True),
        (
            NONE.format("c in effects.connect", 'not c.host matches r"shop[.]example"'),
            "allow",
            False,
        ),
        (NONE.format("r in effects.run", 'not r.program like "git*"'), "allow", True),
        (NONE.format("r in effects.run", 'not r.program like "g?t"'), "allow", False),
        (NONE.format("r in effects.run", 'not r.program in "ls"|"cat"'), "allow", True),
        (NONE.format("r in effects.run", 'not r.program_path in "ls"|"cat"'), "allow", False),
        (
            NONE.format(
                "r in effects.run", 'not (r.program == "ls" and r.program_path in "ls"|"a/ls")'
            ),
            "allow",
            False,
        ),
        (NONE.format("r in effects.run", 'not (r.subcommand ?? "") like "get*"'), "allow", False),
        ('call.sender_id matches r".*admin.*"', "allow", True),
        ('call.sender_id like "*admin*"', "allow", True),
        ('contains(call.sender_id, "admin")', "allow", True),
        ('call.sender_id like "*@acme.example"', "allow", False),
        ('call.sender_id like "acme-*"', "allow", False),
        ('call.sender_id matches r".*admin.*"', "deny", False),
        ('call.sender_id matches r"\\w+"', "allow", True),
        ('args.note matches r"\\w+"', "allow", False),
        ('contains(args.note, "done")', "allow", False),
        (NONE.format("r in effects.run", "not r is `rm * $`"), "allow", True),
        (NONE.format("r in effects.run", "not r is `nobody-knows * $`"), "allow", True),
        (NONE.format("r in effects.run", "not r is `cat * $`"), "allow", False),
        (NONE.format("r in effects.run", "not r is `rm build $`"), "allow", False),
    ],
)
def test_loose_allow_pattern(when: str, decide: str, expected: bool, tmp_path: Path) -> None:
    tools = "[fetch]" if "args.url" in when else "[look]" if "args." in when else ""
    files = {"tools": TOOLS.rstrip() + FETCH, "programs": PROGRAMS}
    files["flow"] = flow(when, decide, tools)
    assert bool(codes(tmp_path, "L207", **files)) == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ('not args.url like "http*"', False),
        ('not args.url matches r"(?is)\\s*https?:.*"', False),
        ('not args.url like "https://shop.example*"', True),
    ],
)
def test_a_guard_may_be_about_the_scheme_alone(when: str, expected: bool, tmp_path: Path) -> None:
    files = {"tools": TOOLS.rstrip() + FETCH, "guards": guards(when, tools="[fetch]")}
    assert bool(codes(tmp_path, "L207", **files)) == expected


def test_a_guard_may_leave_out_a_program_by_its_name(tmp_path: Path) -> None:
    rule = guards('not r.program in "ls"|"cat"', "r in effects.run")
    assert not codes(tmp_path, "L207", tools=TOOLS, programs=PROGRAMS, guards=rule)
