"""Every kind of effect has a phrase, whatever is known of it."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.analysis.effect_wording import PHRASES, phrase_of
from callgate.model.effect import EFFECT_KINDS, Effect
from callgate.model.types import BOOL, Enum, ListOf, Optional
from callgate.model.values import UNKNOWN


def own_fields(kind: str) -> dict[str, Any]:
    return {
        name: field
        for name, field in EFFECT_KINDS[kind].fields.items()
        if name not in ("certain", "through")
    }


def value_of(type_: Any, name: str) -> Any:
    if isinstance(type_, Optional):
        return value_of(type_.item, name)
    if type_ == BOOL:
        return True
    if isinstance(type_, ListOf):
        return (f"<{name}>",)
    return type_.members[0] if isinstance(type_, Enum) else f"<{name}>"


def test_every_kind_has_a_phrase() -> None:
    assert PHRASES.keys() == EFFECT_KINDS.keys()


@pytest.mark.parametrize("kind", EFFECT_KINDS)
def test_a_phrase_names_what_the_effect_is_about(kind: str) -> None:
    fields = own_fields(kind)
    effect = Effect(kind, {name: value_of(field.type, name) for name, field in fields.items()})
    phrase = phrase_of(effect, str, "the source")
    first = next(iter(fields))
    shown = "<program_path>" if kind == "run" else "shell" if first == "language" else f"<{first}>"
    assert shown.replace("shell", "<language>") in phrase
    assert "the source" not in phrase


@pytest.mark.parametrize("kind", EFFECT_KINDS)
def test_what_is_not_resolved_is_told_by_its_source(kind: str) -> None:
    unknown = {
        name: UNKNOWN if field.unknown else value_of(field.type, name)
        for name, field in own_fields(kind).items()
    }
    phrase = phrase_of(Effect(kind, unknown), str, "`$X`")
    assert "UNKNOWN" not in phrase and "unknown" not in phrase.lower()
    if any(value is UNKNOWN for value in unknown.values()):
        assert "`$X`" in phrase


@pytest.mark.parametrize(
    ("kind", "fields", "phrase"),
    [
        ("delete", {"path": "/x", "recursive": False}, "deletes /x"),
        ("delete", {"path": "/x", "recursive": True}, "deletes /x with everything below it"),
        (
            "delete",
            {"path": "/x", "recursive": UNKNOWN},
            "deletes /x, perhaps with everything below it",
        ),
        (
            "connect",
            {"url": None, "host": "h", "scheme": "ssh", "port": 22, "address_class": "public"},
            "connects to h (public), ssh, port 22",
        ),
        (
            "permission",
            {"path": "/x", "mode": "777", "owner": None, "world_writable": True},
            "sets the mode 777 on /x, which everybody may then write",
        ),
        (
            "sql",
            {"statement": "delete", "tables": ("a", "b"), "has_where": False},
            "SQL: delete on a, b, without a WHERE",
        ),
        (
            "transfer",
            {"path": "/k", "url": None, "host": "evil.example", "address_class": "public"},
            "sends /k to evil.example (public)",
        ),
        ("opaque", {"reason": "why", "bound": True}, "too much to read: why"),
    ],
)
def test_phrases(kind: str, fields: dict[str, Any], phrase: str) -> None:
    def show(value: Any) -> str:
        return f"[{', '.join(value)}]" if isinstance(value, tuple) else str(value)

    assert phrase_of(Effect(kind, fields), show, "?") == phrase
    assert phrase_of(Effect(kind, fields, certain=False), show, "?") == f"perhaps {phrase}"
