"""A bundle that extends another without replacing anything never decides less strictly than it.

Guards are added, and members of open lists, to generated bundles; both evaluators are asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final

import yaml
from hypothesis import assume, given

from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError, Severity
from callgate.model.effect import EffectSet
from callgate.model.expr import Const
from callgate.runtime.reference import evaluate
from tests.runtime.agreement import Asked, asked, fits, long_test, say_seed, walked
from tests.strategies import Bundle, Files, Style, bundles, effect_set, forms_of
from tests.strategies_pick import Pick, picked
from tests.strategies_rules import guard
from tests.strategies_scope import Term
from tests.strategies_text import MCP
from tests.strategies_visibility import known_to_hiding
from tests.strategies_world import ENUMS, LEVELS, TOOLS

_STRICTNESS: Final = {"allow": 0, "ask": 1, "deny": 2}
_MORE: Final = {"roots.system": ["/srv", "/data", "/srv/app/b"], "names.owners": ["eve", "*", ""]}
"""What may be added to the lists of the small world."""


def _addition(pick: Pick, style: Style, lists: bool) -> dict[str, Any]:
    """The files of a bundle that extends another: kind → content."""
    count = pick.number(0 if lists else 1, 3)
    forms: dict[str, Any] = {
        "guards": {"rules": [guard(pick, f"x{n}", style).form for n in range(count)]}
    }
    if lists:
        more = {name: {"add": pick.some(items, 1, 2)} for name, items in _MORE.items()}
        forms["vocabulary"] = {"lists": more}
    return forms


_additions = picked(_addition)


def _engines(bundle: Files, more: Mapping[str, Any]) -> tuple[Engine, Engine]:
    """The bundle, whose lists are open where something is added to them, and the one upon it."""
    forms = {**bundle.forms}
    added = more.get("vocabulary", {}).get("lists", {})
    if any("add" in form for form in added.values()):
        lists = {
            name: {**form, "open": True} for name, form in forms["vocabulary"]["lists"].items()
        }
        forms["vocabulary"] = {**forms["vocabulary"], "lists": lists}
    manifest: dict[str, Any] = {"kind": "bundle", "name": "own", "version": "1", "title": "T"}
    manifest |= {"extends": "../base", "files": [f"{kind}.yaml" for kind in more]}
    with tempfile.TemporaryDirectory() as folder:
        base, own = Path(folder, "base"), Path(folder, "own")
        base.mkdir()
        own.mkdir()
        Files(forms).write(base)
        for kind, form in {**more, "bundle": manifest}.items():
            (own / f"{kind}.yaml").write_text(yaml.safe_dump({"kind": kind, **form}))
        return Engine.load(base), Engine.load(own)


def _decisions(engine: Engine, call: Mapping[str, Any], effects: EffectSet) -> tuple[str, str]:
    """What the two evaluators decide."""
    outcome = evaluate(engine.policy, engine.settings, call, effects, fits)
    return outcome.decision.value, walked(engine.program, call, effects).decision


def _compare(engines: tuple[Engine, Engine], questions: Asked) -> None:
    base, own = engines
    for call, effects in questions:
        for before, after in zip(
            _decisions(base, call, effects), _decisions(own, call, effects), strict=True
        ):
            assert _STRICTNESS[before] <= _STRICTNESS[after], (call, effects)


def test_generated_rules_that_hide_name_nothing_that_is_found_out_later() -> None:
    texts = (
        "risk >= exec",
        "call.nested",
        "not (args.force ?? true)",
        "tool.reserved or (risk == write)",
    )
    derived = [(f"d{number}", Term(text, Const(True))) for number, text in enumerate(texts)]
    assert [term.text for term in known_to_hiding(derived)] == ["d1"]


@long_test(60)
@given(bundles(), _additions(Style(), lists=False), asked(40))
def test_more_guards_are_never_less_strict(
    bundle: Bundle, more: dict[str, Any], questions: Asked
) -> None:
    say_seed()
    try:
        engines = _engines(bundle, more)
    except PolicyError as refused:
        # A flow that was written without guards may allow before them.
        codes = {d.code for d in refused.diagnostics if d.severity is Severity.ERROR}
        assert codes <= {"C004", "C002"}, refused
        assume(False)
    _compare(engines, questions)


@long_test(60)
@given(bundles(Style(focused=True)), _additions(Style(focused=True), lists=False), asked(40))
def test_more_guards_on_the_same_effects_are_never_less_strict(
    bundle: Bundle, more: dict[str, Any], questions: Asked
) -> None:
    say_seed()
    _compare(_engines(bundle, more), questions)


# --- open lists -----------------------------------------------------------------------------


_READS: Final = (
    "call.sender_id in names.owners",
    "call.sender_id not in names.owners",
    "any(o in names.owners where o == call.sender_id)",
    "none(o in names.owners where o == call.sender_id)",
    "count(o in names.owners where o == call.sender_id) >= 1",
    "count(o in names.owners where o != call.sender_id) < 3",
    "length(names.owners) > 2",
    'path(call.cwd, "/") under roots.system',
    'path(call.cwd, "/") covers roots.system',
    "mine",
)
_OTHERS: Final = ("call.nested", "call.unattended", "call.cron_authorized", "true")


def _reading(pick: Pick, depth: int = 2) -> str:
    """A condition that reads the lists of the small world, in any direction."""
    if depth == 0 or pick.number(0, 3) == 0:
        return pick.of(_READS if pick.flip() else _OTHERS)
    form = pick.of(("{} and {}", "{} or {}", "not {}"))
    return form.format(*(f"({_reading(pick, depth - 1)})" for _ in range(form.count("{"))))


def _rules(pick: Pick, step: str) -> list[dict[str, Any]]:
    rules = []
    for number in range(pick.number(1, 2)):
        decide = pick.of(("allow", "ask", "deny"))
        when = _reading(pick) if pick.flip() else pick.of(_OTHERS)
        rule = {"id": f"{step}.{number}", "title": "R", "when": when, "decide": decide}
        rules.append({**rule, "reason": "r"})
    return rules


def _reader(pick: Pick) -> Files:
    """A bundle that reads the lists, perhaps where more members would make it less strict."""
    guards = [
        {"id": f"g{n}", "title": "G", "when": _reading(pick), "decide": decide, "reason": "r"}
        for n, decide in enumerate(pick.some(["ask", "deny"], 0, 2))
    ]
    steps: list[dict[str, Any]] = [{"id": "guards", "title": "G", "guards": "all"}]
    for name in ("one", "two"):
        step = {"id": name, "title": "S", "rules": _rules(pick, name)}
        if pick.number(0, 4) == 0:
            step["when"] = _reading(pick, 1)
        steps.append(step)
    risk = None
    facts = {"mine": _READS[pick.number(0, 4)]}
    return Files(forms_of(guards, steps, pick.of(("ask", "deny")), risk, facts))


_readers = picked(_reader)


def _all_calls() -> list[tuple[dict[str, Any], EffectSet]]:
    """Every call that such a bundle could tell from another."""
    flags = ("nested", "unattended", "cron_authorized")
    return [
        ({"tool": "read_file", "args": {"path": "/a"}, "context": context}, effect_set([]))
        for sender in ("ann", "eve", "*", "zoe")
        for cwd in ("/", "/srv/x", "/data/a/b", "/opt")
        for values in product((False, True), repeat=3)
        for context in [{"sender_id": sender, "cwd": cwd, **dict(zip(flags, values, strict=True))}]
    ]


_CALLS: Final = Asked(_all_calls())


@long_test(150)
@given(_readers(), _additions(Style(), lists=True))
def test_more_members_of_open_lists_are_never_less_strict(
    bundle: Files, more: dict[str, Any]
) -> None:
    """What reads the lists the wrong way is refused; what is accepted is safe."""
    say_seed()
    try:
        engines = _engines(bundle, {"vocabulary": more["vocabulary"]})
    except PolicyError as refused:
        codes = {d.code for d in refused.diagnostics if d.severity is Severity.ERROR}
        assert codes <= {"T022"}, refused
        assume(False)
    _compare(engines, _CALLS)


# --- names ----------------------------------------------------------------------------------


_WORDS: Final = (
    *(member for enum in ENUMS.values() for member in enum.members),
    *TOOLS,
    *LEVELS,
    *("any", "not", "in", "w", "r", "d", "p", "person", "sat", "own", "ours", "other"),
)
_FIELDS: Final = {
    "cron_authorized": ("bool", (True, False)),
    "unattended": ("bool", (True, False)),
    "session_key": ("string", ("", "s")),
    "chat_id": ("path", ("", "/a")),
    "memory_scope": ("string", ("",)),
}


def _vocabulary(pick: Pick) -> dict[str, Any]:
    """Facts and lists with names of all sorts, and what is said of the call."""
    found: dict[str, Any] = {"facts": {}, "lists": {}, "call": {}}
    for _ in range(pick.number(0, 2)):
        word = pick.of(_WORDS) if pick.flip() else pick.of(("own", "ours", "yours"))
        if pick.flip():
            found["facts"][word] = {"is": pick.of(("call.nested", '"zzz"', "true")), "doc": "d"}
        else:
            found["lists"][word] = {"type": "string", "doc": "d", "items": ["zzz"]}
    if pick.flip():
        name = pick.of(list(_FIELDS))
        type_, defaults = _FIELDS[name]
        found["call"][name] = {"type": type_, "default": pick.of(defaults), "doc": "d"}
    return {key: form for key, form in found.items() if form}


_vocabularies = picked(_vocabulary)


@long_test(100)
@given(bundles(), _vocabularies(), asked(30))
def test_more_names_change_nothing(
    bundle: Bundle, vocabulary: dict[str, Any], questions: Asked
) -> None:
    say_seed()
    try:
        base, own = _engines(bundle, {"vocabulary": vocabulary})
    except PolicyError as refused:
        errors = [d for d in refused.diagnostics if d.severity is Severity.ERROR]
        assert {d.code for d in errors} <= {"T018", "C021", "C022"}, refused
        # Each points to what is wrong: the own file.
        assert all("own/" in str(d.span) for d in errors), refused
        assume(False)
    for call, effects in questions:
        assert _decisions(base, call, effects) == _decisions(own, call, effects), call


_KNOWN: Final = {
    "rm": {
        "also": ["unlink", "del.*"],
        "operands": "FILE...",
        "effects": [{"delete": {"path": "FILE"}}],
    },
    "sh": {
        "also": ["zsh", "sh.*"],
        "options": {"text": ["-c TEXT"]},
        "effects": [{"code": {"language": "shell", "text": "option text"}}],
    },
    "wrap": {"operands": "WORDS...", "effects": [{"command": {"words": "WORDS"}}]},
}
_CALLED: Final = ("rm", "unlink", "del.exe", "sh", "zsh", "sh.1", "wrap", "shell")
_CLAIMED: Final = (*_CALLED, "del.*", "sh.1*", "s*", "*", "new", "other")


def _programs(pick: Pick) -> dict[str, Any]:
    """Own programs that do nothing, or delete."""
    found = {}
    for name in pick.some(_CLAIMED, 1, 2):
        form: dict[str, Any] = {"operands": "[WORDS...]"}
        if name == "*":
            form = {"sinks": ["/srv/a"]}
        else:
            form |= {"also": pick.some(_CLAIMED[:-3], 1, 2)} if pick.flip() else {}
            form |= {"effects": [{"delete": {"path": "WORDS"}}]} if pick.flip() else {}
        found[name] = form
    return {"programs": found}


_own_programs = picked(_programs)


def _denying(kind: str) -> Files:
    """A bundle that denies effects of a kind, and allows where nothing asks."""
    stop = {
        "id": "g",
        "title": "G",
        "each": f"e in effects.{kind}",
        "decide": "deny",
        "reason": "r",
    }
    allow = {"id": "allow", "title": "A", "decide": "allow"}
    steps: list[dict[str, Any]] = [
        {"id": "guards", "title": "G", "guards": "all"},
        {"id": "last", "title": "L", "rules": [allow]},
    ]
    return Files(forms_of([stop], steps, "ask"))


_COMMANDS: Final = tuple(
    f"{name} {words}" for name in _CALLED for words in ("/srv/a", "-c 'rm /srv/a'", "rm /srv/a")
)


@long_test(60)
@given(_own_programs())
def test_more_programs_change_nothing_of_known_ones(programs: dict[str, Any]) -> None:
    say_seed()
    files = Files({**_denying("delete").forms, "programs": {"programs": _KNOWN}})
    try:
        base, own = _engines(files, {"own": {"kind": "programs", **programs}})
    except PolicyError as refused:
        codes = {d.code for d in refused.diagnostics if d.severity is Severity.ERROR}
        assert codes <= {"C021", "C001", "S004"}, refused
        assume(False)
    for command in _COMMANDS:
        for call in (
            {"tool": "exec", "args": {"command": command}},
            {"tool": "mcp_x", "args": {"path": "/srv/a"}, "declared": {"mcp_server": "x"}},
        ):
            before, after = base.decide(call), own.decide(call)
            assert _STRICTNESS[before.decision] <= _STRICTNESS[after.decision], call


# --- dynamic tools --------------------------------------------------------------------------


def _dynamic(pick: Pick) -> dict[str, Any]:
    """Own dynamic tools, and own tools, that know of no effects."""
    when = pick.of(('call.tool like "mcp_*"', 'declared.mcp_server != ""', 'call.tool == "mcp_x"'))
    found: dict[str, Any] = {"dynamic": {"own": {"when": when, "effects": "none"}}}
    if pick.flip():
        found["dynamic"]["own"]["listed"] = True
    if pick.flip():
        about = {"description": "d", "parameters": {"type": "object"}, "effects": "none"}
        found["tools"] = {"mcp_x": about}
    return found


_own_tools = picked(_dynamic)


@long_test(40)
@given(_own_tools())
def test_own_tools_take_nothing_from_inherited_dynamic_ones(tools: dict[str, Any]) -> None:
    say_seed()
    forms = {**_denying("write").forms}
    inherited = {**MCP, "listed": True, "effects": [{"paths": {"as": "write"}}]}
    forms["tools"] = {**forms["tools"], "dynamic": {"mcp": inherited}}
    more: dict[str, Any] = {"own": {"kind": "tools", **tools}}
    if "tools" in tools:
        more["risk"] = {"kind": "risk-map", "tools": {LEVELS[0]: list(tools["tools"])}}
    base, own = _engines(Files(forms), more)
    call = {"tool": "mcp_x", "args": {"path": "/srv/a"}, "declared": {"mcp_server": "x"}}
    for engine in (base, own):
        decision = engine.decide(call)
        assert decision.decision == "deny"
        effects = decision.frame.effects
        outcome = evaluate(engine.policy, engine.settings, call, effects, fits)
        assert outcome.decision.value == "deny"
