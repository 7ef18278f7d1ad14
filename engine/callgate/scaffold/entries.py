"""A new rule, tool or program, as what is added to a bundle's files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callgate.runtime.masking import escape
from callgate.scaffold.layout import Addition

__all__ = ["new_program", "new_rule", "new_tool"]

_PROGRAM: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*")


def new_rule(
    id_: str,
    title: str,
    decide: str,
    each: str,
    when: str,
    reason: str,
    match: Sequence[Any],
    passes: Sequence[Any],
    severity: str = "",
) -> Addition:
    """A guard. `each`: an effect kind, or `name in effects.kind`; `when`: a condition, or "";
    `match`, `passes`: calls as examples, none of them needed; `severity`: its word, or ""."""
    binder = each if " " in each else f"{each[:1]} in effects.{each}"
    rule: dict[str, Any] = {"id": id_, "title": title}
    if severity:
        rule["severity"] = severity
    rule |= {"decide": decide, "each": binder}
    if when:
        rule["when"] = when
    rule["reason"] = reason
    sides = {"match": list(match), "pass": list(passes)}
    if any(sides.values()):
        rule["examples"] = {side: calls for side, calls in sides.items() if calls}
    return Addition("guards", "rules", rule, None, f"guards/{id_.partition('.')[0]}.yaml")


def new_tool(
    name: str,
    description: str,
    capabilities: Sequence[str],
    parameters: Mapping[str, str],
    effects: Mapping[str, Mapping[str, str]],
) -> Addition:
    """A tool. `parameters`: name → JSON type, all required; `effects`: kind → field → argument.
    Raises ValueError when the name has spaces, or what can't be seen, in it."""
    if not name.isprintable() or not name or " " in name:
        raise ValueError(f"`{escape(name)}` can't be a tool's name: no spaces, nothing unseen")
    tool: dict[str, Any] = {"description": description, "capabilities": list(capabilities)}
    schema: dict[str, Any] = {"type": "object"}
    if parameters:
        schema["properties"] = {key: {"type": type_} for key, type_ in parameters.items()}
        schema["required"] = list(parameters)
    tool["parameters"] = schema
    tool["effects"] = [{kind: dict(fields)} for kind, fields in effects.items()] or "none"
    return Addition("tools", "tools", tool, name, "tools.yaml")


def new_program(name: str, effects: Mapping[str, str]) -> Addition:
    """A program whose operands have these effects: kind → field, such as write → path. Without any
    it only reads what it is told to, and shows nothing. Raises ValueError when the name can't be
    one."""
    if not _PROGRAM.fullmatch(name):
        told = "letters, digits, `.`, `_`, `+` and `-`"
        raise ValueError(f"`{escape(name)}` can't be a program's name: {told}")
    program: dict[str, Any] = {"operands": "FILE..."}
    if effects:
        program["effects"] = [{kind: {field: "FILE"}} for kind, field in effects.items()]
    first, second, both = (_seen(name, effects, words) for words in ("a", "b", "ab"))
    program["examples"] = {
        "match": [{f"{name} a": first}, {f"{name} -- b": second}, {f"{name} a b": both}],
        "pass": [name, f"echo {name} a", f"# {name} a"],
    }
    return Addition("programs", "programs", program, name, f"programs/{name}.yaml")


def _seen(name: str, effects: Mapping[str, str], operands: str) -> list[dict[str, Any]]:
    """What a command with these operands does, each a letter; that it runs, if nothing else."""
    if not effects:
        return [{"run": name, "operands": list(operands)}]
    return [{kind: word} for word in operands for kind in effects]
