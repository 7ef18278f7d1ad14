"""No bundle, however damaged, makes assembling fail other than with diagnostics."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callgate.compiler.assemble import assemble
from callgate.model.diagnostic import Diagnostics
from tests.check.standard import bundle_of
from tests.compiler.assembling import BASE

WORDS = sorted({word for text in BASE.values() for word in text.replace(",", " ").split()})

fuzzed = settings(deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, str]:
    """The base bundle with a few words taken out, replaced by others, or pieces cut off."""
    files = dict(BASE)
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(sorted(files)))
        text = files[name]
        start = draw(st.integers(0, len(text)))
        kind = draw(st.sampled_from(("cut", "word", "text", "end")))
        if kind == "end":
            files[name] = text[:start]
            continue
        end = min(len(text), start + draw(st.integers(0, 12)))
        new = ""
        if kind == "word":
            start, end = text.rfind(" ", 0, start) + 1, (text + " ").find(" ", start)
            new = draw(st.sampled_from(WORDS))
        elif kind == "text":
            new = draw(st.text(max_size=4) | st.text("{}[]:,\"'`|& -\n#", max_size=4))
        files[name] = text[:start] + new + text[end:]
    return files


@fuzzed
@given(damaged())
def test_damage_is_reported_not_raised(files: dict[str, str]) -> None:
    diagnostics = Diagnostics()
    bundle = bundle_of({f"{name}.yaml": text for name, text in files.items()}, diagnostics)
    assert bundle is not None
    policy = assemble(bundle, diagnostics)
    assert (policy is None) == diagnostics.has_errors
    for found in diagnostics.sorted():
        assert found.message
        assert found.span is not None
