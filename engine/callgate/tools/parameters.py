"""A tool's JSON Schema, made ready once: what it refuses is told in words, with the place.

Schemas may come from servers that nobody here wrote. So nothing is fetched for them, and their
patterns are RE2: no text makes matching slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import orjson

from callgate.gate.frozen_call import CallRefusedError, copied
from callgate.runtime.masking import escape
from callgate.tools.expansion import check_expansion, counting, target_of
from callgate.tools.parameter_words import place_of, words_of
from callgate.tools.patterns import SchemaRefusedError, bounded, compiled

__all__ = ["MAX_PARAMS", "Parameters", "SchemaRefusedError", "plain_json"]

MAX_PARAMS: Final = 4_194_304
"""Parameters whose JSON is longer than this many bytes are refused."""

_MOST_ERRORS: Final = 5
# Their contents are values, or descriptions, and no schemas.
_NO_SCHEMAS: Final = frozenset({"const", "enum", "default", "examples", "example"})
_STRICT: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


def plain_json(params: Any) -> tuple[dict[str, Any], bytes]:
    """A copy of parameters as JSON has them, and their canonical form (sorted keys, no white
    space). Raises ValueError for what is no JSON object, or is too large."""
    if not isinstance(params, dict):
        raise ValueError(f"the parameters are an object, not {type(params).__name__}")
    try:
        # Short lists of lists that are the same one may have an endless JSON.
        copied(params)
        text = orjson.dumps(params, option=_STRICT)
        if len(text) > MAX_PARAMS:
            raise ValueError(f"the parameters are longer than {MAX_PARAMS} bytes")
        plain: dict[str, Any] = orjson.loads(text)
        # NaN, tuples and the like are written as something else than they are.
        if plain != params:
            raise ValueError("the parameters are not JSON")
        return plain, orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    except CallRefusedError as error:
        how = "not JSON" if error.code == "R003" else "too long, or nested too deeply"
        raise ValueError(f"the parameters are {how}") from None
    except (TypeError, RecursionError) as error:
        raise ValueError("the parameters are not JSON") from error


class Parameters:
    """The parameters of one tool. `schema` is a copy of what was given; an empty one is any object.
    Raises SchemaRefusedError for a schema that is invalid, is not one of an object, refers to
    something outside itself, comes to too much, or has a pattern that RE2 can't match."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = _copy(schema)
        kind = self.schema.setdefault("type", "object")
        if kind != "object":
            raise SchemaRefusedError(f"its type is `object`, not {kind!r}")
        self.schema.setdefault("properties", {})
        self._validator = _validator(self.schema)

    def problems(self, params: dict[str, Any]) -> list[str]:
        """What is wrong with parameters (a dict of JSON values), the first few; empty if they fit.
        Never raises."""
        found = []
        try:
            with counting():
                for error in self._validator.iter_errors(params):
                    found.append((place_of(error.absolute_path), words_of(_inmost(error))))
                    if len(found) == _MOST_ERRORS:
                        break
        except Exception as error:
            # Such as a schema that refers to itself without end, or what would take too long: what
            # can't be checked is refused.
            return [f"the parameters could not be checked ({type(error).__name__})"]
        return [text for _, text in sorted(found)]


def _copy(schema: Any) -> dict[str, Any]:
    try:
        copied = orjson.loads(orjson.dumps(schema))
    except (TypeError, ValueError, RecursionError):
        copied = None
    if not isinstance(copied, dict):
        raise SchemaRefusedError("it is no JSON object")
    return copied


def _validator(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry

    draft = validator_for(schema, default=Draft202012Validator)
    for path, part in _parts(schema, ()):
        _check_part(schema, path, part)
    check_expansion(schema)
    try:
        draft.check_schema(schema)
    except SchemaError as error:
        where = place_of(error.absolute_path)
        message = escape(error.message)[:200]
        raise SchemaRefusedError(f"`{where}`: {message}" if where else message) from None
    except RecursionError:
        raise SchemaRefusedError("it is nested too deeply") from None
    # A registry without a way to retrieve anything: there is nothing but the schema itself.
    empty: Any = Registry()
    # Where a part names its draft, that one's own validator would go on, with its slow patterns.
    unnamed = _copy(schema)
    for _, part in _parts(unnamed, ()):
        if isinstance(part.get("$schema"), str):
            del part["$schema"]
    return bounded(draft)(unnamed, registry=empty, format_checker=_formats())


def _parts(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Every object in a schema that may be a schema, with its place."""
    todo = [(path, value)]
    while todo:
        where, item = todo.pop()
        if isinstance(item, dict):
            yield where, item
            todo += [((*where, k), v) for k, v in item.items() if k not in _NO_SCHEMAS]
        elif isinstance(item, list):
            todo += [((*where, number), part) for number, part in enumerate(item)]


def _check_part(schema: dict[str, Any], path: tuple[Any, ...], part: dict[str, Any]) -> None:
    named = bool(path) and path[-1] in ("properties", "$defs", "definitions", "patternProperties")
    if not named:
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = part.get(keyword)
            if isinstance(target, str) and not _leads_somewhere(schema, target):
                where = place_of([*path, keyword])
                raise SchemaRefusedError(
                    f"`{where}` leads to `{escape(target)[:80]}`: only `#` and `#/…` within the"
                    " schema can be followed"
                )
        if path and isinstance(part.get("$id"), str):
            raise SchemaRefusedError(f"`{place_of([*path, '$id'])}`: only the whole has an `$id`")
        patterns = part.get("patternProperties")
        if isinstance(patterns, dict):
            if "unevaluatedProperties" in part:
                where = place_of([*path, "unevaluatedProperties"])
                raise SchemaRefusedError(f"`{where}` can't stand beside `patternProperties`")
            for text in patterns:
                compiled(text)
        if isinstance(part.get("pattern"), str):
            compiled(part["pattern"])


def _leads_somewhere(schema: Any, target: str) -> bool:
    return target_of(schema, target, None) is not None


def _inmost(error: Any) -> Any:
    """Of what fits none of several forms, the mistake in the form that it is nearest to."""
    from jsonschema.exceptions import best_match

    return best_match([error]) if error.context else error


@cache
def _formats() -> Any:
    from callgate.tools.formats import checker

    return checker()
