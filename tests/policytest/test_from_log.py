"""Recorded decisions as test cases: their YAML is read as what was recorded, whatever that is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from callgate.policytest.from_log import added, case_of, new_file
from tests.acme import CALLS, acme

NAME = "recorded 1: save"
CALL = {"tool": "save", "args": {"path": "/tmp/a"}, "answers": {"human": "once"}}


def case(call: dict[str, Any], name: str = NAME) -> dict[str, Any]:
    return case_of(call, acme().decide(call).to_dict(), name, "2026-12-01T09:00:00Z")


def read(text: str) -> list[Any]:
    found = Diagnostics()
    document = read_document("tests.yaml", text.encode(), found)
    assert document is not None
    assert [item.message for item in found] == []
    cases: list[Any] = document.data["cases"]
    return cases


def test_what_a_case_expects() -> None:
    assert case(CALL)["expect"] == {
        "decision": "allow",
        "rule": "human.once",
        "risk": "high",
        "approval_source": "human",
        "matched": ["files.temporary"],
        "effects": ["write"],
    }
    assert case({"tool": "start"})["expect"]["pending"] == "human"
    broken = case(CALLS["broken"])["expect"]
    assert (broken["error"], "risk" in broken) == ("R003", False)


ODD = [
    *("yes", "null", "~", "1e3", "0o17", "0x1f", ".5", "12", "2026-12-01", "<<", "- a", "a: b"),
    *("", " a ", "a\n", "a\n\nb\n", "\t", "é", "\u202eevil", "\x1b[1m", "\x7f", "\ufeff", "😀"),
    *("'", '"', "\\", "%", "@", "`", "{", "[a]", "!x", "&x", "*x", "|", ">", "?", "#", "x" * 3000),
]


@pytest.mark.parametrize("text", ODD)
def test_odd_texts(text: str) -> None:
    call = {"tool": "look", "args": {"path": text, text: [text, {text: text}]}}
    made = new_file(case(call))
    assert made.isascii()
    assert made.replace("\n", "").isprintable()
    assert read(made)[0]["call"] == call


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=3))
def test_any_arguments(args: dict[str, Any]) -> None:
    call = {"tool": "fly", "args": args}
    try:
        made = new_file(case(call))
    except ValueError:
        return  # refused, not changed
    assert read(made)[0]["call"] == call


def test_half_a_character_is_refused() -> None:
    with pytest.raises(ValueError, match="can't"):
        new_file(case({"tool": "look", "args": {"path": "\ud800"}}))


OLD = """\
# Ours.
kind: tests   # of the shop
cases:
- name: one   # the first
  call: {tool: look}
  expect: {decision: allow}

# The end.
"""


@pytest.mark.parametrize("old", [OLD, re.sub("(?m)^([- ] )", r"    \1", OLD)])
@pytest.mark.parametrize("end", ["", "no line end"])
def test_a_case_is_put_at_the_end(old: str, end: str) -> None:
    old = old.rstrip("\n") if end else old
    new = added(case(CALL), "t.yaml", old.encode())
    assert new.startswith(old)
    assert read(new) == [*read(old), case(CALL)]


@pytest.mark.parametrize(
    ("old", "why"),
    [
        ("kind: tests\ncases: [{name: a, call: {tool: x}, expect: {decision: allow}}]\n", "paste"),
        ("cases:\n- {name: a, call: {}, expect: {decision: deny}}\nkind: tests\n", "paste"),
        ("kind: guards\nrules: []\n", "no test file|can't be read"),
        ("hello\n", "can't be read"),
        ("", "no test file|can't be read"),
        ("kind: tests\ncases:\n- {name: 'recorded 1: save', call: {}, expect: {rule: x}}", "name"),
    ],
)
def test_what_nothing_is_put_into(old: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        added(case(CALL), "t.yaml", old.encode())
