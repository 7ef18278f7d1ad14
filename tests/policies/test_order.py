"""The order of keys, which JSON does not keep, means nothing: a graph that was read back decides as
the one that was compiled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from callgate import Engine
from callgate.compiler.cache import GraphCache
from callgate.effects import Extractor, Surroundings
from callgate.model.graph import DecisionGraph
from callgate.runtime.interpreter import Program
from tests.effects.reading import LANGUAGES, PROGRAMS

ECHO = Engine.load("echo")


def calls(engine: Engine) -> Iterator[dict[str, Any]]:
    for guard in engine.policy.guards:
        for example in guard.examples:
            call = {**example.call}
            call.pop("settings", None)
            yield {"context": {"channel": "cli", "workspace": "/srv/app"}, **call}


def other_order(value: Any) -> Any:
    """The same JSON with the keys of every object but the outermost the other way round."""
    if isinstance(value, dict):
        return {key: other_order(value[key]) for key in reversed(list(value))}
    return [other_order(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("bundle", ["echo", "acme"])
def test_a_cached_graph_decides_the_same(bundle: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    compiled = Engine.load(bundle)
    Engine.load(bundle, cache=GraphCache(tmp_path))
    cached = Engine.load(bundle, cache=GraphCache(tmp_path))
    assert "policy" not in cached._source.__dict__, "it was compiled again"
    for call in calls(compiled):
        assert cached.decide(call).to_dict() == compiled.decide(call).to_dict(), call


def test_a_graph_in_another_order_decides_the_same() -> None:
    document = other_order(ECHO.graph.document)
    graph = DecisionGraph(document, ECHO.graph.digest)
    extractor = Extractor(document["programs"], document["languages"])
    program = Program(graph, ECHO.source_map, extractor=extractor)
    for call in calls(ECHO):
        assert program.decide(call).to_dict() == ECHO.decide(call).to_dict(), call


def test_programs_in_another_order_do_the_same() -> None:
    one = Extractor(PROGRAMS, LANGUAGES)
    other = Extractor(other_order(dict(PROGRAMS)), other_order(dict(LANGUAGES)))
    place = Surroundings(cwd="/w", workspace="/w", home="/home/u")
    spec = [("shell", {"text": ("arg", "command", None)})]
    for call in calls(ECHO):
        if isinstance(text := call.get("args", {}).get("command"), str):
            found, again = (e.extract(spec, {"command": text}, place) for e in (one, other))
            assert list(map(plain, found.all)) == list(map(plain, again.all)), text


def plain(effect: Any) -> Any:
    return effect.kind, effect.fields, effect.certain, effect.through, effect.span
