"""Codes of diagnostics."""

from __future__ import annotations

import pytest

from callgate.model.diagnostic import Diagnostic


@pytest.mark.parametrize(
    ("code", "of_settings"),
    [("E001", True), ("Y001", False), ("T003", False), ("settings.denied-and-allowed", True)],
)
def test_whose_finding_it_is(code: str, of_settings: bool) -> None:
    assert Diagnostic(code, "m").of_settings is of_settings


@pytest.mark.parametrize("code", ["E999", "", "Settings.denied", "settings.", "settings denied"])
def test_codes_are_listed_or_ids_of_rules(code: str) -> None:
    with pytest.raises(KeyError):
        Diagnostic(code, "m")
