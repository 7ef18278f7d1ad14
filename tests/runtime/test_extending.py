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

from callgate.effects import match
from callgate.engine import Engine
from callgate.model.diagnostic import PolicyError, Severity
from callgate.model.effect import EffectSet
from callgate.model.expr import Const
from callgate.runtime.reference import evaluate
from tests.runtime.agreement import Asked, asked, long_test, say_seed, walked
from tests.strategies import Bundle, Files, Style, bundles, effect_set, forms_of
from tests.strategies_pick import Pick, picked
from tests.strategies_rules import guard
from tests.strategies_scope import Term
from tests.strategies_visibility import known_to_hiding

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
    if "vocabulary" in more:
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
    outcome = evaluate(engine.policy, engine.settings, call, effects, match)
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
