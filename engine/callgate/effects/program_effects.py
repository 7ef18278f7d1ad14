"""Reads effects, values and conditions in an entry of `kind: programs`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from callgate.effects.program_spec import Condition, EffectSpec, Program, Reference, Takes, Value
from callgate.effects.reference_reader import (
    ProgramError,
    read_condition,
    read_reference,
    suggestion,
)
from callgate.model.effect import EFFECT_KINDS
from callgate.model.types import BOOL

__all__ = ["META", "SECRET", "EffectReader", "options_in"]

SECRET: Final = "secret"
"""The kind that says which words are secrets: no effect, and it holds where the program is idle."""

META: Final[Mapping[str, tuple[str, ...]]] = {
    "code": ("language", "text", "file", "stdin", "remote", "apart", "plain"),
    "shell": ("text", "stdin", "apart"),
    "command": ("words", "more", "replace", "with", "remote", "joined", "each"),
    "endpoint": ("place", "as", "scheme", "names", "tree", "local", "runs", "sent"),
    "folder": ("path",),
    "link": ("path", "target"),
    "output": ("path",),
    "secret": ("text",),
    "send": ("text", "named"),
    "variable": ("name", "keeps", "sets", "fixed", "reads", "gone", "evaluates"),
    "alias": ("name", "text"),
    "sql": ("text", "file", "stdin", "dialect", "statement", "tables", "has_where"),
}
"""The kinds that entries of programs have besides those of the language, with their fields."""

_FLAGS: Final = frozenset(
    {
        "fixed",
        "apart",
        "evaluates",
        "gone",
        "has_where",
        "joined",
        "keeps",
        "local",
        "more",
        "names",
        "plain",
        "proves",
        "reads",
        "remote",
        "sent",
        "sets",
        "stdin",
        "tree",
    }
)
_SENT: Final = "sent"
_PROVES: Final = "proves"
_FIELDS: Final = {
    **{
        kind: tuple(name for name in record.fields if name not in ("certain", "through"))
        for kind, record in EFFECT_KINDS.items()
    },
    **META,
}
"""The fields of each kind. The first of them that an effect has is what it is about, in whatever
order a file names them."""
_FIELDS["read"] = (*_FIELDS["read"], _SENT, _PROVES)


class EffectReader:
    """Reads what stands in a program's entry. `meanings`: its options, those of the programs around
    it too; `wrong` collects mistakes in effects."""

    def __init__(self, program: Program, meanings: Collection[str]) -> None:
        self.program = program
        self.meanings = meanings
        self.wrong: list[ProgramError] = []

    def effects(
        self, items: Iterable[Mapping[str, Any]], key: str = "effects"
    ) -> tuple[EffectSpec, ...]:
        """The effects that stand at a key of the entry, without those that are wrong."""
        effects = []
        for index, item in enumerate(items):
            try:
                effects.append(self._effect(item, (key, str(index))))
            except ProgramError as error:
                self.wrong.append(error)
        return tuple(effects)

    def _effect(self, item: Mapping[str, Any], path: tuple[str, ...]) -> EffectSpec:
        kinds = [key for key in item if key not in ("when", "unless")]
        if len(kinds) != 1:
            raise ProgramError(path, "an effect has exactly one kind")
        kind = kinds[0]
        known = _FIELDS.get(kind)
        if known is None:
            raise ProgramError(
                (*path, kind), f"`{kind}` is no kind of effect", suggestion(kind, _FIELDS)
            )
        fields = {}
        for name, value in (item[kind] or {}).items():
            if name not in known:
                raise ProgramError(
                    (*path, kind, name),
                    f"`{name}` is no field of `{kind}`",
                    suggestion(name, known),
                )
            fields[name] = self.value(value, (*path, kind, name))
            if not _is_flag(kind, name):
                self._check_valued(fields[name], (*path, kind, name))
        fields = {name: fields[name] for name in known if name in fields}
        sent = fields.pop(_SENT, False) is True
        proves = fields.pop(_PROVES, False) is True
        flags = (name for name in fields if kind not in META and _is_flag(kind, name))
        place = fields.get("path")
        joined = place[0] if isinstance(place, tuple) and place[0].kind == "inside" else None
        when = self.condition(item.get("when", ()), (*path, "when"))
        about, main = next(iter(fields.items()), ("", True))
        stated = not isinstance(main, bool) and all(r.kind == "constant" for r in main)
        constant = stated and kind not in META and EFFECT_KINDS[kind].fields[about].unknown
        return EffectSpec(
            kind,
            fields,
            when,
            self.condition(item.get("unless", ()), (*path, "unless")),
            frozenset(flags),
            _only_options(when) or (frozenset() if isinstance(main, bool) else _only_options(main)),
            joined is not None and joined.other is not None and joined.other.kind == "operand",
            sent,
            about if constant else "",
            proves,
        )

    def _check_valued(self, value: Value, path: tuple[str, ...]) -> None:
        """Report an option that never has a value, where one is wanted."""
        program = self.program
        options = (*program.words.values(), *program.letters.values(), *program.prefixes.values())
        for name in () if isinstance(value, bool) else options_in(value):
            written = [option for option in options if option.meaning == name]
            if written and all(option.takes is Takes.NOTHING for option in written):
                message = f"the option `{name}` has no value: it is written `{written[0].names[0]}`"
                help = f"write it with its value: `{written[0].names[0]} VALUE`"
                raise ProgramError(path, message, help)

    def condition(self, written: str | Iterable[str], path: tuple[str, ...]) -> Condition:
        """The conditions of which one must hold. Raises ProgramError."""
        items = [written] if isinstance(written, str) else list(written)
        operands = [operand.name for operand in self.program.operands]
        return tuple(read_condition(item, path, self.meanings, operands) for item in items)

    def value(self, written: Any, path: tuple[str, ...]) -> Value:
        """A constant of a true-or-false field, or alternatives. Raises ProgramError."""
        if isinstance(written, bool):
            return written
        operands = [operand.name for operand in self.program.operands]
        return tuple(
            read_reference(item, path, self.meanings, operands)
            for item in str(written).split(" or ")
        )


def _is_flag(kind: str, field: str) -> bool:
    """Whether a field says that something is so, and an option in it, whether it is there."""
    if kind in META or field in (_SENT, _PROVES):
        return field in _FLAGS
    return EFFECT_KINDS[kind].fields[field].type == BOOL


def options_in(references: Iterable[Reference]) -> Iterator[str]:
    """The options that some references are made of."""
    for item in references:
        if item.kind == "option":
            yield item.name
        yield from options_in(item.parts if item.other is None else (*item.parts, item.other))


def _only_options(references: tuple[Reference, ...]) -> frozenset[str]:
    """The options among references, when there is nothing else."""
    options = [item.other or item for item in references]
    if any(item.kind != "option" for item in options):
        return frozenset()
    return frozenset(item.name for item in options)
