"""The grammar files: LALR(1) without conflicts, and no keyword forgotten."""

from __future__ import annotations

import logging
import re

import pytest
from lark import Lark, logger

from callgate.resources import grammar_text

_STARTS = {"condition.lark": ["condition", "each"], "command_pattern.lark": ["pattern"]}


@pytest.mark.parametrize("name", _STARTS)
def test_no_conflicts(name: str, caplog: pytest.LogCaptureFixture) -> None:
    logger.addHandler(caplog.handler)
    try:
        with caplog.at_level(logging.DEBUG, logger=logger.name):
            Lark(grammar_text(name), parser="lalr", start=_STARTS[name], debug=True)
            assert "onflict" not in caplog.text
            Lark('start: a | a "x"? \na: "y" "x"?', parser="lalr", debug=True)
            assert "onflict" in caplog.text  # or the check above would mean nothing
    finally:
        logger.removeHandler(caplog.handler)


def test_no_keyword_is_a_name() -> None:
    text = grammar_text("condition.lark")
    keywords = {
        word
        for body in re.findall(r"^[A-Z]+: /\(?([a-z|]+)\)?\(\?!", text, re.MULTILINE)
        for word in body.split("|")
    }
    (excluded,) = re.findall(r"^NAME: /\(\?!\(([a-z|]+)\)", text, re.MULTILINE)
    assert set(excluded.split("|")) == keywords
    assert len(keywords) == 13
