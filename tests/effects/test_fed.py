"""Words and texts that come to a command from elsewhere: pipes, `:::`, unknown programs."""

from __future__ import annotations

import pytest

from tests.effects.reading import all_shown, commands, effects, opaque


@pytest.mark.parametrize(
    ("text", "ran"),
    [
        ("echo 'rm -rf /' | sh", ["rm -rf /"]),
        ("echo rm -rf / | sh", ["rm -rf /"]),
        ("echo -n rm x | bash -s", ["rm x"]),
        ("printf 'rm x' | sh", ["rm x"]),
        ("printf '%s\\n' 'rm x' 'rm y' | sh", ["rm x", "rm y"]),
        ("printf 'rm %s\\n' x y | sh", ["rm x", "rm y"]),
        ("printf '%s %s' rm x | sh", ["rm x"]),
        ("cat <<E | sh\nrm x\nE", ["rm x"]),
        ("cat <<< 'rm x' | sh", ["rm x"]),
        ("echo 'rm x' | cat | sh", ["rm x"]),
        ("echo 'rm x' | sudo sh", ["rm x"]),
        ("X='rm x'; echo $X | sh", ["rm x"]),
        ("command echo 'rm x' | sh", ["rm x"]),
    ],
)
def test_what_a_pipe_feeds_is_read(text: str, ran: list[str]) -> None:
    found = [" ".join(words) for words in commands(text) if words[0] == "rm"]
    assert found == ran
    assert any(e.fields["source"] == "inline" for e in effects(text).by_kind["interpret"])


@pytest.mark.parametrize(
    "text",
    [
        *("echo $X | sh", "cat f | sh", "printf '%d' 1 | sh", "printf '\\162m x' | sh"),
        *("echo 'rm\\tx' | sh", "echo a > f | sh", "{ echo a; } | sh", "echo a | tr a b | sh"),
        *("printf -v X a | sh", "echo * | sh", "base64 -d f | sh", "cat f <<< a | sh"),
    ],
)
def test_what_is_not_known_of_a_pipe(text: str) -> None:
    (found,) = effects(text).by_kind["interpret"]
    assert found.fields["source"] == "stdin"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("echo / | xargs rm -rf", ["delete path=/ recursive=True"]),
        ("echo '/a /b' | xargs rm -r", [f"delete path=/{x} recursive=True" for x in "ab"]),
        ("printf '%s\\n' /a /b | xargs -I{} rm {}/x", ["delete path=/a/x", "delete path=/b/x"]),
        ("ls | xargs rm", ["delete path=/w/* recursive=True"]),
        ("echo $X | xargs rm", ["delete path=? recursive=?"]),
        ("parallel rm -rf ::: /a /b", [f"delete path=/{x} recursive=True" for x in "ab"]),
        ("parallel -j 2 rm {} ::: /a", ["delete path=/a"]),
        ("parallel 'rm -rf {}' ::: /a", ["delete path=/a recursive=True"]),
        ("parallel 'rm {}; rm /b' ::: /a", ["delete path=/a", "delete path=/b"]),
        ("parallel ::: 'rm /a' ls", ["delete path=/a"]),
        ("parallel rm :::: f", ["delete path=? recursive=?"]),
        ("echo 'rm /a' | parallel", ["delete path=/a"]),
        ("ls | parallel rm", ["delete path=/w/* recursive=True"]),
        ("find /d -name x -exec rm {} +", ["delete path=/d/**/x", "delete path=?"]),
    ],
)
def test_words_that_are_added(text: str, found: list[str]) -> None:
    assert all_shown(text, "delete") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wrap rm -rf /etc", ["delete path=/etc recursive=True (doubtful)"]),
        ("wrap -x y rm -rf ./b", ["delete path=/w/b recursive=True (doubtful)"]),
        ("wrap rm -rf $X", ["delete path=? recursive=True (doubtful)"]),
        ("wrap rm /etc/passwd", ["delete path=/etc/passwd (doubtful)"]),
        ("wrap rm ~/x", ["delete path=/home/u/x (doubtful)"]),
        ("wrap /bin/rm x", ["delete path=/w/x (doubtful)"]),
        ("wrap sudo rm x", ["delete path=/w/x (doubtful)"]),
        ("wrap dd of=/dev/sda", ["device path=/dev/sda action=write (doubtful)"]),
        ("wrap rm x", []),
        ("wrap rm $X", []),
        ("wrap rm -f x", []),
        ("wrap s3 rm s3://b/x --recursive", []),
        ("wrap rm -r gs://b/x", []),
        ("wrap delete rm", []),
        ("wrap install x", []),
    ],
)
def test_commands_behind_an_unknown_program(text: str, found: list[str]) -> None:
    assert all_shown(text, "delete", "device") == found


@pytest.mark.parametrize(
    "text",
    [
        *("echo ${X#$(rm /x)}", "echo ${X:=`rm /x`}", 'echo "${X/$(rm /x)/}"', "b[$(rm /x)]=1"),
        *("echo ${X:-${Y%`rm /x`}}", "coproc X { rm /x; }", "coproc rm /x", "a=([0]=$(rm /x))"),
        *("A=1 B=2\nrm /x", "A=1 B=2 # c\nrm /x", "for ((i=$(rm /x);;)); do a; done"),
    ],
)
def test_substitutions_that_the_grammar_takes_for_text(text: str) -> None:
    assert "delete path=/x" in all_shown(text)
    assert not opaque(text)


@pytest.mark.parametrize(("count", "bound"), [(15, False), (17, True)])
def test_more_words_that_may_be_programs_are_a_bound(count: int, bound: bool) -> None:
    found = effects("wrap " + "tee x://y " * count).by_kind.get("opaque", [])
    assert [effect.fields["bound"] for effect in found] == [True] * bound
