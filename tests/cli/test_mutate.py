"""`callgate test --mutate`."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from callgate.cli import exits, mutate
from callgate.cli.paint import Painter
from callgate.engine import Engine
from callgate.policytest.loaded import load
from tests.cli.conftest import Run

SHOP = Path(__file__).parents[1] / "cases" / "shop"
ONLY = ("orders.many", "risk.yaml")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the bundle, in the working folder."""
    shutil.copytree(SHOP, tmp_path / "shop")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shop"


def _pretty(**options: object) -> tuple[int, str]:
    stream = io.StringIO()
    code = mutate.run(loaded=load("shop"), painter=Painter(stream), **options)  # type: ignore[arg-type]
    return code, stream.getvalue()


def test_pretty(shop: Path) -> None:
    code, text = _pretty(only=ONLY)
    assert code == exits.OK
    assert "SURVIVED shop/guards.yaml:" in text
    assert re.search(r"^  -    decide: deny$", text, re.MULTILINE)
    assert re.search(r"^  \+    decide: ask$", text, re.MULTILINE)
    assert re.search(r"^OPERATOR +KILLED +SURVIVED +EQUIVALENT +REFUSED$", text, re.MULTILINE)
    assert re.search(r"^score \d+\.\d %: \d+ of \d+ mutants killed$", text, re.MULTILINE)


def test_the_call_that_is_shown_tells_them_apart(shop: Path, run: Run) -> None:
    _, text = _pretty(only=("orders.many",))
    engine = Engine.load("shop")
    found = re.findall(
        r"a case that expects (\w+) by (\S+) kills it; now: \w+ by \S+\n  callgate eval (.*)", text
    )
    assert found
    for decision, rule, command in found:
        words = shlex.split(command)
        decided = engine.decide(json.loads(words[-1]))
        assert (decided.decision, decided.rule) == (decision, rule)
        shown = run("eval", *words, "--format", "json")
        assert decision in shown.output and rule in shown.output


def test_json(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = mutate.run(loaded=load("shop"), painter=Painter(), format_="json", only=ONLY)
    told = json.loads(capsys.readouterr().out)
    assert code == exits.OK
    assert (
        told["tried"]
        == told["found"]
        == sum(told[status] for status in ("killed", "survived", "equivalent", "refused"))
    )
    assert told["survived"] == len(told["survivors"])
    assert told["score"] == round(100 * told["killed"] / (told["killed"] + told["survived"]), 2)
    assert sum(counts["killed"] for counts in told["operators"].values()) == told["killed"]
    first = told["survivors"][0]
    assert first["diff"].startswith(f"--- {first['file']}\n+++ {first['file']}\n@@ ")


@pytest.mark.parametrize(("least", "code"), [(0.0, exits.OK), (100.0, exits.FINDINGS)])
def test_fail_under(shop: Path, least: float, code: int) -> None:
    assert _pretty(only=("orders.many",), fail_under=least)[0] == code


def test_a_sample_is_called_one(shop: Path) -> None:
    _, text = _pretty(limit=5)
    assert re.search(r"a sample of 5 of \d+", text)


def test_tests_that_fail(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = shop / "tests.yaml"
    file.write_text(file.read_text().replace("[page, visible]", "[page, reserved]"))
    code, text = _pretty()
    assert (code, text) == (exits.FINDINGS, "")
    told = capsys.readouterr().err
    assert told.startswith("the policy fails 1 case of its own, such as `which tools are shown")


def test_an_accepted_survivor_is_listed_with_its_reason(shop: Path) -> None:
    guards = shop / "guards.yaml"
    mark = "    decide: deny  # callgate: mutant nothing but this denies\n"
    guards.write_text(guards.read_text().replace("    decide: deny\n", mark))
    _, shown = _pretty(only=("orders.many",))
    assert "guards.yaml:12  orders.many: `decide: deny` is" not in shown
    assert re.search(r"^accepted .*`decide: deny` is `ask`: nothing but this denies$", shown, re.M)


def test_the_bar() -> None:
    bar = mutate._Bar()
    assert bar.text(10, 40, 5.0).endswith("10 of 40 mutants, 0 killed, 0 survived, 0:15 left")
