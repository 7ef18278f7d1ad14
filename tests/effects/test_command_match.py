"""Command patterns on parsed commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.effects import match
from callgate.lang import parse_pattern
from callgate.model.effect import Effect
from callgate.model.pattern import CommandPattern
from callgate.model.values import UNKNOWN
from tests.effects.reading import effects

YES, NO, MAYBE = True, False, UNKNOWN


def pattern(text: str) -> CommandPattern:
    return parse_pattern(text)


def matches(command: str, text: str, *, strict: bool = False) -> object:
    """Whether the last simple command of a text fits a pattern."""
    return match(effects(command).by_kind["run"][-1], pattern(text), strict)


@pytest.mark.parametrize(
    ("text", "command", "found"),
    [
        # program
        ("rm", "rm x", YES),
        ("rm", "/bin/rm x", YES),
        ("rm", "./rm x", YES),
        ("rm", "r\\m x", YES),
        ("rm", "sudo rm x", YES),
        ("rm", "rmdir x", NO),
        ("(rm|unlink)", "unlink x", YES),
        ("mkfs.*", "mkfs.ext4 /dev/sda", YES),
        ("mkfs.*", "mkfs /dev/sda", NO),
        ("rm", "$X x", MAYBE),
        ("rm", "/bin/r? x", MAYBE),
        # words after global options
        ("git push", "git push origin main", YES),
        ("git push", "git -C d -c a=b push", YES),
        ("git push", "git --git-dir d push", YES),
        ("git push", "git --git-dir=d push", YES),
        ("git push", "git stash push", NO),
        ("git push", "git pull", NO),
        ("git push", "git", NO),
        ("git (push|pull)", "git pull", YES),
        ("git push origin", "git push --force origin", YES),
        ("git push origin", "git push upstream origin", NO),
        ("git push * main", "git push origin main", YES),
        ("git push * *:main", "git push origin HEAD:main", YES),
        ("git push * *:main", "git push origin main", NO),
        ("git push", "git $X", MAYBE),
        ("git push", 'git "$X"', MAYBE),
        ("git push", "git $X push", MAYBE),
        ("git push", 'git "p$X"', MAYBE),
        ("git push", 'git "x$X"', NO),
        ("git push", "git commit -m $X", NO),
        ("git push", "git commit $X", NO),
        # options
        ("git push (--force|-f)", "git push --force", YES),
        ("git push (--force|-f)", "git push -f", YES),
        ("git push --force", "git push -f", YES),
        ("git push --force", "git push origin main -f", YES),
        ("git push --force", "git push -uf", YES),
        ("git push --force", "git push", NO),
        ("git push --force", "git push --force-with-lease", YES),
        ("git push --force", "git push -- --force", NO),
        ("git push --force", "git push $X", MAYBE),
        ("git push --force", 'git push "$X"', MAYBE),
        ("git push -q", "git push -f", NO),
        ("rm -rf", "rm -rf x", YES),
        ("rm -rf", "rm -r -f x", YES),
        ("rm -rf", "rm -fr x", YES),
        ("rm -rf", "rm --force --recursive x", YES),
        ("rm -rf", "rm --rec --fo x", YES),
        ("rm -rf", "rm x -Rvf", YES),
        ("rm -rf", "rm -r x", NO),
        ("rm -r -f", "rm -rf x", YES),
        ("rm --recursive", "rm -R x", YES),
        ("rm -rf", "rm -r $X", MAYBE),
        ("rm -rf", "rm -r 'a b'", NO),
        ("sort --output=*", "sort -o x y", YES),
        ("sort --output=*", "sort -ox y", YES),
        ("sort --output=x", "sort --output x y", YES),
        ("sort --output=x", "sort --out=x y", YES),
        ("sort --output=x", "sort -o y x", NO),
        ("sort --output=x", "sort -o $X y", MAYBE),
        ("sort --output=x", "sort x", NO),
        ("kill -9", "kill -9 1", YES),
        ("kill -9", "kill 1", NO),
        ("find -delete", "find . -delete", YES),
        ("find -name=*", "find . -name x", YES),
        ("tar -x", "tar xf a", YES),
        ("dd of=/dev/*", "dd if=a of=/dev/sda", YES),
        ("dd of=/dev/*", "dd if=/dev/sda of=a", NO),
        ("dd of=/dev/*", "dd of=$X", MAYBE),
        # a program that nobody described: both readings
        ("foo --bar=x", "foo --bar x", YES),
        ("foo --bar=x", "foo --bar=x", YES),
        ("foo baz", "foo --bar baz", YES),
        ("foo baz", "foo --bar x baz", YES),
        ("foo baz", "foo x baz", NO),
        ("foo -x", "foo -xvf", YES),
        ("foo -xvf", "foo -xvf", YES),
        ("foo -z", "foo -xvf", NO),
        # closed
        ("git status $", "git status", YES),
        ("git status $", "git status -s", NO),
        ("git status [-s] $", "git status -s", YES),
        ("git status [-s] $", "git status --short", YES),
        ("git status $", "git status x", NO),
        ("git status $", "git -C d status", NO),
        ("git status [-C] $", "git -C d status", YES),
        ("git status $", "git status $X", MAYBE),
        ("git status * $", "git status x", YES),
        ("git status * $", "git status", NO),
        ("rm [-rf] * $", "rm -r x", YES),
        ("sort [--output=x] * $", "sort -o x y", YES),
        ("sort [--output=x] * $", "sort -o z y", NO),
        ("dd if=* of=* $", "dd of=a if=b", YES),
        ("dd of=* $", "dd of=a if=b", NO),
    ],
)
def test_patterns(text: str, command: str, found: object) -> None:
    assert matches(command, text) is found


@pytest.mark.parametrize(
    ("text", "command", "found"),
    [
        ("git status $", "git status", YES),
        ("git status $", "/usr/bin/git status", YES),
        ("git status $", "sudo git status", YES),
        ("git status $", "./git status", NO),
        ("git status $", "/tmp/git status", NO),
        ("git status $", "/git status", NO),
        ("git status $", "/usr/bin/../../tmp/git status", NO),
        ("git status $", "A=1 git status", NO),
        ("git status $", "git status > x", NO),
        ("git status $", "git status < x", NO),
        ("git status $", "git status > /dev/null", YES),
        ("git status $", "git status 2>&1", YES),
        ("git status $", "$X status", MAYBE),
        ("git status * $", "git status *", MAYBE),
        ("git status * $", "git status '*'", YES),
        ("git status * $", "git status $X", MAYBE),
        ("git status * $", 'git status "$X"', MAYBE),
        ("foo --bar * $", "foo --bar x", YES),
        ("foo --bar=* $", "foo --bar=x", YES),
        ("foo -a -b -c $", "foo -abc", NO),
        ("foo -abc $", "foo -abc", YES),
    ],
)
def test_patterns_that_allow(text: str, command: str, found: object) -> None:
    assert matches(command, text, strict=True) is found


def test_an_effect_without_a_command_fits_no_allowing_pattern() -> None:
    effect = Effect("run", {"program": "git", "program_path": "git", "words": ("status",)})
    assert match(effect, pattern("git status $"), True) is False
    assert match(effect, pattern("git status"), False) is UNKNOWN


OPTIONS = st.lists(st.sampled_from(["-r", "-f", "-v", "--force", "--recursive"]), max_size=4)
OPERANDS = st.lists(st.sampled_from(["a", "/b", "'c d'"]), max_size=3)


@given(OPTIONS, OPERANDS, st.randoms(use_true_random=False))
def test_the_order_and_spelling_of_options_do_not_matter(
    options: list[str], operands: list[str], random: object
) -> None:
    words = [*options, *operands]
    plain = matches(" ".join(["rm", *words]), "rm -r -f")
    letters = {"--force": "-f", "--recursive": "-R"}
    shuffled = [letters.get(word, word) for word in reversed(words)]
    assert matches(" ".join(["/bin/rm", *shuffled]), "rm -rf") is plain
    cluster = "".join(letters.get(word, word)[1:] for word in options)
    merged = ["rm", *operands, *([f"-{cluster}"] if cluster else [])]
    assert matches(" ".join(merged), "rm --force --recursive") is plain


@given(st.lists(st.sampled_from(["push", "-f", "a", "-C d", "--", "$X", '"$Y"', "b*"]), max_size=5))
def test_hiding_a_word_never_turns_a_match_into_a_miss(words: list[str]) -> None:
    for text in ("git push", "git push -f", "git push a", "git push [-f] $"):
        before = matches(" ".join(["git", *words]), text)
        for index in range(len(words)):
            hidden = [*words[:index], "$Z", *words[index + 1 :]]
            after = matches(" ".join(["git", *hidden]), text)
            if before is True:
                assert after is not False
