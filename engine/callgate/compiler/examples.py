"""Check that every guard fires on its matching examples and on none of the others.

Examples run under default settings, or under the `settings` that an example's call carries. A
guard is judged alone: another guard that denies first doesn't hide it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from callgate.model.diagnostic import Diagnostics
from callgate.model.policy import Example, Guard, Policy
from callgate.runtime.check import CallError
from callgate.runtime.interpreter import Program

__all__ = ["ProgramFor", "check_examples"]

ProgramFor = Callable[[Mapping[str, Any]], Program]
"""The program under default settings with these laid over them; may raise PolicyError."""


def check_examples(policy: Policy, program_for: ProgramFor, diagnostics: Diagnostics) -> None:
    """Add C008 for every example that does not behave."""
    programs: dict[str, Program] = {}
    for guard in policy.guards:
        for example in guard.examples:
            problem = _problem(guard, example, program_for, programs)
            if problem:
                message, help = problem
                diagnostics.error("C008", message, example.span or guard.span, help)


def _problem(
    guard: Guard, example: Example, program_for: ProgramFor, programs: dict[str, Program]
) -> tuple[str, str] | None:
    call = dict(example.call)
    overlay = call.pop("settings", {})
    key = repr(overlay)
    if key not in programs:
        programs[key] = program_for(overlay)
    program = programs[key]
    try:
        frame = program.checker.frame(call)
    except CallError as error:
        return f"an example of `{guard.id}` is not a call: {error.message}", "correct the example"
    program.classifier.classify(frame)
    effects = program.effects_of(frame)
    if example.fires and _silent(guard.id, program):
        return (
            f"`{guard.id}` is switched off in the settings of this example",
            "give the example's call the `settings` under which the guard works",
        )
    try:
        fired = program.guards.fires(guard.id, frame, effects)
    except Exception as error:
        return f"`{guard.id}` fails on this example: {type(error).__name__}", "report this"
    if fired == example.fires:
        return None
    kinds = ", ".join(sorted(effects.by_kind)) or "none"
    if example.fires:
        return f"`{guard.id}` does not fire on this example (its effects: {kinds})", (
            "correct the guard's condition, or move the example to `pass`"
        )
    return f"`{guard.id}` fires on this example, which it must pass (its effects: {kinds})", (
        "narrow the guard's condition, or move the example to `match`"
    )


def _silent(guard: str, program: Program) -> bool:
    return all(form["id"] != guard for form in program.guards.forms)
