"""Keywords of JSON Schema that a hostile text could make slow, in linear time: patterns are RE2,
and equal items are found by their JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import orjson

from callgate.runtime.masking import escape
from callgate.tools.expansion import SchemaRefusedError, counted

__all__ = ["SchemaRefusedError", "bounded", "compiled"]


@cache
def compiled(pattern: str) -> Any:
    """A pattern as RE2. Raises SchemaRefusedError."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        shown = escape(pattern)[:80]
        reason = error.args[0] if error.args else ""
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise SchemaRefusedError(f"the pattern `{shown}` is not RE2: {escape(said)}") from None


@cache
def bounded(draft: Any) -> Any:
    """A draft's validator with these keywords, all of which count: see `expansion`."""
    from jsonschema import validators

    extend: Any = validators.extend
    keywords = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }
    every = {**draft.VALIDATORS, **keywords}
    return extend(draft, {name: counted(name, keyword) for name, keyword in every.items()})


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and not compiled(pattern).search(value):
        yield ValidationError("")


def _pattern_properties(
    validator: Any, patterns: dict[str, Any], value: Any, _schema: Any
) -> Iterator[Any]:
    if isinstance(value, dict):
        for pattern, below in patterns.items():
            for name in value:
                if compiled(pattern).search(name):
                    yield from validator.descend(value[name], below, path=name, schema_path=pattern)


def _additional_properties(validator: Any, below: Any, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    patterns = [compiled(pattern) for pattern in schema.get("patternProperties", {})]
    for name in value:
        if name in known or any(pattern.search(name) for pattern in patterns):
            continue
        if below is False:
            yield ValidationError("")
            return
        yield from validator.descend(value[name], below, path=name)


def _unique_items(_validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if wanted and isinstance(value, list):
        seen = {orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in value}
        if len(seen) < len(value):
            yield ValidationError("")
