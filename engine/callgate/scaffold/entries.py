"""A new rule, tool or program, as what is added to a bundle's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from callgate.scaffold.adding import Addition

__all__ = ["new_program", "new_rule", "new_tool"]


def new_rule(
    id_: str,
    title: str,
    decide: str,
    each: str,
    when: str,
    reason: str,
    match: Sequence[Any],
    passes: Sequence[Any],
) -> Addition:
    """A guard. `each`: an effect kind, or `name in effects.kind`; `when`: a condition, or "";
    `match`, `passes`: calls as examples, none of them needed."""
    word = each.partition(" ")[0]
    binder = each if " " in each else f"{word[:1]} in effects.{word}"
    rule: dict[str, Any] = {"id": id_, "title": title, "decide": decide, "each": binder}
    if when:
        rule["when"] = when
    rule["reason"] = reason
    sides = {"match": list(match), "pass": list(passes)}
    if any(sides.values()):
        rule["examples"] = {side: calls for side, calls in sides.items() if calls}
    return Addition("guards", "rules", rule, None, f"guards/{id_.partition('.')[0]}.yaml", {})


def new_tool(
    name: str,
    description: str,
    capabilities: Sequence[str],
    parameters: Mapping[str, str],
    effects: Mapping[str, Mapping[str, str]],
) -> Addition:
    """A tool. `parameters`: name → JSON type, all required; `effects`: kind → field → argument."""
    tool: dict[str, Any] = {"description": description, "capabilities": list(capabilities)}
    schema: dict[str, Any] = {"type": "object"}
    if parameters:
        schema["properties"] = {key: {"type": type_} for key, type_ in parameters.items()}
        schema["required"] = list(parameters)
    tool["parameters"] = schema
    tool["effects"] = [{kind: dict(fields)} for kind, fields in effects.items()] or "none"
    return Addition("tools", "tools", tool, name, "tools.yaml", {})


def new_program(name: str, effects: Mapping[str, str]) -> Addition:
    """A program whose operands have these effects: kind → field, such as write → path. Without any
    it only reads what it is told to, and shows nothing."""
    program: dict[str, Any] = {"operands": "FILE..."}
    if effects:
        program["effects"] = [{kind: {field: "FILE"}} for kind, field in effects.items()]
        seen = [[{kind: word} for kind in effects] for word in ("a", "b")]
        program["examples"] = {
            "match": [
                {f"{name} a": seen[0]},
                {f"{name} -- b": seen[1]},
                {f"{name} a b": [*seen[0], *seen[1]]},
            ],
            "pass": [name, f"echo {name} a", f"# {name} a"],
        }
    return Addition("programs", "programs", program, name, f"programs/{name}.yaml", {})
