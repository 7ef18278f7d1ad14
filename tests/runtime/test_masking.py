"""No secret and no trickery in what is shown."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN
from callgate.runtime.effect_form import effect_form
from callgate.runtime.masking import MAX_SHOWN, Masker, _occurrences, escape
from callgate.runtime.replaced import Step

NAMES = ["key", "token", "secret", "password", "passwd", "credential", "auth"]
PATTERNS = [r"\bghp_[A-Za-z0-9]{36}\b", r"\bsk-[A-Za-z0-9_-]{20,}\b", r"\bAKIA[0-9A-Z]{16}\b"]
MASKER = Masker(NAMES, PATTERNS)

MASKED = [
    ("API_KEY=abcdef123", "API_KEY=***"),
    ("curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: Bearer ***' x"),
    ("psql --password hunter22 db", "psql --password *** db"),
    ("psql --password=hunter22 db", "psql --password=*** db"),
    ('{"client_secret": "s3cr3t!"}', '{"client_secret": "***"}'),
    ("git clone https://ghp_" + "a" * 36 + "@x", "git clone https://***@x"),
    ("echo sk-" + "b" * 30, "echo ***"),
    ("TOKEN='hunter 22' x", "TOKEN='***' x"),
    ('TOKEN="hunter \\"22" x', 'TOKEN="***" x'),
    ("psql --password 'hunter 22' db", "psql --password '***' db"),
    ("login --password-stdin <<< x", "login --password-stdin <<< x"),
    ('{"token": "", "a": "b c"}', '{"token": "", "a": "b c"}'),
    ("monkey business", "monkey business"),
    ("ls keys/", "ls keys/"),
]


@pytest.mark.parametrize(("text", "shown"), MASKED)
def test_masked(text: str, shown: str) -> None:
    assert MASKER.show(text) == shown


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        *((text, ()) for text, _ in MASKED),
        ("a hunter2 hunter2", ("hunter2",)),
        ("日本 TOKEN=語abc 🎉", ()),
        ("password=token=abcdef sk-" + "b" * 30 + "\npassword=x", ("cdef",)),
        ("grouped XY-abc.", ()),
    ],
)
def test_what_is_hidden_is_what_is_masked(text: str, secrets: tuple[str, ...]) -> None:
    masker = Masker(NAMES, [*PATTERNS, r"\bXY-(?P<secret>\w+)"])
    shown, at = "", 0
    for start, end in masker.hidden(text, secrets):
        assert at <= start < end
        shown, at = f"{shown}{text[at:start]}***", end
    assert shown + text[at:] == masker.mask(text, secrets)


def hidden_slowly(masker: Masker, text: str, secrets: tuple[str, ...]) -> set[int]:
    """The places that `mask` replaces, told character by character."""
    places = [{number} for number in range(len(text))]
    hidden: set[int] = set()
    steps: list[Step] = [partial(_occurrences, secret) for secret in secrets]
    if masker._any.search(text):
        steps += [partial(masker._replaced, *item) for item in masker._patterns]
    for step in steps:
        for start, end in reversed(list(step(text))):
            under = set().union(*places[start:end])
            hidden |= under
            text = f"{text[:start]}***{text[end:]}"
            places[start:end] = [under] * 3
    return hidden


bits = st.sampled_from(["key=", "abc", "aab", "*", " ", "'", "語", "sk-" + "c" * 20])


@given(st.lists(bits).map("".join), st.lists(st.text("abc*=k", min_size=1, max_size=5)))
def test_many_secrets_are_hidden_as_one_after_the_other(text: str, secrets: list[str]) -> None:
    found = MASKER.hidden(text, secrets)
    assert all(one[1] < two[0] for one, two in pairwise(found))
    covered = {place for span in found for place in range(*span)}
    assert covered == hidden_slowly(MASKER, text, tuple(secrets))


pieces = st.sampled_from(["key=", "abc", "sk-" + "c" * 20, " ", "*", "\n", "語"])


@given(st.lists(pieces).map("".join))
def test_every_secret_is_hidden_as_a_whole(text: str) -> None:
    covered = {place for span in MASKER.hidden(text, ("abc",)) for place in range(*span)}
    for start in range(len(text)):
        if text.startswith("abc", start):
            assert covered >= {start, start + 1, start + 2}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31mred", "\\e[31mred"),
        ("rm\u202e-rf", "rm\\u202e-rf"),
        ("a\u200bb", "a\\u200bb"),
        ("\x00", "\\x00"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("Grüße 🎉 日本", "Grüße 🎉 日本"),
    ],
)
def test_escaped(text: str, shown: str) -> None:
    assert escape(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "absent"),
        (True, "true"),
        (UNKNOWN, "unknown"),
        (["a", 1], "[a, 1]"),
        ({"a": 1}, "{a: 1}"),
    ],
)
def test_values(value: object, shown: str) -> None:
    assert MASKER.show(value) == shown


def test_a_secret_argument_is_masked_wherever_it_turns_up() -> None:
    secrets = MASKER.secrets({"api": {"Access-Token": ["hunter2hunter2"]}, "text": "x"})
    assert MASKER.show("echo hunter2hunter2 | x", secrets) == "echo *** | x"


PAIRS = [
    ({"headers": [["Authorization", "Bearer hunter22"], ["Accept", "text"]]}, ["Bearer hunter22"]),
    ({"headers": [["X-Token", ["hunter22"]]]}, ["hunter22"]),
    ({"headers": [{"name": "X-Api-Key", "value": "hunter22"}]}, ["hunter22"]),
    ({"env": [{"Name": "TOKEN", "Value": {"a": "hunter22"}}]}, ["hunter22"]),
    ({"args": ["--token", "hunter22", "-p", "other"]}, ["hunter22"]),
    ({"args": ["-token", "hunter22"]}, ["hunter22"]),
    # No names of secrets.
    ({"args": ["--token", "-x", "--token"]}, []),
    ({"columns": ["token", "title"]}, []),
    ({"headers": [["Accept", "text/html"]]}, []),
    ({"fields": [["token", "title", "author"]]}, []),
    ({"name": "bob", "value": "hunter22"}, []),
    ({"name": "token", "title": "hunter22"}, []),
    ([["token", 1], ["password", None], [], {}], []),
]


@pytest.mark.parametrize(("value", "secrets"), PAIRS)
def test_a_value_beside_a_secret_s_name_is_masked(value: object, secrets: list[str]) -> None:
    found = MASKER.secrets(value)
    assert list(found) == secrets
    shown = MASKER.show(value, found)
    assert all(secret not in shown for secret in secrets)


@pytest.mark.parametrize(
    "value",
    [
        {"headers": ["-H", "Authorization: Bearer hunter22"]},
        {"env": ["TOKEN=hunter22"]},
        {"args": ["--token=hunter22"]},
    ],
)
def test_a_name_and_its_value_in_one_text_are_masked(value: object) -> None:
    assert "hunter22" not in MASKER.show(value, MASKER.secrets(value))


WEAK = Masker(NAMES, PATTERNS, ["key"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("sorted(xs, key=len)", "sorted(xs, key=len)"),
        ("sorted(xs, key=lambda x: x[1])", "sorted(xs, key=lambda x: x[1])"),
        ("max(xs, key=str.lower)", "max(xs, key=str.lower)"),
        ("def f(key: str)", "def f(key: str)"),
        ("key=hunter2", "key=***"),
        ("key=abcdefgh", "key=***"),
        ("key=Abc", "key=***"),
        ('key="len"', 'key="***"'),
        ('{"key": "len"}', '{"key": "***"}'),
        ("api_key=len", "api_key=***"),
        ("my-key: len", "my-key: ***"),
        ("password=len", "password=***"),
        ("--key len", "--key ***"),
        ("key=token=abc", "key=***"),
        ("key=len token=abc", "key=len token=***"),
    ],
)
def test_a_short_word_after_a_weak_name_is_no_secret(text: str, shown: str) -> None:
    assert WEAK.show(text) == shown


words = st.sampled_from(["key", "=", ": ", " ", "token", "abc", "len", "Abc1", "'", '"', "--", ","])


@given(st.lists(words, max_size=12).map("".join))
def test_a_weak_name_shows_nothing_that_follows_another_name(text: str) -> None:
    def hidden(masker: Masker) -> set[int]:
        return {place for span in masker.hidden(text) for place in range(*span)}

    for place in hidden(MASKER) - hidden(WEAK):
        start = max(text.rfind(mark, 0, place) for mark in "=:")
        assert text[:start].rstrip("\"' ").endswith("key")


@given(st.text(), st.integers(0, 6000))
def test_what_is_shown_is_one_short_safe_line(text: str, padding: int) -> None:
    shown = MASKER.show("a " * padding + text)
    assert len(shown) <= MAX_SHOWN
    assert shown.isprintable()


def test_half_a_character_is_shown_as_an_escape() -> None:
    assert MASKER.show("a\ud800 token=abcdef") == "a\\ud800 token=***"
    assert MASKER.show("a bcd\ud800e", ["bcd\ud800e"]) == "a ***"
    assert MASKER.hidden("a bcd\ud800e", ["bcd\ud800e"]) == [(2, 7)]


@given(st.integers(0, 5000))
def test_a_token_never_shows_wherever_it_stands(padding: int) -> None:
    token = "ghp_" + "a" * 36
    shown = MASKER.show("x " * padding + token)
    assert "ghp_a" not in shown


GROUPED = Masker(
    [], [r"\blogin -p (?P<secret>\S+)", r"\bknock (?P<secret>[a-z]+)? now", r"T[0-9]{4}"]
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("login -p hunter22 ann", "login -p *** ann"),
        ("login -p a; login -p b", "login -p *** login -p ***"),
        ("knock friend now, T1234", "knock *** now, ***"),
        ("knock  now", "***"),
        ("\ud800 login -p ünï x", "\\ud800 login -p *** x"),
        ("login -x hunter22", "login -x hunter22"),
    ],
)
def test_of_a_pattern_with_a_group_only_the_group_is_masked(text: str, shown: str) -> None:
    assert GROUPED.show(text) == shown


def test_what_a_group_finds_is_masked_wherever_it_turns_up() -> None:
    call = {
        "command": "login -p 'hunter22'",
        "more": ["login -p ab", "\ud800 login -p s3cret! T1234"],
    }
    secrets = GROUPED.secrets(call)
    assert secrets == ("hunter22", "s3cret!")
    assert GROUPED.show(["-p", "hunter22", "s3cret!", "ab"], secrets) == "[-p, ***, ***, ab]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" " * 5000, "…"),
        (" " * 4090 + "hunter22" * 2, "…"),
        ("\n" * 5000, "…"),
        ("ab" + " " * 5000, "ab"),
        ("b" * 5000, "b" * 119 + "…"),
    ],
)
def test_of_a_long_text_no_half_word_is_shown_behind_blanks(text: str, shown: str) -> None:
    assert MASKER.show(text) == shown


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("DB_PASSWORD", "hunter22", "***"),
        ("PATH", "/x:/y", "/x:/y"),
        ("EMPTY", "", ""),
        ("LONG", "a" * 500, "a" * 119 + "…"),
        ("X", "ghp_" + "a" * 36, "***"),
        ("A", UNKNOWN, None),
        (UNKNOWN, "hunter22", "hunter22"),
    ],
)
def test_a_variable_that_is_called_secret_shows_no_value(
    name: object, value: object, shown: str | None
) -> None:
    effect = Effect("environment", {"name": name, "value": value})
    assert effect_form(effect, MASKER.show, MASKER)["value"] == shown
