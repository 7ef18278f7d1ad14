"""Code in a language to effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.effects.code.maker import Maker
from callgate.effects.code.python_reader import read_python
from callgate.effects.code.python_tree import parse_python, recoded
from callgate.effects.code.spec import Language
from callgate.effects.shell.bounds import MAX_BYTES, too_long
from callgate.effects.shell.words import Place
from callgate.effects.state import State

if TYPE_CHECKING:
    from callgate.effects.commands import Commands

__all__ = ["add_code_effects"]

_MAX_LEVEL: Final = 8
_SHELL: Final = "shell"
_ANY: Final = "*"
"""The entry for languages that have none."""


def add_code_effects(
    walker: Commands,
    language: str,
    text: str,
    state: State,
    place: Place,
    dialect: str = "",
    surely: bool = True,
) -> None:
    """Add the effects of code in another language than the shell's. `state`: that of the code
    itself, `place`: where its text stands, `dialect`: that of SQL, `surely`: whether nothing of
    the text is unknown. Never raises; what is not understood is opaque."""
    sink = walker.sink
    span = place.span(0, len(text))
    if state.level > _MAX_LEVEL:
        sink.opaque("code in code, nested too deep", span, state.through, bound=True)
        return
    if too_long(text):
        reason = f"the code is longer than {MAX_BYTES // 1024} KiB"
        sink.opaque(reason, span, state.through, bound=True)
        return
    if language == _SHELL:
        walker.text(text, state, place)
        return
    found = sink.programs.code.get(language)
    entry = found or sink.programs.code.get(_ANY) or Language(language)
    maker = Maker(walker, entry, state.copy(), place, add_code_effects)
    if found is None:
        maker.opaque("code in a language that nobody described", (0, len(text)))
    try:
        if entry.reader == "sql":
            _sql(text, entry, maker, dialect, surely)
        else:
            _READERS[entry.reader](text, entry, maker)
        maker.finish()
    except (RecursionError, MemoryError):
        sink.opaque("code that is nested too deep to read", span, state.through, bound=True)
    except Exception as error:
        # A mistake in a reader: it must not look like "nothing happens".
        reason = f"code that could not be read ({type(error).__name__})"
        sink.opaque(reason, span, state.through)


def _python(text: str, language: Language, maker: Maker) -> None:
    if "coding" in text and recoded(text):
        maker.opaque("code in an encoding of its own", (0, len(text)))
    tree = parse_python(text)
    if tree is not None:
        read_python(tree, language, maker)
        return
    maker.opaque("code that is not understood as Python", (0, len(text)))
    _tokens(text, language, maker)


def _tokens(text: str, language: Language, maker: Maker) -> None:
    from callgate.effects.code.token_reader import read_tokens

    read_tokens(text, language, maker)


def _sed(text: str, language: Language, maker: Maker) -> None:
    from callgate.effects.code.sed_reader import read_sed

    read_sed(text, maker)


def _make(text: str, language: Language, maker: Maker) -> None:
    from callgate.effects.code.make_reader import read_make

    read_make(text, maker)


def _sql(text: str, language: Language, maker: Maker, dialect: str, surely: bool) -> None:
    from callgate.effects.code.sql_reader import read_sql

    read_sql(text, language, maker, dialect, surely)


_READERS: Final = {"python": _python, "tokens": _tokens, "sed": _sed, "make": _make}
