"""A call from --tool, --arg and --context."""

from __future__ import annotations

from typing import Any

import click
import pytest

from callgate.cli.one_call import call_of, json_hint


@pytest.mark.parametrize(
    ("args", "context", "expected"),
    [
        ([], [], {"tool": "exec"}),
        (["command=git status"], [], {"tool": "exec", "args": {"command": "git status"}}),
        (["a=b=c", "n=3"], [], {"tool": "exec", "args": {"a": "b=c", "n": "3"}}),
        (["n:=3", "l:=[1, 2]"], [], {"tool": "exec", "args": {"n": 3, "l": [1, 2]}}),
        ([], ["unattended=true"], {"tool": "exec", "context": {"unattended": True}}),
        ([], ["attempt_index=2"], {"tool": "exec", "context": {"attempt_index": 2}}),
        ([], ["groups=a,b"], {"tool": "exec", "context": {"groups": ["a", "b"]}}),
        ([], ['groups=["a,b"]'], {"tool": "exec", "context": {"groups": ["a,b"]}}),
        ([], ["allowed_tools="], {"tool": "exec", "context": {"allowed_tools": []}}),
        ([], ["allowed_tools=null"], {"tool": "exec", "context": {"allowed_tools": None}}),
        ([], ['extra={"team": "x"}'], {"tool": "exec", "context": {"extra": {"team": "x"}}}),
        ([], ["channel=null"], {"tool": "exec", "context": {"channel": "null"}}),
        ([], ["nonsense=1"], {"tool": "exec", "context": {"nonsense": "1"}}),
    ],
)
def test_values_have_the_fields_types(
    args: list[str], context: list[str], expected: dict[str, Any]
) -> None:
    assert call_of("exec", args, context) == expected


@pytest.mark.parametrize(
    ("args", "context", "message"),
    [
        (["command"], [], "--arg takes K=V, not `command`"),
        (["=x"], [], "--arg takes K=V, not `=x`"),
        (["a=1", "a=2"], [], "--arg a is given twice"),
        (["a:={"], [], "--arg a: not JSON: expecting property name enclosed in double quotes"),
        ([], ["unattended=yes"], "--context unattended is true or false, not `yes`"),
        ([], ["attempt_index=x"], "--context attempt_index is an integer, not `x`"),
        ([], ["extra=x"], "--context extra: not JSON: expecting value"),
    ],
)
def test_usage_errors(args: list[str], context: list[str], message: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        call_of("exec", args, context)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("message", "args", "expected"),
    [
        ("`args.n` of `pay` is an integer, not a string", {"n": "5"}, "`--arg n:=5`"),
        ("`args.a.b` of `pay` is true or false, not a string", {"a.b": "yes"}, "`--arg a.b:=…`"),
        ("`args.l` of `pay` is a list, not a string", {"l": '["a"]'}, '`--arg l:=["a"]`'),
        ("`args.n` of `pay` is a string, not an integer", {"n": 5}, ""),
        ("`pay` needs the argument `n`", {}, ""),
        ("`context.n` is true or false, not a string", {"n": "true"}, ""),
    ],
)
def test_an_argument_that_should_be_no_text(
    message: str, args: dict[str, Any], expected: str
) -> None:
    hint = json_hint(message, {"tool": "pay", "args": args})
    assert hint.endswith(expected) and bool(hint) is bool(expected)
