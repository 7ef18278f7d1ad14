"""A recorded decision as a test case: its YAML, and a test file with it at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from callgate.load.document import Document
from callgate.load.dumping import item_text
from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics, Severity

__all__ = ["added", "case_of", "new_file"]

_CALL: Final = ("tool", "args", "declared", "context", "observed", "answers")
_HEAD: Final = "kind: tests\n\ncases:\n"
_INDENT: Final = "  "
_DASH: Final = re.compile(r"( *)- +\S")


def case_of(
    call: Mapping[str, Any], told: Mapping[str, Any], name: str, when: str
) -> dict[str, Any]:
    """The case that expects of a call what was decided. `call`: in the format of docs/formats.md;
    `told`: the decision's JSON form, of a dry run; `name`: what the case is called; `when`: it was
    decided."""
    policy = told["policy"]
    expect: dict[str, Any] = {key: told[key] for key in ("decision", "rule", "risk")}
    matched = [_matched(match) for match in told["matched"]]
    optional = {
        "approval_source": told["approval_source"],
        "pending": told["pending"] and told["pending"]["consult"],
        "error": told["error"] and told["error"]["code"],
        "matched": matched,
        "effects": [effect["kind"] for effect in told["effects"]],
    }
    expect.update({key: value for key, value in optional.items() if value})
    return {
        "name": name,
        "description": f"Recorded {when} by {policy['bundle']} {policy['version']}.",
        "call": {key: call[key] for key in _CALL if key in call},
        "expect": {key: value for key, value in expect.items() if value is not None},
    }


def _matched(match: Mapping[str, Any]) -> Any:
    """A guard by its id; what matched and decides nothing, with why not."""
    marks = {key: match[key] for key in ("enforce", "exception") if key in match}
    return {"rule": match["rule"], **marks} if marks else match["rule"]


def new_file(case: Mapping[str, Any]) -> str:
    """A test file with this case alone. Raises ValueError where YAML can't hold it."""
    text = _HEAD + item_text(case, _INDENT)
    document = _read("a test file", text.encode())
    if document.data["cases"] != [case]:
        raise ValueError("the case holds what a test file can't")
    return text


def added(case: Mapping[str, Any], file: str, data: bytes) -> str:
    """A test file with a case at its end, all else as it is. `file`: its name, for messages;
    `data`: what stands in it. Raises ValueError where it is no test file, has a case of that name,
    or is written in a way that nothing can be put at its end."""
    document = _read(file, data)
    cases = document.data["cases"]
    if any(case["name"] in (entry.get("name"), entry.get("table")) for entry in cases):
        raise ValueError(f"`{file}` has a case of that name: {case['name']}")
    text = data.decode()
    place = document.span("cases", 0)
    dash = _DASH.match(text.splitlines()[place.line - 1])
    if dash is not None:
        end = "" if text.endswith("\n") else "\n"
        longer = text + end + item_text(case, dash[1])
        try:
            if _read(file, longer.encode()).data == {**document.data, "cases": [*cases, case]}:
                return longer
        except ValueError:
            pass
    raise ValueError(f"nothing can be put at the end of `{file}`: paste the case where it belongs")


def _read(file: str, data: bytes) -> Document:
    found = Diagnostics()
    document = read_document(file, data, found)
    error = next((item for item in found if item.severity is Severity.ERROR), None)
    if error is not None:
        raise ValueError(f"`{file}` can't be read: {error.message}")
    if document is None or document.kind != "tests":
        raise ValueError(f"`{file}` is no test file")
    return document
