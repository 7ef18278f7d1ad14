"""Every operation's declaration is complete, and its examples are true."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from callgate.model.types import BOOL
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS
from callgate.stdlib.document import function_table, operator_table
from callgate.stdlib.operation import Example, Operation

EXAMPLES = [(entry, case) for entry in OPERATIONS.values() for case in entry.examples]


@pytest.mark.parametrize(
    ("entry", "case"), EXAMPLES, ids=[f"{entry.name}{case.arguments}" for entry, case in EXAMPLES]
)
def test_example(entry: Operation, case: Example) -> None:
    found = entry.implementation(*case.arguments)
    assert type(found) is type(case.result)
    assert found == case.result


@pytest.mark.parametrize("entry", OPERATIONS.values(), ids=OPERATIONS)
def test_declaration(entry: Operation) -> None:
    assert entry.examples
    assert entry.documentation.endswith(".")
    assert (entry.kind == "operator") == bool(entry.symbol)
    counts = {len(overload.parameters) for overload in entry.signatures}
    assert counts == {len(inspect.signature(entry.implementation).parameters)}


def test_unknown_results_are_declared() -> None:
    for entry, case in EXAMPLES:
        if case.result is UNKNOWN:
            assert entry.unknown, entry.name


def test_the_core_is_there() -> None:
    core = (
        "eq ne lt le gt ge rank in item under_path covers under_host like matches expand_home path"
    )
    assert OPERATIONS.keys() >= set(core.split())


def test_relations_give_a_bool() -> None:
    for entry in OPERATIONS.values():
        if entry.kind == "operator" and entry.name != "item":
            assert {overload.result for overload in entry.signatures} == {BOOL}


@pytest.mark.parametrize(
    ("table", "kind"), [(function_table, "function"), (operator_table, "operator")]
)
def test_tables_show_everything(table: Any, kind: str) -> None:
    text = table()
    shown = [entry for entry in OPERATIONS.values() if entry.kind == kind]
    assert len(text.splitlines()) == len(shown) + 2
    for entry in shown:
        assert entry.documentation.replace("|", "&#124;") in text
