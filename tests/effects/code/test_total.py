"""Whatever a text holds, reading it raises nothing and takes no long time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.model.effect import Effect, EffectSet
from tests.effects.code.code_reading import effects_of

LANGUAGES = (
    *("python", "javascript", "ruby", "perl", "php", "lua", "awk", "sed", "make", "r", "go"),
    *("rust", "java", "c", "sql", "cobol"),
)
_PARTS = (
    "( ) [ ] { } ' \" ` # // /* */ -- \\ ; , . :: -> => = == + % $ @ & | < > << <<A A q{ %w[ "
    "${ #{ $$ os.system open( exec eval require( system 'rm' import from x y z 1 0x é "
    "select delete where \\! .shell e w r s/ /e ~/ /etc/shadow http://x def for in if"
)
PARTS = st.sampled_from([*_PARTS.split(" "), "\n", "\t", "\0", "\ud800"])


def failures(found: EffectSet) -> list[Effect]:
    """What says that something was raised."""
    opaque = found.by_kind.get("opaque", [])
    return [effect for effect in opaque if "could not be read" in effect.fields["reason"]]


@settings(max_examples=400)
@given(st.sampled_from(LANGUAGES), st.lists(PARTS, max_size=40), st.sampled_from(["", " "]))
def test_any_text_has_effects(language: str, parts: list[str], between: str) -> None:
    found = effects_of(between.join(parts), language)
    assert not failures(found)


@settings(max_examples=100)
@given(st.sampled_from(LANGUAGES), st.text(max_size=200))
def test_any_characters_have_effects(language: str, text: str) -> None:
    found = effects_of(text, language)
    assert not failures(found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "part", ["(", "f(", "[", "{", '"', "`${", "x=", "$", "a:", "exec(", "a.", "s/", '"$a[']
)
def test_a_long_text_of_one_kind_is_read(language: str, part: str) -> None:
    found = effects_of(part * (10_000 // len(part)), language)
    assert not failures(found)
