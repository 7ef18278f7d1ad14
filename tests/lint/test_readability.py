"""Long and deep conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from callgate.lint.rules.readability import DeepCondition, LongCondition
from tests.lint.bundles import found, subject


def guards(when: str) -> str:
    rule = "{id: a.b, title: A, decide: ask, each: w in effects.write, reason: no, when: W}"
    return f"kind: guards\nrules:\n  - {rule}\n".replace("W", "'" + when.replace("'", "''") + "'")


def many(count: int) -> str:
    return " and ".join(f'w.path != "/{number}"' for number in range(count))


@pytest.mark.parametrize(
    ("when", "told"),
    [
        (many(16), None),
        (many(17), " with 17 tests"),
        (f"call.nested or not ({many(16)})", " with 17 tests"),
        (f'w.path under "/{"x" * 1484}"', None),
        (f'w.path under "/{"x" * 1500}"', "a condition of 1,516 characters with 1 test"),
        # A quantifier is a test, and so is each of those in it.
        (f'{many(14)} and any(g in call.groups where g == "a" and g == "b")', " with 17 tests"),
        (f'{many(14)} and any(g in call.groups where g == "a")', None),
        # Alternatives for one value are one test.
        (many(30).replace("!=", "==").replace("and", "or"), None),
        (
            f'{many(15)} and (call.nested or call.channel == "a" or call.channel == "b")',
            " 17 tests",
        ),
        (f'{many(15)} and (call.channel == "a" or call.channel == "b")', None),
    ],
)
def test_long(tmp_path: Path, when: str, told: str | None) -> None:
    made = subject(tmp_path, guards=guards(when))
    messages = [message for *_, message in found(made, LongCondition)]
    assert [told is not None and message.endswith(told) for message in messages] == (
        [True] if told else []
    )


def nested(levels: int) -> str:
    text = "call.nested"
    for level in range(levels):
        text = f"call.unattended {'or' if level % 2 else 'and'} ({text})"
    return text


@pytest.mark.parametrize(
    ("when", "levels"),
    [
        (nested(4), 0),
        (nested(5), 5),
        (f"any(g in call.groups where {nested(3)})", 0),
        (f"any(g in call.groups where not ({nested(4)}))", 5),
        (f"count(g in call.groups where {nested(5)}) > 2", 6),
        (many(16), 0),
    ],
)
def test_deep(tmp_path: Path, when: str, levels: int) -> None:
    told = [message for *_, message in found(subject(tmp_path, guards=guards(when)), DeepCondition)]
    assert told == ([f"`and`, `or` and quantifiers are nested {levels} deep"] if levels else [])
