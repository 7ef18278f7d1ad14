"""A small policy with a shell, for tests of what is shown of effects."""

from __future__ import annotations

import io
from functools import cache
from typing import Any, Final

from callgate.analysis.effect_explain import explain_effects
from callgate.analysis.effect_view import EffectsView, TreeNode
from callgate.cli.effect_story import effects_story
from callgate.cli.paint import Painter
from callgate.compiler.build import compile_policy
from callgate.effects import Extractor
from callgate.model.catalogue import Tool, ToolEffect
from callgate.model.condition import Condition
from callgate.model.expr import And, Apply, Const, Expr, Fact, Get, Quant, Var
from callgate.model.policy import Guard, GuardDecision, Step
from callgate.model.template import Template
from callgate.runtime.interpreter import Program
from tests.small import policy, rule

__all__ = ["CONTEXT", "commands", "program", "story", "view"]

CONTEXT: Final = {"cwd": "/srv/app", "workspace": "/srv/app", "home": "/home/u"}

_PROGRAMS: Final[dict[str, Any]] = {
    "cd": {"operands": "FOLDER", "effects": [{"folder": {"path": "FOLDER or ~"}}]},
    "rm": {
        "options": {"recursive": ["-r", "-R"], "force": "-f"},
        "operands": "FILE...",
        "effects": [{"delete": {"path": "FILE", "recursive": "option recursive"}}],
    },
    "sudo": {
        "operands": "COMMAND...",
        "ends": "COMMAND",
        "effects": [{"privilege": {"user": "root"}}, {"command": {"words": "COMMAND"}}],
    },
    "sh": {
        "also": ["bash"],
        "options": {"command": "-c"},
        "operands": "SCRIPT ARGUMENT...",
        "ends": "SCRIPT",
        "effects": [
            {"code": {"language": "shell", "text": "SCRIPT"}, "when": "option command"},
            {"code": {"language": "shell", "file": "SCRIPT"}, "unless": "option command"},
            {
                "code": {"language": "shell", "stdin": True},
                "unless": ["option command", "SCRIPT"],
            },
        ],
    },
    "echo": {"operands": "WORD...", "ends": "WORD"},
    "cat": {"operands": "FILE...", "effects": [{"read": {"path": "FILE"}}]},
    "curl": {"operands": "URL...", "effects": [{"connect": {"url": "URL", "scheme": "http"}}]},
}


def _guard(id_: str, decide: str, each: str, when: Expr, **more: Any) -> Guard:
    reason = Template((f"because of {id_}",))
    condition = Condition(id_, when)
    return Guard(
        id_, f"Guard {id_}", GuardDecision(decide), condition, ("e", each), reason=reason, **more
    )


def _is(field: str, value: Any) -> Expr:
    return Apply("eq", (Get(Var("e"), field), Const(value)))


_GUARDS: Final = (
    _guard("system", "deny", "delete", And((Get(Var("e"), "recursive"), _is("path", "/etc")))),
    _guard("recursive", "ask", "delete", Get(Var("e"), "recursive")),
    _guard("download", "ask", "interpret", _is("source", "download")),
    _guard("change", "ask", "changes", _is("path", "/srv/app/key")),
    _guard("rights", "note", "privilege", _is("user", "root")),
    _guard("tried", "deny", "read", _is("path", "/srv/app/notes"), shadow=True),
    Guard(
        "call",
        "Guard call",
        GuardDecision("ask"),
        Condition("call", Quant("any", "c", Fact("effects.connect"), Const(True))),
        reason=Template(("it connects",)),
    ),
)


@cache
def program() -> Program:
    """The policy, ready to run: guards on a few effects, tools `exec`, `save` and `code`."""
    shell = ToolEffect("shell", {"text": ("arg", "command", None)})
    write = ToolEffect("write", {"path": ("arg", "path", None)})
    code = ToolEffect(
        "code", {"text": ("arg", "code", None), "language": ("arg", "language", "python")}
    )
    tools = {
        "exec": Tool("exec", effects=(shell,)),
        "save": Tool("save", effects=(write,)),
        "code": Tool("code", effects=(code,)),
        "idle": Tool("idle"),
    }
    step = Step("guards", "Guards", guards=True)
    source = policy(rule("all", None, "allow"), guards=_GUARDS, steps=(step,), tools=tools)
    graph, sources = compile_policy(source, {})
    return Program(graph, sources, "test", extractor=Extractor(_PROGRAMS))


def view(command: str, tool: str = "exec", **args: Any) -> EffectsView:
    """What a command of the tool `exec`, or a call of another tool, would do."""
    given = {"command": command} if tool == "exec" else args
    return explain_effects(program().decide({"tool": tool, "args": given, "context": CONTEXT}))


def story(command: str, width: int = 100) -> str:
    """The same as text."""
    stream = io.StringIO()
    Painter(stream).write(effects_story(view(command), width))
    return stream.getvalue()


def commands(node: TreeNode, depth: int = 0) -> list[str]:
    """The nodes of a tree in lines: operator, lead, text, what it is run by; indented."""
    told = " ".join(filter(None, (node.operator, node.lead, node.text or node.kind)))
    via = f" <{node.via}>" if node.via else ""
    lines = ["  " * depth + told + via]
    for child in node.children:
        lines += commands(child, depth + 1)
    return lines
