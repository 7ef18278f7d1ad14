"""The schemas of grammar/, and the fast check made from them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from callgate.effects.program_effects import META
from callgate.load import findings, schema_words
from callgate.load.findings import find
from callgate.load.schemas import kinds, schema_of, surely_valid
from callgate.load.verdict import compile_check
from callgate.model.effect import EFFECT_KINDS

ALL = [*kinds(), "common"]
Path = tuple[str | int, ...]


def parts(schema: Any, path: str = "", named: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """Every schema inside a schema, with its JSON pointer; `named`: it stands under a name."""
    yield path, schema, named
    for keyword, part in schema.items():
        here = f"{path}/{keyword}"
        if keyword in ("properties", "definitions"):
            for name, inner in part.items():
                yield from parts(inner, f"{here}/{name}", named=True)
        elif keyword in ("items", "additionalProperties", "propertyNames"):
            if isinstance(part, dict):
                yield from parts(part, here)
        elif keyword in ("anyOf", "oneOf"):
            for index, inner in enumerate(part):
                yield from parts(inner, f"{here}/{index}")


def test_there_is_a_schema_for_every_kind() -> None:
    assert kinds() == (
        "bundle",
        "flow",
        "gate",
        "guards",
        "invariants",
        "languages",
        "masking",
        "profiles",
        "programs",
        "risk-map",
        "security-profiles",
        "settings-checks",
        "tests",
        "tools",
        "vocabulary",
    )


@pytest.mark.parametrize("kind", ALL)
def test_schemas_are_draft_07_and_documented(kind: str) -> None:
    schema = schema_of(kind)
    Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["$id"] == f"{kind}.schema.json"
    for path, part, named in parts(schema):
        if named or not path:
            assert {"title", "description", *(["examples"] if path else [])} <= part.keys(), path
            assert part["description"].endswith("."), path


@pytest.mark.parametrize("kind", ALL)
def test_examples_of_the_schemas_are_valid(kind: str) -> None:
    registry = findings._validator("bundle")._registry
    for path, part, _ in parts(schema_of(kind)):
        for example in part.get("examples", ()):
            reference = {"$ref": f"{kind}.schema.json#{path}"} if path else schema_of(kind)
            errors = list(Draft7Validator(reference, registry=registry).iter_errors(example))
            assert not errors, (path, example, errors)


@pytest.mark.parametrize("kind", kinds())
def test_unknown_keys_are_refused_everywhere(kind: str) -> None:
    for path, part, _ in parts(schema_of(kind)):
        if "properties" in part and not path.endswith(("/parameters", "/example/anyOf/1")):
            assert "additionalProperties" in part, path


@pytest.mark.parametrize("kind", kinds())
def test_everything_has_words(kind: str) -> None:
    for name in (kind, "common"):
        for path, part, _ in parts(schema_of(name)):
            assert schema_words.expected(part, kind), path
            assert len(schema_words.example(part)) <= 80


def test_effects_are_those_of_the_model() -> None:
    properties = schema_of("tools")["definitions"]["effect"]["properties"]
    own = schema_of("programs")["definitions"]["effect"]["properties"]
    fields = {
        kind: [name for name in record.fields if name not in ("certain", "through")]
        for kind, record in EFFECT_KINDS.items()
        if kind != "opaque"
    }
    assert properties.keys() == {*fields, "shell", "code", "patch", "paths", "when"}
    own_words = ("sent", "proves")
    for kind, names in fields.items():
        assert list(properties[kind]["properties"]) == names
        # What runs SQL is a kind of the programs' own, and `sent` and `proves` fields of theirs.
        if kind in own and kind != "sql":
            assert [name for name in own[kind]["properties"] if name not in own_words] == names
    alternatives = schema_of("tools")["definitions"]["effect"]["oneOf"]
    assert {a["required"][0] for a in alternatives} == properties.keys() - {"when"}


# --- the fast check ----------------------------------------------------------------------------


@cache
def files() -> list[tuple[str, Any]]:
    """A file of every kind, with an example for every key of it."""
    return [
        (kind, {key: p["examples"][0] for key, p in schema_of(kind)["properties"].items()})
        for kind in kinds()
    ]


def test_whole_examples_of_every_kind_are_surely_valid() -> None:
    for kind, data in files():
        assert surely_valid(kind)(data), (kind, find(kind, data))


junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 1)
    | st.floats(allow_nan=False)
    | st.text("a.", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(data: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    entries = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, item in entries:
        yield from places(item, (*path, key))


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Any]:
    """A valid file's data with some values replaced, removed, added or copied elsewhere."""
    kind, data = draw(st.sampled_from(files()))
    data = copy.deepcopy(data)
    for _ in range(draw(st.integers(0, 3))):
        *path, last = draw(st.sampled_from(list(places(data))[1:] or [("kind",)]))
        holder = data
        for step in path:
            holder = holder[step]
        action = draw(st.sampled_from(["replace", "remove", "add", "copy"]))
        if action == "replace":
            holder[last] = draw(junk)
        elif action == "remove" and len(data) > 1:
            del holder[last]
        elif action == "add" and isinstance(holder, dict):
            holder[
                draw(st.sampled_from(["rules", "consult", "decide", "x", "answers", "call"]))
            ] = draw(junk)
        elif action == "copy" and isinstance(holder, list):
            holder.append(holder[last])
    return kind, data


@settings(max_examples=250, deadline=None)
@given(mutated())
def test_surely_valid_is_never_wrong(case: tuple[str, Any]) -> None:
    kind, data = case
    sure, errors = surely_valid(kind)(data), find(kind, data)
    if sure:
        assert errors == []
    elif not errors:  # it may be unsure, but only about numbers written as 1.0
        assert any(isinstance(item, float) for item in leaves(data))


def leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, dict | list):
        for item in data.values() if isinstance(data, dict) else data:
            yield from leaves(item)
    else:
        yield data


@pytest.mark.parametrize(
    "schema",
    [{"if": {}}, {"format": "uri"}, {"not": {}}, {"oneOf": [{"type": "string"}]}, {"maxItems": 1}],
)
def test_a_keyword_that_the_fast_check_does_not_know_is_an_error(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no check for the keyword"):
        compile_check({"x": schema}, "x")


SMALL: list[dict[str, Any]] = [
    {},
    *({"type": t} for t in ("string", "boolean", "integer", "number", "array", "object", "null")),
    {"type": ["string", "boolean"], "minLength": 1},
    {"minLength": 2},
    {"pattern": "^a+$"},
    {"enum": ["a", None]},
    {"const": "aa"},
    {"items": {"type": "string"}, "minItems": 1},
    {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
    {"required": ["a"]},
    {"properties": {"a": {"type": "string"}}, "additionalProperties": False},
    {"properties": {"a": {}}, "additionalProperties": {"type": "null"}},
    {"propertyNames": {"pattern": "^a"}, "minProperties": 1},
    {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {"anyOf": [{"const": "a"}, {"type": "array", "items": {"$ref": "x"}}]},
    {"dependencies": {"a": ["b"]}},
    {"dependencies": {"a": {"not": {"required": ["a", "b"]}}, "b": {"required": ["a"]}}},
    {"$ref": "#/definitions/a", "type": "null", "definitions": {"a": {"type": "string"}}},
]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 1.5, "", "a", "aa", "b"),
    *([], ["a"], ["a", "a"], ["a", "b"], [None], [["a"], "a"], [[1]]),
    *({}, {"a": "a"}, {"a": None}, {"b": None}, {"a": 1, "b": "a"}, {"ab": None}, {"b": {}}),
]


@pytest.mark.parametrize("schema", SMALL, ids=repr)
def test_the_fast_check_agrees_with_jsonschema(schema: dict[str, Any]) -> None:
    check = compile_check({"x": schema}, "x")
    slow = Draft7Validator({"$id": "x", **schema})
    assert [check(value) for value in VALUES] == [slow.is_valid(value) for value in VALUES]


def test_kinds_of_programs_are_those_of_their_reader() -> None:
    own = schema_of("programs")["definitions"]["effect"]["properties"]
    for kind, names in META.items():
        assert set(own[kind]["properties"]) == set(names), kind
    assert own.keys() <= {*META, *EFFECT_KINDS, "when", "unless"}
    alternatives = schema_of("programs")["definitions"]["effect"]["oneOf"]
    assert {a["required"][0] for a in alternatives} == own.keys() - {"when", "unless"}
