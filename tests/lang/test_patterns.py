"""What command patterns mean and how they are written down."""

from __future__ import annotations

import pytest

from callgate.lang import parse_condition, parse_pattern, print_pattern
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern
from callgate.model.syntax import Binary, PatternLiteral, Word


def word(*pieces: str) -> WordPattern:
    return WordPattern(pieces)


GIT = (word("git"),)
PUSH = (word("push"),)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("git", CommandPattern(GIT)),
        (" git  push ", CommandPattern(GIT, (PUSH,))),
        ("git push $", CommandPattern(GIT, (PUSH,), closed=True)),
        ("git push$", CommandPattern(GIT, (PUSH,), closed=True)),
        ("git (push|pull)", CommandPattern(GIT, ((word("push"), word("pull")),))),
        ("( rm | unlink )", CommandPattern((word("rm"), word("unlink")))),
        ("git (push)", CommandPattern(GIT, (PUSH,))),
        (
            "git push (--force|-f)",
            CommandPattern(GIT, (PUSH,), (OptionPattern(("--force", "-f")),)),
        ),
        ("git -f push", CommandPattern(GIT, (PUSH,), (OptionPattern(("-f",)),))),
        ("git -o=*", CommandPattern(GIT, (), (OptionPattern(("-o",), word("", "")),))),
        (
            "git (--out|-o)=a*b",
            CommandPattern(GIT, (), (OptionPattern(("--out", "-o"), word("a", "b")),)),
        ),
        ("git --o=-x=y", CommandPattern(GIT, (), (OptionPattern(("--o",), word("-x=y")),))),
        ("git [--v]", CommandPattern(GIT, (), (), (OptionPattern(("--v",)),))),
        (
            "git [ (--v|-v)=1 ]",
            CommandPattern(GIT, (), (), (OptionPattern(("--v", "-v"), word("1")),)),
        ),
        ("git * *:main", CommandPattern(GIT, ((word("", ""),), (word("", ":main"),)))),
        ("git a**b", CommandPattern(GIT, ((word("a", "b"),),))),
        ("dd of=*", CommandPattern((word("dd"),), ((word("of=", ""),),))),
        ("tar -", CommandPattern((word("tar"),), ((word("-"),),))),
        (r"rm \-rf", CommandPattern((word("rm"),), ((word("-rf"),),))),
        (
            r"a \* b\ c \$x \(\) \[\] \\",
            CommandPattern(
                (word("a"),),
                (
                    (word("*"),),
                    (word("b c"),),
                    (word("$x"),),
                    (word("()"),),
                    (word("[]"),),
                    (word("\\"),),
                ),
            ),
        ),
        (r"a \u{3a}\u{1F600}", CommandPattern((word("a"),), ((word(":\U0001f600"),),))),
    ],
)
def test_meaning(text: str, pattern: CommandPattern) -> None:
    assert parse_pattern(text) == pattern
    assert parse_pattern(print_pattern(pattern)) == pattern


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("git -f push [-v] --x $", "git push -f --x [-v] $"),
        ("git a**b***", "git a*b*"),
        (r"git a\:", r"git a\u{3a}"),
        (r"git a: b", r"git a\u{3a} b"),
        (r"git --a\:=b:", r"git --a\u{3a}=b\u{3a}"),
        (r"git a:b", r"git a:b"),
        (r"git #x", r"git \#x"),
        (r"git a\ #x", r"git a\ \#x"),
        (r"git \=x a=b", r"git \=x a=b"),
        (r"git \-x - \--", r"git \-x - \--"),
        (r"git \--\=x=y", r"git \--=x=y"),
        (r"git -\=x=y", r"git -\=x=y"),
        (r"git \, \~", "git , ~"),
        (r"git \u{9}\u{202e}\u{a0}", r"git \u{9}\u{202e}\u{a0}"),
        (r"git \`\"\'\;\&\<\>", r"git \`\"\'\;\&\<\>"),
    ],
)
def test_canonical_form(text: str, canonical: str) -> None:
    assert print_pattern(parse_pattern(text)) == canonical
    assert print_pattern(parse_pattern(canonical)) == canonical


def test_in_a_condition() -> None:
    tree = parse_condition(r"r is `git \`x\` (a|b)`").tree
    pattern = CommandPattern(GIT, ((word("`x`"),), (word("a"), word("b"))))
    assert tree == Binary("is", Word("r"), PatternLiteral(pattern))
