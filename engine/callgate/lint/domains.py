"""What facts may be: the policy's types, for reasoning about its conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from callgate.lint.logic import Logic
from callgate.model.call import CONTEXT_FIELDS, DECLARED_FIELDS
from callgate.model.policy import AskLevel, Policy
from callgate.model.types import BOOL, Enum, Type

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["domains", "logic"]


def logic(subject: Subject) -> Logic:
    """Reasoning about the conditions of a subject's policy (for `Subject.once`)."""
    return Logic(domains(subject.policy))


def domains(policy: Policy) -> Mapping[str, Sequence[Any]]:
    """The values of every fact that has few: booleans, members of closed enums, levels of risk."""
    return dict(_domains(policy))


def _domains(policy: Policy) -> Iterator[tuple[str, Sequence[Any]]]:
    fields = {**CONTEXT_FIELDS, **policy.vocabulary.call}
    types: dict[str, Type] = {f"call.{name}": item.type for name, item in fields.items()}
    types |= {f"declared.{name}": item.type for name, item in DECLARED_FIELDS.items()}
    settings = policy.vocabulary.settings.values()
    types |= {f"settings.{item.name}": item.field.type for item in settings}
    for name, type_ in types.items():
        if type_ == BOOL:
            yield name, (True, False)
        elif isinstance(type_, Enum) and not type_.open:
            yield name, type_.members
    yield "effects.complete", (True, False)
    yield "tool.reserved", (True, False)
    yield "guards.asks", tuple(level.value for level in AskLevel)
    if policy.risk is not None:
        yield "risk", policy.risk.levels.members
