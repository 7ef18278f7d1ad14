"""What a reviewer is told of a call: its effects first, then the call, with no secret in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.gate.brief_text import Texts, safe_line
from callgate.gate.hiding import hides_more
from callgate.runtime.effect_form import effect_form
from callgate.runtime.masking import MASK
from callgate.runtime.render import View

if TYPE_CHECKING:
    from callgate.model.decision import Decision
    from callgate.model.effect import Effect
    from callgate.runtime.frame import Frame
    from callgate.runtime.interpreter import Program

__all__ = ["MAX_EFFECTS", "MAX_REASONS", "MAX_TEXT", "Brief", "brief_of"]

MAX_TEXT: Final = 4_000
"""Characters of a brief's text, escapes included."""
MAX_EFFECTS: Final = 40
MAX_REASONS: Final = 20
_MAX_LINE: Final = 400
_MAX_READ: Final = 65_536
"""Characters of arguments beyond which a call is not even made fit to be shown."""
_TOLD_BY_WORDS: Final = frozenset({"program", "subcommand", "options", "operands"})
_SAID: Final = frozenset({"kind", "certain", "span", "through", "unresolved"})


@dataclass(frozen=True, slots=True)
class Brief:
    """A call as a reviewer is told of it. All texts are masked and escaped, and still an agent's.

    `tool`: its name. `text`: the arguments, in lines. `reasons`: why the call needs approval.
    `risk`: the policy's word for it. `effects`: what it does, one line each. `whole`: whether that
    is everything; a call of which something is missing here must not be approved by it. `cwd`,
    `workspace`: the folders that it runs in, "" where it says none.
    """

    tool: str
    text: str
    reasons: tuple[str, ...]
    risk: str
    effects: tuple[str, ...]
    whole: bool = True
    cwd: str = ""
    workspace: str = ""


def brief_of(program: Program, frame: Frame, decision: Decision) -> Brief:
    """The brief for a call. `frame` and `decision`: those of a walk by `program`."""
    view = View(program, decision)
    found = program.safe_effects(frame)
    every = [] if found is None else found.all
    text, whole_text, stripped = _text(program, frame, every, view)
    shorter = {view.show(inner): view.show(left) for inner, left in stripped.items()}
    effects, all_effects = _first((_line(item, view, shorter) for item in every), MAX_EFFECTS)
    named = [_named(frame, name) for name in ("cwd", "workspace")]
    folders, all_folders = _folders(view, named)
    if found is None:
        effects, all_effects = ("not known: they could not be read",), False
    reasons, all_reasons = _first(map(view.match_reason, view.asks()), MAX_REASONS)
    whole = whole_text and all_effects and all_reasons and all_folders
    return Brief(
        tool=safe_line(view.show(frame.tool)),
        text=text,
        reasons=reasons or ("the call needs approval",),
        risk=str(getattr(frame, "risk", "")),
        effects=effects or ("none that the policy knows of",),
        whole=whole and not hides_more(view, every, named),
        cwd=folders[0],
        workspace=folders[1],
    )


def _named(frame: Frame, name: str) -> str:
    value = frame.context.get(name)
    return value if isinstance(value, str) else ""


def _folders(view: View, named: Iterable[str]) -> tuple[list[str], bool]:
    """Folders as they are told, and whether none was cut."""
    lines = [safe_line(view.masker.mask(folder, view.secrets)) for folder in named]
    return [_cut(line) for line in lines], all(len(line) <= _MAX_LINE for line in lines)


def _text(
    program: Program, frame: Frame, effects: Sequence[Effect], view: View
) -> tuple[str, bool, Mapping[str, str]]:
    """The arguments, whether that is all, and what is left of texts in them without comments."""
    if view.hides:
        return MASK, False, {}
    if _size(frame.args) > _MAX_READ:
        note = f"(the arguments are longer than {_MAX_READ} characters, and not shown)"
        return note, False, {}
    texts = Texts(program, frame, effects, view.secrets)
    text = "\n".join(texts.lines())
    if len(text) <= MAX_TEXT:
        return text or "(none)", not texts.doubtful, texts.stripped
    note = f"\n(cut here: the arguments have {len(text)} characters in all)"
    return text[: MAX_TEXT - len(note)] + note, False, texts.stripped


def _size(args: Mapping[str, Any]) -> int:
    try:
        return len(orjson.dumps(args))
    except TypeError:
        return len(repr(args))


def _line(effect: Effect, view: View, shorter: Mapping[str, str]) -> str:
    """An effect: its kind, what it is about, and what is not sure of it. `shorter`: texts → what is
    left of them without comments."""
    form = effect_form(effect, view.show, view.masker)
    unresolved = form.get("unresolved", ())
    told = [
        f"{name}={_value(value, shorter)}"
        for name, value in form.items()
        if name not in _SAID
        and (value not in (None, False, [], "") or name in unresolved)
        and not (form["kind"] == "run" and name in _TOLD_BY_WORDS)
    ]
    line = " ".join((form["kind"], *told))
    if not form["certain"]:
        line += " (perhaps)"
    if "through" in form:
        line += f" (through {', '.join(form['through'])})"
    return line


def _value(value: Any, shorter: Mapping[str, str]) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_value(item, shorter) for item in value) + "]"
    if isinstance(value, str):
        return shorter.get(value, value)
    return "not known" if value is None else str(value).lower()


def _first(lines: Iterable[str], most: int) -> tuple[tuple[str, ...], bool]:
    """The first lines, each once and none too long; and whether they are all."""
    found: dict[str, None] = {}
    for line in lines:
        line = safe_line(line)
        found[_cut(line)] = None
        if len(found) > most:
            return (*list(found)[:most], "(and more, not listed here)"), False
    return tuple(found), True


def _cut(line: str) -> str:
    return line if len(line) <= _MAX_LINE else line[: _MAX_LINE - 1] + "…"
