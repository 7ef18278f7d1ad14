"""Takes comments out of the texts that a shell text hands to interpreters: `bash -c '…'`,
`python3 - <<'X'`. Only texts that stand there letter by letter are touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from callgate.effects.shell.heredocs import Heredoc, mask
from callgate.effects.shell.scanner import ScanError
from callgate.effects.shell.tree import Span
from callgate.model.effect import Effect

__all__ = ["without_nested"]

_EXPANDS: Final = frozenset("\\$`")


def without_nested(
    text: str,
    argument: str,
    effects: Iterable[Effect],
    strip: Callable[[str, str], str],
) -> tuple[str, dict[str, str]]:
    """The text with what it hands over stripped; and what was handed over → what is left of it.

    `argument`: the name of the call's argument that the text is; `effects`: those of the call;
    `strip(language, text)`: takes comments out.
    """
    languages: dict[Span, set[str]] = {}
    for effect in effects:
        if effect.kind == "interpret" and effect.argument == argument and effect.span:
            named = str(effect.fields["language"])
            sure = effect.certain and effect.fields["source"] == "inline"
            languages.setdefault(effect.span, set()).add(named if sure else "")
    if not languages:
        return text, {}
    parts: list[str] = []
    changed: dict[str, str] = {}
    at = 0
    for (start, end), language in sorted(_inside(text, languages)):
        inner = text[start:end]
        left = strip(language, inner)
        if start >= at and left != inner:
            changed[inner] = left
            parts += (text[at:start], left)
            at = end
    return "".join((*parts, text[at:])), changed


def _inside(text: str, languages: Mapping[Span, set[str]]) -> Iterator[tuple[Span, str]]:
    """Where the texts stand that are sure to be in one language."""
    heredocs = _heredocs(text)
    for (start, end), named in languages.items():
        if len(named) != 1 or "" in named:
            continue
        body = heredocs.get(start)
        if body is not None:
            inner = (body.start, body.end)
            if not body.dash and (body.literal or not _EXPANDS & set(text[slice(*inner)])):
                yield inner, next(iter(named))
            continue
        quote, inner = text[start : start + 1], (start + 1, end - 1)
        letters = set(text[slice(*inner)])
        if end - start < 2 or quote not in ("'", '"') or text[end - 1] != quote or quote in letters:
            continue
        if quote == "'" or not _EXPANDS & letters:
            yield inner, next(iter(named))


def _heredocs(text: str) -> Mapping[int, Heredoc]:
    if "<<" not in text:
        return {}
    try:
        return mask(text).heredocs
    except ScanError:
        return {}
