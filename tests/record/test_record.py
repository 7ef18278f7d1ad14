"""Records: the decision's own form, in canonical bytes, whichever way they are made; what is kept
decides as the call did."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given

from callgate.engine import Engine
from callgate.model.decision import Decision
from callgate.model.expr import Apply, Const, Fact, Quant, Var
from callgate.record.record import Answer, Records
from callgate.record.recorded import call_of
from callgate.record.values import decode
from callgate.runtime.frame import MAX_WORK, Frame
from tests.record.calls import KEY, MARK, cases, engine, record, records
from tests.runtime.agreement import loaded, long_test, say_seed
from tests.small import policy, program, rule
from tests.strategies import Bundle, bundles, calls, nested, settings_values

ME = {
    "channel": "cli",
    "sender_id": "user_123",
    "session_key": "cli:1",
    "workspace": "/srv/app",
    "cwd": "/srv/app",
    "home": "/home/u",
    "trace_id": "t-1",
}


def exec_(command: str, **more: Any) -> dict[str, Any]:
    return {"tool": "exec", "args": {"command": command}, "context": ME, **more}


def check(made: Records, decision: Decision) -> bool:
    """Check a decision's record, and tell whether it was made at once, from what was known."""
    told = made.of(decision, MARK)
    found = orjson.loads(told)
    assert told == rfc8785.dumps(found)
    form = decision.to_dict()
    assert {name: found[name] for name in form} == form
    if type(decision.frame) is not Frame or decision.failure is not None:
        return False
    again = made._at_once(decision, MARK, None)
    if again is not None:
        # Twice: the second time, everything is known.
        assert told == again == made._at_once(decision, MARK, None)
        assert told == made._whole(decision, MARK, None)
    if found["rewalk"]:
        second = made.program.decide(call_of(decode(found)), found["live"])
        assert (second.outcome, list(second.trace)) == (decision.outcome, list(decision.trace))
    return again is not None


@pytest.mark.parametrize("bundle", ["echo", "acme", "tests/cases/acme", "tests/cases/shop"])
def test_policy_cases(bundle: str) -> None:
    of = engine(bundle)
    made = records(of)
    at_once = [
        check(made, of.program.decide(dict(case.call), live=number % 2 == 1))
        for number, case in enumerate(cases(bundle))
    ]
    assert at_once.count(True) > len(at_once) // 2


@long_test(60)
@given(bundles(), settings_values())
def test_generated_policies(bundle: Bundle, values: dict[str, Any]) -> None:
    say_seed()
    of = loaded(bundle, nested(values))
    made = records(of)

    @long_test(10)
    @given(calls())
    def each(call: dict[str, Any]) -> None:
        for live in (False, True):
            check(made, of.program.decide(call, live))

    each()


def test_its_fields() -> None:
    of = engine()
    found = record(of, of.decide(exec_("git status", id="c1")))
    assert {name: value for name, value in found.items() if name not in of_form()} == {
        "answers": {},
        "call": {
            "args": {"command": "git status"},
            "context": ME,
            "declared": {},
            "tool": "exec",
        },
        "decision_id": MARK.decision_id,
        "duration_us": 7,
        "gate": None,
        "kind": "decision",
        "live": False,
        "observed": {},
        "rewalk": True,
        "rewalk_why": "",
        "settings_digest": "sha256:00",
        "source": "eval",
        "span_id": "",
        "timestamp": MARK.timestamp,
        "trace_id": "t-1",
        "versions": found["versions"],
    }
    assert found["versions"]["engine"] == found["policy"]["engine"]
    assert all(found["versions"]["parsers"].values())


def of_form() -> set[str]:
    return set(engine().decide({"tool": "exec"}).to_dict())


class Odd(str):
    """A text that is more than one."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("given", "call", "rewalk"),
    [
        (None, None, False),
        ("git status", None, False),
        ({"tool": ""}, {"args": {}, "context": {}, "declared": {}, "tool": {}}, True),
        ({**exec_("ls"), "nonsense": 1}, None, False),
        (exec_("ls", context={"channel": 3}), None, True),
        ({"tool": "exec", "args": {"command": 3}}, None, True),
        ({"tool": "exec", "args": [1, "x", 1.5]}, None, True),
        ({"tool": Odd("exec"), "args": {}}, None, False),
        ({"tool": "exec", "args": {1: 2}}, None, False),
        # Which of two faults is found first hangs on the order of keys, which a record sorts.
        (exec_("ls", context={"zzz": 1, "channel": 5}), None, False),
        (exec_("ls", context={"channel": 5, "zzz": 1}), None, True),
    ],
)
def test_what_is_no_call(given: Any, call: Any, rewalk: bool) -> None:
    of = engine()
    decision = of.decide(given)
    assert decision.decision == "deny"
    check(records(of), decision)
    found = record(of, decision)
    assert found["rewalk"] is rewalk, found["rewalk_why"]
    assert rewalk or found["rewalk_why"]
    assert call is None or found["call"] == call


@pytest.mark.parametrize(
    "args",
    [
        {"command": "ls", "timeout": 1.5},
        {"command": "ls", "number": 2**60},
        {"command": "ls", "schlüssel": 1},
        {"command": "ls", "$x": [1.0, {"$float": "1.0"}]},
        {"command": "ls \ud800"},
        {"command": "echo 'é' > ü"},
    ],
)
def test_values_that_records_have_not(args: dict[str, Any]) -> None:
    of = engine()
    decision = of.decide({"tool": "exec", "args": args})
    check(records(of), decision)
    found = record(of, decision)
    assert found["rewalk"]
    assert call_of(decode(found))["args"] == args


def test_what_no_json_can_say_is_not_kept() -> None:
    of = engine()
    found = record(of, of.decide({"tool": "exec", "args": {"command": "ls", "n": float("nan")}}))
    assert (found["call"], found["rewalk"]) == (None, False)
    assert found["rewalk_why"].startswith("the call is not kept: it holds what is no JSON")


def test_the_gate_itself() -> None:
    """What the gate denied before anything was walked."""
    of = engine()
    found = record(of, of.program.refuse(exec_("ls"), "R006", "everything is out of order"))
    assert found["call"]["args"] == {"command": "ls"}
    assert not found["rewalk"]
    assert found["error"]["message"] == "everything is out of order"


ASKED = exec_("npm install left-pad")


@pytest.mark.parametrize(
    ("call", "answer", "wanted"),
    [
        (exec_("git status"), Answer(True, source="auto"), ("allow", "auto")),
        (ASKED, Answer(True, source="human", actions=("exec", "x")), ("allow", "human")),
        (ASKED, Answer(False, "nobody answered", kind="approval_timeout"), ("deny", None)),
    ],
)
def test_what_the_gate_answered(
    call: dict[str, Any], answer: Answer, wanted: tuple[str, str | None]
) -> None:
    of = engine()
    decision = of.decide(call)
    found = record(of, decision, answer)
    assert (found["decision"], found["approval_source"]) == wanted
    assert found["gate"] == {
        "break_glass": False,
        "by": "",
        "digest": "",
        "grant_id": "",
        "kind": answer.kind,
        "notice": "",
        "request_id": "",
        "walked": decision.decision,
    }
    assert not answer.reason or found["reason"] == answer.reason
    assert not answer.actions or found["approved_actions"] == list(answer.actions)
    # What was walked is still there.
    assert found["trace"] == decision.to_dict()["trace"]
    assert found["rewalk"]


def test_a_deny_of_the_policy_is_what_the_gate_says() -> None:
    of = engine()
    decision = of.decide(exec_("rm -rf /"))
    assert decision.decision == "deny"
    answer = Answer(False, decision.reason, kind="policy")
    made = records(of)
    assert made._at_once(decision, MARK, answer) == made._whole(decision, MARK, answer)


def test_what_is_told_twice_is_the_same() -> None:
    """Telling reads conditions again, whose work has a bound that is the walk's alone."""
    among = Quant("any", "x", Fact("call.groups"), Apply("eq", (Var("x"), Const("y"))))
    of = program(policy(rule("slow", among, "allow")))
    groups = [f"g{number}" for number in range(MAX_WORK * 2 // 3)]
    decision = of.decide({"tool": "exec", "context": {"groups": groups}})
    first = decision.to_dict()
    assert decision.failure is None
    assert decision.to_dict() == first
    made = Records(of, source="eval", key=KEY)
    assert made.of(decision, MARK) == made.of(decision, MARK)


def test_memories_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is forgotten, records are the same."""
    for name in ("form._MOST_WAYS", "form_effects._MOST_TEXTS", "form_effects._MOST_SETS"):
        monkeypatch.setattr(f"callgate.record.{name}", 2)
    monkeypatch.setattr("callgate.record.kept._MOST_KNOWN", 1000)
    of: Engine = engine()
    made = records(of)
    for _ in range(2):
        for name in "abcde":
            assert check(made, of.decide(exec_(f"cat {name}; rm {name}")))
            read = {"tool": "read_file", "args": {"path": name}, "context": ME}
            assert check(made, of.decide(read))
    assert len(made._forms._effects._sets) <= 2
    assert len(made._forms.shown._known) <= 2
    assert sum(map(len, made._keeper._known.values())) < 10
