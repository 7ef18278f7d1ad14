"""Every simple command of a text is found, wherever it stands, and nothing that is no command."""

from __future__ import annotations

import pytest

from tests.effects.reading import all_shown, commands, effects, opaque

FOUND = [
    ("a", ["a"]),
    ("a b; c d", ["a b", "c d"]),
    ("a && b || c", ["a", "b", "c"]),
    ("a | b |& c", ["a", "b", "c"]),
    ("a & b", ["a", "b"]),
    ("a\nb\n\nc", ["a", "b", "c"]),
    ("(a; b)", ["a", "b"]),
    ("{ a; b; }", ["a", "b"]),
    ("! a", ["a"]),
    ("! a | b", ["a", "b"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("while a; do b; done", ["a", "b"]),
    ("until a; do b; done", ["a", "b"]),
    ("for i in x y; do a $i; done", ["a x", "a y"]),
    ("for i in x $y; do a $i; done", ["a ?"]),
    ("for ((i=0; i<3; i++)); do a; done", ["a"]),
    ("select i in x; do a; done", ["a"]),
    ("case $x in y) a;; (z|w) b;; *) c; esac", ["a", "b", "c"]),
    ("case $x in *\\ $y\\ *) a;; $(b)*) c;; '`d`') e;; esac", ["a", "b", "c", "e"]),
    ("f() { a; }; f", ["a", "f"]),
    ("function f { a; }", ["a"]),
    ("a $(b $(c))", ["a ?", "b ?", "c"]),
    ("a `b`", ["a ?", "b"]),
    ("a `b \\`c\\``", ["a ?", "b ?", "c"]),
    ('a "$(b)"', ["a ?", "b"]),
    ('a "x `b` y"', ["a ?", "b"]),
    ("a <(b) >(c)", ["a ? ?", "b", "c"]),
    ("A=$(a) b", ["a", "b"]),
    ("A=$(a)", ["a"]),
    ("A=(1 $(a))", ["a"]),
    ("a ${X:-$(b)}", ["a ?", "b"]),
    ("a $((1 + $(b)))", ["a ?", "b"]),
    ("a > $(b)", ["a", "b"]),
    ("a $(<b) $(2>&-)", ["a ? ?"]),
    ("a < <(b)", ["a", "b"]),
    ("a <<< $(b)", ["a", "b"]),
    ("for i in $(a); do b; done", ["a", "b"]),
    ("case $(a) in x) b;; esac", ["a", "b"]),
    ("[[ -n $(a) ]] && b", ["[[", "a", "b"]),
    ("[ -f x ] && a", ["[", "a"]),
    ("((x = $(a))) && b", ["((", "a", "b"]),
    ("export A=$(a)", ["export ?", "a"]),
    ("a\\\n b", ["a b"]),
    (">x a b", ["a b"]),
    ("a >x b >y c", ["a b c"]),
    ("a b 2>&1 c", ["a b c"]),
    ("{rm,-rf,/}", ["rm -rf /"]),
    ("time a", ["time a", "a"]),
    ("coproc a", ["coproc a", "a"]),
    ("a; # b; c", ["a"]),
    ("cat <<E | b\nc $(d)\nE\ne", ["cat", "b", "d", "e"]),
    ("cat <<'E'\n$(a)\nE", ["cat"]),
    ("cat <<-E\n\ta\n\tE\nb", ["cat", "b"]),
    ("cat <<A <<B\n1\nA\n2\nB\na", ["cat", "a"]),
    ("cat <<E x && a\nbody\nE", ["cat x", "a"]),
    ("cat <<E\n${X:-$(a)} `b` \\$(c)\nE", ["cat", "a", "b"]),
    ("echo $((1<<2)); a", ["echo ?", "a"]),
    ("a <<<x | b", ["a", "b"]),
    ("[[ a =~ ^(x|y)$ ]] || b", ["[[", "b"]),
    ("a || b >c d", ["a", "b d"]),
]


@pytest.mark.parametrize(("text", "found"), FOUND, ids=[text for text, _ in FOUND])
def test_every_command_is_found(text: str, found: list[str]) -> None:
    assert sorted(" ".join(words) for words in commands(text)) == sorted(found)
    assert not opaque(text)


DATA = [
    "echo 'rm -rf /'",
    'echo "rm -rf /"',
    "echo rm -rf /",
    "printf '%s' 'rm -rf /'",
    "grep -n 'rm -rf /' notes.md",
    "git commit -m 'rm -rf /'",
    "cat <<E\nrm -rf /\nE",
    "cat <<'E'\n$(rm -rf /)\nE",
    "tee x <<E\nrm -rf /\nE",
    "git commit -F - <<'E'\nrm -rf /\nE",
    "ls # rm -rf /",
    "echo '$(rm -rf /)'",
    "for x in 'rm -rf /'; do echo $x; done",
    "X='rm -rf /'; echo $X",
    'curl -d \'{"x": "rm -rf /"}\' https://example.org',
    "man rm",
    "which rm",
    "command -v rm",
]


@pytest.mark.parametrize("text", DATA)
def test_data_is_not_code(text: str) -> None:
    assert "delete" not in effects(text).by_kind


NOT_UNDERSTOOD = [
    ("", "no command"),
    ("   ", "no command"),
    ("(A=1)", "no command"),
    ("PATH=/x", "no command"),
    ("a=1; LD_PRELOAD=x", "no command"),
    ("$X", "name is not known"),
    ("$(a) b", "name is not known"),
    ('"$X" b', "name is not known"),
    ("/bin/r? x", "name is not known"),
    ("''", "without a name"),
    ("a 'b", "not understood"),
    ("if a", "not understood"),
    ("a; )", "not understood"),
    ("time { a; }", "`{`"),
    ("{ case x in y) a esac;; esac; }", "`esac`"),
    ("a\0b", "NUL"),
    ("a \ud800", "Unicode"),
    ("r\u200bm x", "invisible"),
    ("\u202erm x", "invisible"),
    ("eval $X", "variable"),
    ('sh -c "$X"', "variable"),
    ("bash $X", "not known before it runs"),
    ("git $X", "sub-command"),
    ("a $x - 1>&2- b", "otherwise"),
    (">$x <f\nrm -rf /", "otherwise"),
    ("a <<E\nb", "here-document"),
    ("a `b <<E`\nE", "here-document"),
    ("a[1<<2]=3\nrm -rf /\n2]=3\n", "subscript"),
    ("a $x == \nrm -rf /", "otherwise"),
    ("a" * 131_073, "longer"),
    ("<<A " * 33, "here-documents"),
    ("[[ a ]] && " * 65 + "b", "`[[`"),
    ("(" * 65 + "a" + ")" * 65, "nested"),
    ("if " * 70 + "a", "not understood"),
    ("a" + " | b" * 1100, "work"),
]


@pytest.mark.parametrize(
    ("text", "reason"), NOT_UNDERSTOOD, ids=[t[:20] for t, _ in NOT_UNDERSTOOD]
)
def test_what_is_not_understood_is_said(text: str, reason: str) -> None:
    reasons = opaque(text)
    assert any(reason in found for found in reasons), reasons


@pytest.mark.parametrize("text", ["# a\n  # b", "A=1", "A=1 B=2", "a=1; b=(2 3)", "x=1 # y"])
def test_what_runs_nothing_only_sets_variables(text: str) -> None:
    assert {effect.kind for effect in effects(text).all} <= {"environment"}


def test_what_can_be_seen_is_seen_in_spite_of_problems() -> None:
    found = all_shown("rm -rf /; echo 'x")
    assert "delete path=/ recursive=True (doubtful)" in found
    assert any(item.startswith("opaque") for item in found)


def test_shells_and_wrappers_are_bounded() -> None:
    assert not opaque("sudo " * 8 + "a")
    assert any("too deep" in reason for reason in opaque("sudo " * 9 + "a"))
    text = "a"
    for _ in range(9):
        text = f"eval {text}"
    assert any("too deep" in reason for reason in opaque(text))


def test_spans_are_those_of_the_text() -> None:
    text = "é 1; sudo rm -rf '/ü x'"
    (delete,) = effects(text).by_kind["delete"]
    assert delete.span is not None
    assert text[slice(*delete.span)] == "'/ü x'"
    assert delete.argument == "command"
    text = "sh -c 'ls; rm -rf /var'"
    (delete,) = effects(text).by_kind["delete"]
    assert delete.span is not None
    assert text[slice(*delete.span)] == "/var"
    text = 'sh -c "ls; rm -rf \\"/var\\""'
    (delete,) = effects(text).by_kind["delete"]
    assert delete.span is not None
    assert text[slice(*delete.span)] == '"ls; rm -rf \\"/var\\""'


@pytest.mark.parametrize(
    "text", ["a; b $(c); d", "x $(a; rm y) > z", "eval 'rm a; rm b'; rm c", "rm a | sh -c 'rm b'"]
)
def test_effects_come_in_the_order_of_the_text(text: str) -> None:
    starts = [effect.span[0] for effect in effects(text).all if effect.span]
    assert starts == sorted(starts)


def test_through_names_the_wrappers() -> None:
    (delete,) = effects("sudo env A=1 bash -c 'timeout 5 rm x'").by_kind["delete"]
    assert delete.through == ("sudo", "env", "bash", "timeout")
