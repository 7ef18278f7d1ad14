"""Whether the masks of a call hide more than secrets.

What stands under a secret's name is masked wherever else it turns up, and what follows such a name
in a text is, too. An agent chooses names and texts: it could hide a path, a host or a line of a
script that way. Nobody can agree to what they can't see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.effects.interpreted import SHELL
from callgate.gate.brief_text import languages_of
from callgate.gate.secret_places import hides_in_commands
from callgate.model.effect import Effect
from callgate.model.values import UNKNOWN
from callgate.runtime.call_secrets import texts_of
from callgate.runtime.masking import MASK
from callgate.runtime.run_words import hidden_words, line_of_run

if TYPE_CHECKING:
    from callgate.runtime.masking import Masker
    from callgate.runtime.render import View

__all__ = ["assigned", "hides_more", "masked_json"]

_NAME: Final = re.compile(
    r"""(?i)(?:[\w.-]*\\*["']?\]?\s*[=:]\s*\\*["']?)?(?:(?:bearer|basic|token)\s+)?["']?"""
)
"""What a pattern may hide before the secret itself."""
_OPAQUE: Final = re.compile(r"[A-Za-z0-9+_][A-Za-z0-9+/_.-]{7,}={0,2}")
"""A token: nothing that a text would say."""
_ALSO: Final = re.compile(
    r"\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}"  # where the secret is, not what it is
    r"|://[\w.~%+!,=-]*:[\w.~%+!,=*-]+@"
    r"""|["']?[\w.@+-]+:[A-Za-z0-9+_][A-Za-z0-9+/_.-]{3,}={0,2}["']?"""  # a user's name before it
    r"""|\[\s*(?:\\*["'][A-Za-z0-9+_][A-Za-z0-9+/_.-]{7,}={0,2}\\*["']?(?:\s*,)?\s*)+"""  # a list
)
_SPACE: Final = r"(?:\s|\\+[nr])+"
_KEY: Final = re.compile(
    rf"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:{_SPACE}(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [\w,-]+))*"
    rf"(?:{_SPACE}[A-Za-z0-9+/]{{40,}}={{0,2}})*(?:{_SPACE}[A-Za-z0-9+/]{{8,}}={{0,2}})?"
    rf"(?:(?:{_SPACE})?-----END [A-Z ]*PRIVATE KEY-----)?"
)
"""A private key: all its lines but the last are longer than what a text would say."""
_SAYS_MORE: Final = re.compile(r"[`(]|\S\s+\S+\s+\S")
"""What stands under a secret's name and is a command or a sentence."""
_BLOCK: Final = re.compile(r"\s*-----BEGIN [A-Z ]+-----[\sA-Za-z0-9+/=]+-----END [A-Z ]+-----\s*")
_MARKS: Final = re.compile(r"[\s`;|&<>()]|^-")
"""What a secret in a command hardly holds."""
_HERE: Final = "<<"
_CREDENTIALS: Final = re.compile(r"://[^/?#@]*@$")


def hides_more(view: View, effects: Iterable[Effect], names: Iterable[str] = ()) -> bool:
    """Whether something would be hidden that is more than a secret: a word of an effect, an
    argument that is none by its own name, more than one opaque token of a text.

    `view`: of a call that was walked. `effects`: its effects; `names`: what else is shown of it, as
    folders, where nothing may be hidden.
    """
    frame, masker = view.frame, view.masker
    if frame is None or view.hides:
        return True
    planted = masker.secrets(frame.args)
    shown = (frame.tool, frame.called_as, *names)
    if any(masker.mask(text, view.secrets) != text for text in shown):
        return True
    code = languages_of(view.program, frame)
    found = view.program.safe_effects(frame)
    secrets = () if found is None else found.secrets
    given = [text for secret in secrets for text in texts_of(secret, frame.args)]
    for name, value in frame.args.items():
        if _covers(masker, name, planted, view.secrets):
            return True
        if masker.is_secret(name):
            if name in code or any(map(_says_more, masker.texts_in(value))):
                return True
            continue
        if any(map(_says_more, _named_texts(masker, value))):
            return True
        shell = code.get(name) == SHELL and _HERE not in str(value)
        text = value if isinstance(value, str) else masked_json(masker, value)
        # In a command a secret may stand anywhere: effects tell what it does.
        loose = planted if shell else (*planted, *given)
        spans = [secret.span for secret in secrets if secret.argument == name]
        if _covers(masker, text, loose, view.secrets, shell=shell, spans=spans):
            return True
    if found is not None and hides_in_commands(view, found):
        return True
    obeyed = view.program.extractor.programs.obeyed
    return any(
        _hides_effect(masker, effect, planted, _told(effect, given, obeyed), view.secrets)
        for effect in effects
    )


def _told(effect: Effect, given: Sequence[str], obeyed: Callable[[str], bool]) -> Sequence[str]:
    """The secrets of programs that an effect may not hide. The value of a variable that nothing
    obeys does no more than be what it is."""
    name = effect.fields["name"] if effect.kind == "environment" else UNKNOWN
    return given if not isinstance(name, str) or obeyed(name) else ()


def _named_texts(masker: Masker, value: Any) -> Iterator[str]:
    """The texts that are masked in a JSON value because of the names that stand with them."""
    todo = [(value, False)]
    while todo:
        for _, part, hidden, pairs in masker.parts(*todo.pop()):
            if hidden:
                yield from masker.texts_in(part)
            else:
                todo.append((part, pairs))


def _says_more(text: str) -> bool:
    return _SAYS_MORE.search(text) is not None and _BLOCK.fullmatch(text) is None


def _covers(
    masker: Masker,
    text: str,
    planted: Sequence[str],
    secrets: Sequence[str],
    *,
    shell: bool = False,
    spans: Sequence[tuple[int, int]] = (),
) -> bool:
    """Whether the mask covers more of a text than secrets. `spans`: where words stand that are
    given to programs as secrets."""
    every = masker.hidden(text, secrets)
    if not every:
        return False
    own = [*masker.hidden(text), *spans]
    if any(
        not any(start <= at and at + len(secret) <= end for start, end in own)
        for secret in planted
        for at in _places(text, secret)
    ):
        return True
    return any(not _is_secret(text[start:end], shell) for start, end in every)


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_secret(text: str, shell: bool) -> bool:
    """Whether what is hidden is one secret and no more. In a command it may be of any length: its
    effects tell what it does."""
    found = _NAME.match(text)
    bare = text[found.end() if found else 0 :].rstrip("\"'")
    for part in (text, bare):
        if _OPAQUE.fullmatch(part) or _ALSO.fullmatch(part) or _KEY.fullmatch(part):
            return True
    return bare == MASK or (shell and _MARKS.search(bare) is None)


def _hides_effect(
    masker: Masker,
    effect: Effect,
    planted: Sequence[str],
    given: Sequence[str],
    secrets: Sequence[str],
) -> bool:
    """Whether more than a secret would be hidden of an effect. `planted`: what is masked because an
    argument or a pattern says so; `given`: because it is given to a program as a secret, where only
    the program's own words may be hidden."""
    fields = effect.fields
    if effect.kind == "run":
        return (
            _hides_value(masker, "program", fields["program_path"], secrets)
            or _covers(masker, line_of_run(effect), planted, secrets, shell=True)
            or _hides_operand(masker, effect)
        )
    if effect.kind == "environment":
        name, value = fields["name"], fields["value"]
        if _hides_value(masker, "name", name, secrets):
            return True
        if not isinstance(value, str) or assigned(masker, name, value) == MASK:
            return False
        return _covers(masker, value, (*planted, *given), secrets, shell=True)
    if effect.kind in ("opaque", "schedule"):
        told = fields["reason" if effect.kind == "opaque" else "text"]
        said = (*planted, *given)
        return isinstance(told, str) and _covers(masker, told, said, secrets, shell=True)
    return any(_hides_value(masker, name, value, secrets) for name, value in fields.items())


def _hides_operand(masker: Masker, effect: Effect) -> bool:
    """Whether what a command works on would be hidden because of the word before it: many an option
    only sounds as if a secret followed."""
    operands = effect.fields["operands"]
    named = [effect.fields["subcommand"], *(() if operands is UNKNOWN else operands)]
    return any(word in named for word in hidden_words(masker, effect))


def _hides_value(masker: Masker, name: str, value: Any, secrets: Sequence[str]) -> bool:
    """Whether a part of an effect would be hidden; of a URL, more than credentials."""
    if isinstance(value, list | tuple):
        return any(_hides_value(masker, name, item, secrets) for item in value)
    if not isinstance(value, str):
        return False
    ranges = masker.hidden(value, secrets)
    if name != "url":
        return bool(ranges)
    own = masker.hidden(value)
    query = value.find("?")
    return any(
        place not in own
        or not _is_secret(value[place[0] : place[1]], False)
        or not (0 <= query < place[0] or _CREDENTIALS.match(value[place[0] : place[1]]))
        for place in ranges
    )


def assigned(masker: Masker, name: Any, value: str, secrets: Sequence[str] = ()) -> str:
    """The value of a variable, masked as a whole where its name says that it is a secret."""
    if isinstance(name, str):
        pair = f"{name}="
        if masker.is_secret(name) or masker.mask(pair + value) != pair + masker.mask(value):
            return MASK
    return masker.mask(value, secrets)


def masked_json(masker: Masker, value: Any) -> str:
    """A value as JSON, without what stands under secret keys."""
    value = _without(masker, value)
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return "unknown" if value is UNKNOWN else repr(value)


def _without(masker: Masker, value: Any, pair: bool = False) -> Any:
    if not isinstance(value, Mapping | list | tuple):
        return value
    parts = {
        key: MASK if hidden else _without(masker, part, pairs)
        for key, part, hidden, pairs in masker.parts(value, pair)
    }
    return parts if isinstance(value, Mapping) else list(parts.values())
