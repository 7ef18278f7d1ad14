"""Who may answer, in words: no name changes how its line is shown."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.gate.answerers import RequestError, Rules, answerers, check_answer
from callgate.gate.database import Database
from callgate.gate.requests import Requests
from callgate.gate.signatures import ApproverKeys
from tests.gate.asking import question

NAME = "ann\u202e\u2066\x1b[2K\nbob"
SHOWN = r"`ann\u202e\u2066\e[2K\nbob`"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"user": NAME}, SHOWN),
        ({"approvers": ("eve", NAME)}, f"`eve` or {SHOWN}"),
        ({"user": ""}, "the operator of this machine"),
    ],
    ids=["user", "approvers", "nobody"],
)
def test_names_are_escaped(db: Database, given: dict[str, Any], shown: str) -> None:
    request = Requests(db).open(question(**given))
    assert answerers(request) == shown
    keys = ApproverKeys(db.path.with_name("approvers.keys"))
    for rules in (None, Rules(request.approvers, False)):
        with pytest.raises(RequestError) as found:
            check_answer(request, "deny", "mallory", "", keys, rules)
        assert str(found.value) == f"only {shown} may answer this"
