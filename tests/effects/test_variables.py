"""Variables are followed where their values are surely known, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.values import UNKNOWN
from tests.effects.reading import all_shown, commands, effects, opaque

KNOWN = [
    ("X=rm; $X -rf /", ["rm -rf /"]),
    ("X=rm Y=-rf; $X $Y /", ["rm -rf /"]),
    ("A=r; B=m; $A$B x", ["rm x"]),
    ("X='rm -rf /'; $X", ["rm -rf /"]),
    ("X='a b'; rm $X \"$X\" ${X}", ["rm a b a b a b"]),
    ("X=; rm $X a", ["rm a"]),
    ('X=; rm "$X" a', ["rm  a"]),
    ("X=a; rm ${X:-b}", ["rm a"]),
    ("X=; rm ${X:-b}", ["rm b"]),
    ("X=; rm ${X-b} c", ["rm c"]),
    ("X=a && rm $X", ["rm a"]),
    ("X=a; if b $X; then c $X; fi", ["b a", "c a"]),
    ("if X=a; then rm $X; fi; rm $X", ["rm a", "rm a"]),
    ("X=a; { X=b; rm $X; }; rm $X", ["rm b", "rm b"]),
    ("X=a; (rm $X)", ["rm a"]),
    ("X=a; b | rm $X", ["b", "rm a"]),
    ("X=/e; Y=$X/f; rm $Y", ["rm /e/f"]),
    ("export X=a; rm $X", ["export X=a", "rm a"]),
    ("X=a; export X; rm $X", ["export X", "rm a"]),
    ("declare X=a; rm $X", ["declare X=a", "rm a"]),
    ("f() { local X=a; rm $X; }", ["local X=a", "rm a"]),
    ("eval 'X=a'; rm $X", ["eval X=a", "rm a"]),
    ("command eval X=a; rm $X", ["command eval X=a", "eval X=a", "rm a"]),
    ("bash -c 'X=a; rm $X'", ["bash -c X=a; rm $X", "rm a"]),
    ("X='rm a'; eval $X", ["eval rm a", "rm a"]),
    ("X='rm a'; bash -c \"$X\"", ["bash -c rm a", "rm a"]),
    ("X=a; sh <<E\nrm $X ${X}\nE", ["sh", "rm a a"]),
    ('X=a; sh <<< "rm $X"', ["sh", "rm a"]),
    ("IFS= read -r Y; X='a b'; rm $X", ["read -r Y", "rm a b"]),
    ("for i in a b; do rm $i; done", ["rm a", "rm b"]),
    ("for i in {a,b}; do rm $i; done", ["rm a", "rm b"]),
    ("for i in a b; do for j in c d; do rm $i$j; done; done", ["rm ac", "rm ad", "rm bc", "rm bd"]),
    ("for i in a b; do X=$i; rm $X; done", ["rm a", "rm b"]),
    ('for i in *.c; do rm "$i"; done', ["rm *.c"]),
    ("for i in a b; do ls; done", ["ls"]),
    ("for i in {1..200}; do rm $i; done", ["rm *"]),
    ("$(echo rm) a", ["rm a", "echo rm"]),
    ("`printf %s rm` a", ["rm a", "printf %s rm"]),
    ("rm${IFS}-rf${IFS}/", ["rm -rf /"]),
    ("rm$IFS/a", ["rm /a"]),
    ("rm $(pwd)/a $PWD/b", ["rm /w/a /w/b", "pwd"]),
    ('cd /a; rm "$PWD" `pwd`/b', ["cd /a", "rm /a /a/b", "pwd"]),
    ('(cd /a); rm "$PWD"', ["cd /a", "rm /w"]),
]

UNKNOWN_NOW = [
    *('cd $X; rm "$PWD"', 'cd /a; PWD=/b; rm "$PWD"', 'cd /a; read PWD; rm "$PWD"'),
    *('cd /a; eval "$X"; rm "$PWD"', 'for i in a b; do cd ..; rm "$PWD"; done'),
    *('cd a || cd b; rm "$PWD"', 'f() { rm "$PWD"; }; cd /a; f'),
    *("X=a; f() { X=b; }; f; rm $X", "f() { X=b; }; X=a; f; rm $X", "X=a; f() { rm $X; }; X=b; f"),
    *("f() { X=a; g; rm $X; X=b; }; g() { f; }", "f() { X=a; g; rm $X; }; g() { X=b; }"),
    *(
        'X=a; eval "$Y"; rm $X',
        "X=a; . ./f; rm $X",
        "X=a; source f; rm $X",
        'X=a; read "$Y"; rm $X',
    ),
    *("X=a; X+=b; rm $X", "X=a; X[0]=b; rm $X", "X=(a b); rm $X", "X=a; unset X; rm $X"),
    *("X=a; true && X=b; rm $X", "X=a; false || X=b; rm $X", "X=a; true && X=b || rm $X"),
    *("X=a; if b; then X=c; fi; rm $X", "X=a; case $Y in a) X=b;; esac; rm $X"),
    *("X=a; if b; then c; elif X=d; then e; fi; rm $X", "X=a; while b; do rm $X; X=c; done"),
    *("X=a; for i in 1 2; do X=$i; done; rm $X", "for X in a b; do ls $X; done; rm $X"),
    *("X=a; until X=b; do c; done; rm $X", "X=a; (X=b); rm $X", "X=a; X=b | c; rm $X"),
    *("X=a & rm $X", "X=a; : $(X=b); rm $X", "X=a; X=$(b); rm $X", "X=$Y; rm $X"),
    *("X=a; read X; rm $X", "X=a; read -a X; rm $X", "X=a; printf -v X b; rm $X"),
    *("X=a; getopts a X; rm $X", "X=a; mapfile X; rm $X", "X=a; let X=1; rm $X"),
    *("X=a; ((X=1)); rm $X", "X=a; ((X++)); rm $X", "X=a; ls $((X=1)); rm $X"),
    *("for ((X=1; X<3; X++)); do rm $X; done", "X=; ls ${X:=b}; rm $X", "X=a; b[X=1]=2; rm $X"),
    *(
        "X=a; [[ 1 -eq X=1 ]]; rm $X",
        "X=a; trap 'X=b' DEBUG; rm $X",
        "trap 'X=b' DEBUG; X=a; rm $X",
    ),
    *("declare -i X=a; rm $X", "declare -u X; X=a; rm $X", "readonly X=b; X=a; rm $X"),
    *(
        "declare -n Y=X; X=a; Y=b; rm $X",
        "X=a; Y=X; rm ${!Y}",
        "X=a; rm ${X/a/b}",
        "X=a; rm ${X%b}",
    ),
    *(
        "IFS=/; X=a; rm $X",
        "X=a; IFS=x; rm $X",
        "X=a; f() { IFS=x; }; rm $X",
        "IFS=x eval 'X=a; rm $X'",
    ),
    *(
        "X=a ls; rm $X",
        "X=b; X=a eval 'rm $X'",
        "export X=a; sh -c 'rm $X'",
        "trap 'rm $X' EXIT; X=a",
    ),
    *("RANDOM=a; rm $RANDOM", "OLDPWD=a; rm $OLDPWD", "_=a; rm $_", "set -- a; rm $1", "rm $1"),
    *("for i; do rm $i; done", "for i in $X; do rm $i; done", "for i in a $X; do rm $i; done"),
    *(
        "select i in a b; do rm $i; done",
        "rm ${X:-a}",
        "rm $(b)",
        "rm $(echo $X)",
        "rm $(echo a; b)",
    ),
    *("echo() { b; }; rm $(echo a)", "X='a\\*'; rm $X", "rm $(echo 'a\\n')"),
    *("coproc X { a; }; X=a; read X; rm $X", "X=a; sudo X=b ls; X=$1; rm $X"),
]


@pytest.mark.parametrize(("text", "found"), KNOWN)
def test_known_values_are_put_in(text: str, found: list[str]) -> None:
    assert [" ".join(words) for words in commands(text)] == found


@pytest.mark.parametrize("text", UNKNOWN_NOW)
def test_what_may_have_changed_is_unknown(text: str) -> None:
    removed = [e for e in effects(text).by_kind["run"] if e.fields["program"] == "rm"]
    assert removed
    assert all(UNKNOWN in e.fields["words"] for e in removed), text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A=1 ls", ["environment name=A value=1"]),
        ("A=1 B=$C ls", ["environment name=A value=1", "environment name=B value=?"]),
        ("PATH=/x:$PATH; ls", ["environment name=PATH value=?"]),
        ("B=x; A=$B", ["environment name=B value=x", "environment name=A value=x"]),
        ("export A=1 B", ["environment name=A value=1"]),
        ("declare -x A=1", ["environment name=A value=1"]),
        ("env A=1 B=2 ls", ["environment name=A value=1", "environment name=B value=2"]),
        ('export "$X"=1', ["environment name=? value=?"]),
        ('declare -x "$X"=1', ["environment name=? value=?"]),
        ('printf "$X"', []),
        ("wait $X", []),
        ('[ "$X" = a ]', []),
        ('printf -v "$X" 1', ["environment name=? value=?"]),
        ("printf -v PATH x", ["environment name=PATH value=?"]),
        ("read PATH", ["environment name=PATH value=?"]),
        ("read a", []),
        ("mapfile PATH", ["environment name=PATH value=?"]),
        ("for PATH in a; do :; done", ["environment name=PATH value=?"]),
        ("for i in a; do :; done", []),
        (": ${PATH:=x}", ["environment name=PATH value=?"]),
        (": ${PATH:-x=y}", []),
        ("((PATH=1))", ["environment name=PATH value=?"]),
        ("((PATH==1))", []),
        ("unset PATH", []),
        ("declare 'PATH[0]=x'", ["environment name=PATH value=?"]),
        ("env A+=x ls", ["environment name=A value=?"]),
        ("time A=1 ls", ["environment name=A value=1"]),
        ("time -p A=1", ["environment name=A value=1"]),
        ("coproc A=1 ls", ["environment name=A value=1"]),
        ("EDITOR=vim ls", ["environment name=EDITOR value=vim"]),
        ("A='rm x' ls", ["environment name=A value=rm x"]),
        ("export A=$X", ["environment name=A value=?"]),
        ("A+=1", ["environment name=A value=?"]),
        ("A=(1 2)", ["environment name=A value=?"]),
        ("sh -c 'A=1 ls'", ["environment name=A value=1"]),
        ("ls A=1", []),
        ("echo 'A=1'", []),
    ],
)
def test_variables_that_are_set(text: str, found: list[str]) -> None:
    assert all_shown(text, "environment") == found


def test_rounds_of_loops_are_bounded() -> None:
    loop = "for i in 1 2 3 4 5 6 7 8 9; do "
    text = loop * 4 + "rm $i; " + "done; " * 4
    assert len(commands(text)) < 200
    text = "".join(f"for i in a{n}/x b{n}/x; do rm $i; done; " for n in range(40))
    words = [words for _, *words in commands(text)]
    assert words[:2] == [["a0/x"], ["b0/x"]]
    assert words[-1] == ["?"]


@given(
    st.sampled_from([text for text, _ in KNOWN]), st.sampled_from(["{};X=$Z", "f(){{ X=$Z;}};{}"])
)
def test_a_value_is_never_invented(text: str, around: str) -> None:
    """What is known with more text around it is what is known without."""
    alone = {tuple(words) for words in commands(text)}
    for words in commands(around.format(text)):
        fits = [w for w in alone if len(w) == len(words)]
        known = any(all(a in (b, "?") for a, b in zip(words, w, strict=True)) for w in fits)
        assert known or "?" in words, words


@pytest.mark.parametrize("text", ["git push $X", "X=--force; git push $X"])
def test_the_options_that_a_variable_may_be(text: str) -> None:
    (run,) = effects(text).by_kind["run"]
    assert set(run.fields["options"]) & {UNKNOWN, "--force"}


@pytest.mark.parametrize(
    ("text", "subcommand", "options", "operands"),
    [
        ("git -C d push -f origin", "push", ("-C", "-f"), ("origin",)),
        ("git stash drop x", "stash drop", (), ("x",)),
        ("git frob x", "frob", (), ("x",)),
        ("git $X", UNKNOWN, (UNKNOWN,), ()),
        ("rm -rf a --no-preserve-root b", None, ("-r", "-f", "--no-preserve-root"), ("a", "b")),
        ("rm -- -f", None, (), ("-f",)),
        ("echo -n hi", None, ("-n",), ("hi",)),
        ("frob -x y --z=1", None, ("-x", "--z"), ("y",)),
        ("rm $X", None, (UNKNOWN,), (UNKNOWN,)),
        ('rm "a$X"', None, (), (UNKNOWN,)),
    ],
)
def test_how_a_command_is_divided(
    text: str, subcommand: object, options: tuple[str, ...], operands: tuple[str, ...]
) -> None:
    (run, *_) = effects(text).by_kind["run"]
    assert run.fields["subcommand"] == subcommand
    assert run.fields["options"] == options
    assert run.fields["operands"] == operands
    with pytest.raises(KeyError):
        run.fields["other"]


def test_a_variable_as_the_command_is_opaque() -> None:
    assert opaque("$X a")
    assert not opaque("X=ls; $X a")
