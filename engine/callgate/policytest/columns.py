"""The columns of tables, and the paths of matrices: what a value is laid over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from callgate.model.call import CALL_KEYS
from callgate.model.suggest import closest
from callgate.policytest.case import EXPECTED

__all__ = ["apart", "laid", "merged", "mistake"]

_SECTIONS: Final = sorted(CALL_KEYS - {"id", "tool"})


def mistake(column: str, others: Iterable[str]) -> str | None:
    """What helps with a column that is no path into a call or `settings`, and none of `others`;
    None for one that can be used."""
    root, _, rest = column.partition(".")
    if column in CALL_KEYS or column in others or (root in _SECTIONS and all(rest.split("."))):
        return None
    end = f".{rest}" if rest else ""
    near = closest(root, _SECTIONS) if rest else closest(column, (*others, *CALL_KEYS))
    if near and near + end != column:
        return f"did you mean `{near}{end}`?"
    part = "a part of a decision, " if set(EXPECTED) <= set(others) else ""
    return f"{part}a path into the call such as `args.path`, or `settings.KEY`"


def laid(call: dict[str, Any], settings: dict[str, Any], column: str, value: Any) -> dict[str, Any]:
    """Put a value where a column says, in a call or in settings; gives the settings. Null leaves
    what is there in a call."""
    if column == "settings":
        return merged(settings, value or {})
    if column.startswith("settings."):
        _put(settings, column.split(".")[1:], value)
    elif value is not None:
        _put(call, column.split("."), value)
    return settings


def apart(call: Mapping[str, Any], settings: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call without its own settings, and those laid over the case's."""
    rest = {key: value for key, value in call.items() if key != "settings"}
    return rest, merged(settings or {}, call.get("settings") or {})


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping laid over another: mappings merge, and everything else replaces."""
    found = dict(base)
    for key, value in over.items():
        below = found.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        found[key] = merged(below, value) if both else value  # type: ignore[arg-type]
    return found


def _put(target: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    """Set a value below nested mappings, which are made where they are missing."""
    for key in keys[:-1]:
        inner = target.get(key)
        target[key] = dict(inner) if isinstance(inner, Mapping) else {}
        target = target[key]
    target[keys[-1]] = value
