"""What a call would do, and which rule minds: made of the decision that the engine took."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from callgate.analysis.effect_nodes import Numbered, Raw, nodes_of
from callgate.analysis.effect_text import ShownText, shown_text
from callgate.analysis.effect_tree import shown_tree, why_unknown, words_in
from callgate.analysis.effect_view import (
    ArgumentView,
    EffectsView,
    EffectView,
    FiredView,
    RuleView,
    TreeNode,
)
from callgate.analysis.effect_wording import phrase_of
from callgate.effects.command import ParsedCommand
from callgate.effects.shell.tree import Word
from callgate.model.decision import Decision
from callgate.model.effect import EFFECT_GROUPS, Effect, EffectSet
from callgate.model.values import UNKNOWN
from callgate.runtime.effect_form import effect_form
from callgate.runtime.frame import Frame, IdleMatch, Match, TooMuchWorkError
from callgate.runtime.interpreter import Program
from callgate.runtime.masking import MASK
from callgate.runtime.render import View
from callgate.runtime.run_words import showing_words

__all__ = ["explain_effects"]

_RANK: Final = {"deny": 0, "ask": 1, "note": 2}
_SHORTEST: Final = 4
_SHORTEST_VALUE: Final = 6
_NAMES: Final = re.compile(r"[=:\s\"'/@]+")
_LONGEST_SOURCE: Final = 60
_MOST_SECRETS: Final = 100


def explain_effects(decision: Decision) -> EffectsView:
    """The effects of a call that `callgate.engine` decided, as they can be shown.

    Every guard is tried on every effect, also where an earlier one has decided. A call that could
    not be judged has no effects.
    """
    return _Explainer(decision).view()


class _Explainer:
    def __init__(self, decision: Decision) -> None:
        self.program = cast("Program", decision.source)
        self.shower = View(self.program, decision)
        self.frame: Frame | None = self.shower.frame
        found = self.program.safe_effects(self.frame) if self.frame else None
        self.found = found or EffectSet()
        self.shells = self._shells()
        self.texts = self._texts()
        self.numbered: list[Numbered] = list(enumerate(self.found.all, start=1))
        self.trees, self.commands = self._trees()
        self.judged = True

    def view(self) -> EffectsView:
        """Everything together."""
        fired, rules = self._guards()
        effects = [self._effect(number, effect, fired) for number, effect in self.numbered]
        arguments = tuple(
            ArgumentView(name, text, self.trees.get(name)) for name, text in self.texts.items()
        )
        told = self.shower.to_dict()
        return EffectsView(told, arguments, tuple(effects), tuple(rules), self.judged)

    # -- texts

    def _texts(self) -> dict[str, ShownText]:
        """The arguments that effects stand in. What is masked in them is masked everywhere."""
        if self.frame is None:
            return {}
        shower, args = self.shower, self.frame.args
        # So many secrets are shown of no call.
        whole = shower.show("") == MASK
        named = [effect.argument for effect in self.found.all if effect.span is not None]
        texts: dict[str, str] = {
            name: args[name]
            for name in dict.fromkeys([*named, *self.shells])
            if name is not None and isinstance(args.get(name), str)
        }
        found: set[str] = set()
        for value in texts.values():
            for start, end in shower.masker.hidden(value, shower.secrets):
                found.update(_secrets(value[start:end]))
        longest_first = sorted(found, key=lambda text: (-len(text), text))
        shower.secrets = (*longest_first[:_MOST_SECRETS], *shower.secrets)
        return {
            name: shown_text(
                value,
                [(0, len(value))]
                if whole or shower.masker.is_secret(name)
                else shower.masker.hidden(value, shower.secrets),
            )
            for name, value in texts.items()
        }

    # -- the tree

    def _trees(self) -> tuple[dict[str, TreeNode], dict[int, tuple[Word, ...]]]:
        """The tree of each shell text; and of each effect the words of the command that has it."""
        trees: dict[str, TreeNode] = {}
        words: dict[int, tuple[Word, ...]] = {}
        for name, text in self.texts.items():
            if name not in self.shells:
                continue
            effects = [item for item in self.numbered if item[1].argument == name]
            try:
                root, fits = nodes_of(text.text, effects)
            except RecursionError:
                continue
            if fits or self.shells[name]:
                trees[name] = shown_tree(root, text, self.shower.show)
                words.update(_words(root))
        return trees, words

    def _shells(self) -> dict[str, bool]:
        """The arguments that may be shell text; true for those that surely are."""
        frame = self.frame
        document = self.program.graph.document
        if frame is None:
            return {}
        specs = list(document["tools"].get(frame.tool, {}).get("effects", ()))
        for item in frame.dynamic:
            specs += item.get("effects", ())
        shells: dict[str, bool] = {}
        for kind, fields, _ in specs:
            source = fields.get("text") if kind in ("shell", "code") else None
            if source and source[0] == "arg":
                shells[source[1]] = kind == "shell" or shells.get(source[1], False)
        return shells

    # -- the guards

    def _guards(self) -> tuple[dict[int, list[FiredView]], list[RuleView]]:
        if self.frame is None:
            return {}, []
        numbers = {id(effect): number for number, effect in self.numbered}
        for group, (_, kinds) in EFFECT_GROUPS.items():
            whole = [number for number, effect in self.numbered if effect.kind in kinds]
            members = self.found.of(group)
            numbers.update(
                (id(member), number) for member, number in zip(members, whole, strict=True)
            )
        fired: dict[int, list[FiredView]] = {}
        rules: dict[tuple[str, str, str], tuple[Match, list[int]]] = {}
        for match in self._matches():
            told = self._fired(match)
            number = numbers.get(id(match.effect), 0)
            if number:
                fired.setdefault(number, []).append(told)
            key = (told.rule, told.decide, told.idle)
            _, ids = rules.setdefault(key, (match, []))
            if number:
                ids.append(number)
        found = [self._rule(*key, *rules[key]) for key in rules]
        return fired, sorted(found, key=lambda rule: (bool(rule.idle), _RANK[rule.decide]))

    def _matches(self) -> Iterator[Match]:
        """What the guards come to; ends early where there is too much to judge."""
        assert self.frame is not None
        kept, self.frame.work = self.frame.work, 0
        try:
            yield from self.program.guards.every(self.frame, self.found)
        except TooMuchWorkError:
            self.judged = False
        except Exception:
            # A condition that fails denies the call; the decision says why.
            self.judged = False
        finally:
            self.frame.work = kept

    def _fired(self, match: Match) -> FiredView:
        rule = str(self.shower.matched(match)["rule"]) if match.guard < 0 else self._id(match)
        idle = ""
        if isinstance(match, IdleMatch):
            idle = match.exception or "shadow"
        return FiredView(rule, match.decide, not match.unresolved, idle)

    def _id(self, match: Match) -> str:
        return str(self.program.guards.forms[match.guard]["id"])

    def _rule(
        self, rule: str, decide: str, idle: str, match: Match, ids: Sequence[int]
    ) -> RuleView:
        told = self.shower.matched(match)
        origin = self.program.sources.rules.get(rule)
        place = f"{origin.file}:{origin.line}" if origin and origin.file else ""
        numbers = tuple(dict.fromkeys(ids))
        return RuleView(rule, decide, told["approval"], told["reason"], place, numbers, idle)

    # -- the effects

    def _effect(self, number: int, effect: Effect, fired: dict[int, list[FiredView]]) -> EffectView:
        text = self.texts.get(effect.argument) if effect.argument else None
        line = column = 0
        if text is not None and effect.span is not None:
            line = text.line_of(effect.span[0])
            column = effect.span[0] - text.starts[line] + 1
            line += 1
        guards = sorted(fired.get(number, ()), key=lambda item: _RANK[item.decide])
        return EffectView(
            number,
            self._form(effect),
            phrase_of(effect, self._shown_of(effect), self._source(number, effect)),
            effect.argument,
            effect.span,
            line,
            column,
            tuple(dict.fromkeys(guards)),
            self._why(number, effect, text),
        )

    def _form(self, effect: Effect) -> dict[str, Any]:
        return effect_form(effect, self._shown_of(effect), self.shower.masker)

    def _shown_of(self, effect: Effect) -> Any:
        """What shows the values of an effect: a variable that is called secret hides its value."""
        show = showing_words(self.shower.masker, effect, self.shower.show)
        name = effect.fields.get("name") if effect.kind == "environment" else None
        if not isinstance(name, str) or not self.shower.masker.is_secret(name):
            return show
        value = effect.fields["value"]
        return lambda item: MASK if item == value and item != name else show(item)

    def _source(self, number: int, effect: Effect) -> str:
        """What stands for a field that is not resolved: the text that it comes from."""
        text = self.texts.get(effect.argument) if effect.argument else None
        words = self.commands.get(number, ())
        if text is None or effect.span is None:
            return "something unknown"
        if words and (words[0].span[0], words[-1].span[1]) == effect.span:
            # No word says it, as of the folder that a command works in.
            return f"what {self.shower.show(words[0].text)} works on"
        written = text.slice(effect.span)
        if not written or len(written) > _LONGEST_SOURCE:
            return "something unknown"
        if words and all(word.text is not UNKNOWN for word in words_in(words, effect.span)):
            # The text is known, and yet not all that it stands for.
            return f"what `{written}` leads to"
        return f"`{written}`"

    def _why(self, number: int, effect: Effect, text: ShownText | None) -> tuple[str, ...]:
        unknown = any(value is UNKNOWN for value in effect.fields.values())
        if not unknown or effect.kind == "run":
            return ()
        found = why_unknown(effect, self.commands.get(number, ()), text) if text else ()
        return found or ("not resolved",)


def _secrets(hidden: str) -> Iterator[str]:
    """What a masked part of a text holds: all of it, and the value alone, as it may stand elsewhere
    without a name that gives it away."""
    text = hidden.strip("\"'")
    if len(text) >= _SHORTEST:
        yield text
    value = _NAMES.split(text)[-1]
    if len(value) >= _SHORTEST_VALUE:
        yield value


def _words(root: Raw) -> Iterator[tuple[int, tuple[Word, ...]]]:
    todo = [root]
    while todo:
        raw = todo.pop()
        parsed = raw.parsed
        words = list(parsed.words) if isinstance(parsed, ParsedCommand) else []
        if raw.command is not None:
            words += [redirect.target for redirect in raw.command.redirects]
        shared = tuple(words)
        for number, _ in raw.effects:
            yield number, shared
        todo += raw.parts
        todo += raw.inner
