"""Parameters are checked against the tool's schema, and what is wrong is told with its place."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.tools.parameters import Parameters, plain_json
from callgate.tools.patterns import SchemaRefusedError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^/"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "mode": {"enum": ["fast", "slow", 3, None]},
        "when": {"type": "string", "format": "date-time"},
        "site": {"type": "string", "format": "uri"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True},
        "nested": {"$ref": "#/$defs/node"},
        "either": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
            "required": ["name"],
        }
    },
}


def doubling(levels: int, keyword: str = "allOf", folder: str = "$defs") -> dict[str, Any]:
    """A schema of so many levels, each of which is twice the one below."""
    parts: dict[str, Any] = {"a0": {"type": "string"}}
    for level in range(1, levels + 1):
        parts[f"a{level}"] = {keyword: [{"$ref": f"#/{folder}/a{level - 1}"}] * 2}
    return {"properties": {"q": {"$ref": f"#/{folder}/a{levels}"}}, folder: parts}


@pytest.mark.parametrize(
    ("params", "problems"),
    [
        ({"path": "/a"}, []),
        ({}, ["`path` is missing"]),
        ({"path": 1}, ["`path` must be a string, not an integer"]),
        ({"path": None}, ["`path` must be a string, not null"]),
        ({"path": "a"}, ["`path` does not match the pattern `^/`"]),
        ({"path": "/abcdef"}, ["`path` has more than 5 characters"]),
        ({"path": "/", "count": True}, ["`count` must be an integer, not true or false"]),
        ({"path": "/", "count": 10}, ["`count` is more than 9"]),
        ({"path": "/", "mode": "fats"}, ["`mode` must be one of `fast`, `slow`, 3, null"]),
        ({"path": "/", "when": "today"}, ["`when` is not in the format `date-time`"]),
        (
            {"path": "/", "when": "2026-13-01T00:00:00Z"},
            ["`when` is not in the format `date-time`"],
        ),
        ({"path": "/", "when": "2026-12-01T00:00:00.5Z"}, []),
        ({"path": "/", "site": "example.org"}, ["`site` is not in the format `uri`"]),
        ({"path": "/", "tags": ["a", 2]}, ["`tags[1]` must be a string, not an integer"]),
        ({"path": "/", "tags": ["a", "a"]}, ["`tags` holds an item twice"]),
        (
            {"path": "/", "nested": {"name": "a", "next": {"name": 1}}},
            ["`nested.next.name` must be a string, not an integer"],
        ),
        ({"path": "/", "nested": {"name": "a", "next": {}}}, ["`nested.next.name` is missing"]),
        (
            {"path": "/", "conut": 1},
            ["`conut` is no parameter of this tool; did you mean `count`?"],
        ),
        ({"path": "/", "either": {}}, ["`either.a` is missing"]),
        ({"path": "/", "a\u202eb": 1}, ["`a\\u202eb` is no parameter of this tool"]),
    ],
)
def test_problems_are_told_with_their_place(params: dict[str, Any], problems: list[str]) -> None:
    assert Parameters(SCHEMA).problems(params) == problems


def test_values_are_not_repeated() -> None:
    secret = {"path": "sk-secret-1", "count": "sk-secret-2", "mode": "sk-secret-3", "either": 4}
    told = "; ".join(Parameters(SCHEMA).problems(secret))
    assert "secret" not in told and told.count("`") >= 8


def test_only_the_first_few_are_told() -> None:
    many = Parameters({"additionalProperties": {"type": "string"}})
    assert len(many.problems({str(number): number for number in range(100)})) == 5


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt"}, "its type is `object`"),
        ({"type": "array"}, "its type is `object`"),
        ([], "no JSON object"),
        ({"default": {1, 2}}, "no JSON object"),
        ({"properties": {"a": {"type": "strin"}}}, "properties.a.type"),
        ({"properties": {"a": {"minLength": -1}}}, "properties.a.minLength"),
        ({"properties": []}, "properties"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}, "only `#`"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "only `#`"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "only `#`"),
        ({"properties": {"a": {"$dynamicRef": "#x"}}}, "only `#`"),
        ({"properties": {"a": {"$id": "http://x/", "type": "string"}}}, "only the whole"),
        ({"properties": {"a": {"pattern": "(?=a)"}}}, "not RE2"),
        ({"properties": {"a": {"pattern": "("}}}, ""),
        ({"patternProperties": {"(?=a)": {}}}, "not RE2"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "can't stand beside"),
        (doubling(18), "more than 10000 parts"),
        (doubling(5_000), ""),
        (doubling(18, "oneOf", "definitions"), "more than 10000 parts"),
    ],
)
def test_schemas_that_cannot_be_used(schema: Any, message: str) -> None:
    with pytest.raises(SchemaRefusedError) as found:
        Parameters(schema)
    assert message in str(found.value)


def test_what_only_looks_like_a_reference_is_none() -> None:
    schema = {
        "properties": {"$ref": {"type": "string"}, "$id": {"const": {"$ref": "http://x/"}}},
        "default": {"$ref": "http://x/"},
    }
    assert Parameters(schema).problems({"$ref": "x"}) == []


def test_an_empty_schema_is_any_object() -> None:
    made = Parameters({})
    assert made.problems({"anything": [1]}) == []
    assert made.schema == {"type": "object", "properties": {}}


def test_the_schema_is_a_copy() -> None:
    given: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    made = Parameters(given)
    given["properties"]["a"]["type"] = "integer"
    assert made.problems({"a": "x"}) == []


def test_a_schema_without_end_refuses() -> None:
    made = Parameters(
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}
    )
    (problem,) = made.problems({"a": 1})
    assert "could not be checked" in problem


def test_patterns_match_in_linear_time() -> None:
    slow = Parameters({"properties": {"a": {"pattern": "^(a+)+$"}}})
    assert slow.problems({"a": "a" * 50_000 + "b"})
    names = Parameters(
        {"patternProperties": {"^(x+)+$": {"type": "integer"}}, "additionalProperties": False}
    )
    assert names.problems({"x" * 50_000 + "y": 1})
    assert names.problems({"xx": 1}) == []
    assert names.problems({"xx": "1"}) == ["`xx` must be an integer, not a string"]


def test_equal_items_are_found_in_linear_time() -> None:
    unique = Parameters({"properties": {"a": {"uniqueItems": True}}})
    mixed: list[Any] = [item for number in range(50_000) for item in (number, [str(number)])]
    assert unique.problems({"a": mixed}) == []
    assert unique.problems({"a": [*mixed, {"b": 1, "a": 2}, {"a": 2, "b": 1}]})


@pytest.mark.parametrize("draft", ["http://json-schema.org/draft-07/schema#", "urn:unknown"])
def test_other_drafts(draft: str) -> None:
    made = Parameters({"$schema": draft, "properties": {"a": {"type": "string"}}})
    assert made.problems({"a": 1}) == ["`a` must be a string, not an integer"]


def test_parts_that_are_used_often_may_be_used() -> None:
    assert Parameters(doubling(10)).problems({"q": "x"}) == []
    assert Parameters(doubling(10)).problems({"q": 1})
    many = {str(number): {"$ref": "#/$defs/text"} for number in range(1000)}
    texts = Parameters({"properties": many, "$defs": {"text": {"type": "string"}}})
    assert texts.problems({"7": "x"}) == [] and texts.problems({"7": 7})


@pytest.mark.parametrize("reference", ["$ref", "$dynamicRef", "$recursiveRef"])
def test_a_schema_that_doubles_as_deep_as_the_parameters_go_refuses(reference: str) -> None:
    again = [{reference: "#"}] * 2
    schema: dict[str, Any] = {"properties": {"below": {"allOf": again}}}
    if reference == "$recursiveRef":
        schema["$schema"] = "https://json-schema.org/draft/2019-09/schema"
    made = Parameters(schema)
    flat: Any = {}
    for _ in range(4):
        flat = {"below": flat}
    assert made.problems(flat) == []
    deep = flat
    for _ in range(40):
        deep = {"below": deep}
    (problem,) = made.problems(deep)
    assert "could not be checked" in problem
    # Each check counts anew.
    assert made.problems(flat) == []


def test_a_part_that_names_its_draft_is_checked_no_other_way() -> None:
    draft = "https://json-schema.org/draft/2020-12/schema"
    for schema in (
        {"$schema": draft, "properties": {"a": {"pattern": "^x$"}, "b": {"$ref": "#"}}},
        {"properties": {"b": {"$schema": draft, "properties": {"a": {"pattern": "^x$"}}}}},
    ):
        # In RE2 `$` is the end; in Python's expressions it may stand before a line break.
        assert Parameters(schema).problems({"b": {"a": "x\n"}})
        assert Parameters(schema).schema == {"type": "object", **schema}


def test_many_keywords_for_many_items_refuse() -> None:
    some = {"allOf": [{"type": "integer", "minimum": number} for number in range(-100, 0)]}
    made = Parameters({"properties": {"a": {"items": some}}})
    assert made.problems({"a": list(range(100))}) == []
    (problem,) = made.problems({"a": list(range(10_000))})
    assert "could not be checked" in problem


def test_plain_json_is_a_copy_with_one_form() -> None:
    given = {"b": [1], "a": {"d": 1, "c": 2}}
    plain, canonical = plain_json(given)
    assert plain == given and plain["b"] is not given["b"]
    assert canonical == b'{"a":{"c":2,"d":1},"b":[1]}'


@pytest.mark.parametrize(
    "params",
    [
        {"a": float("inf")},
        {"a": (1,)},
        {"a": {1}},
        {"a": "\ud800"},
        {1: 2},
        {"a": 1 << 70},
        None,
        [],
    ],
)
def test_what_is_not_json(params: Any) -> None:
    with pytest.raises(ValueError, match="parameters are"):
        plain_json(params)


def test_what_is_too_deep_or_too_long() -> None:
    deep: Any = []
    for _ in range(2000):
        deep = [deep]
    twice: Any = []
    for _ in range(60):
        twice = [twice, twice]
    for params in ({"a": deep}, {"a": "x" * 5_000_000}, {"a": twice}):
        with pytest.raises(ValueError, match="parameters are"):
            plain_json(params)
