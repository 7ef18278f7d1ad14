"""A decision's JSON form in canonical bytes, for calls without secrets: as `Decision.to_dict`, in
a fraction of the time.

Most of it is the same for every call that takes the same way through the graph: its *story*, which
is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from callgate.model.decision import Decision
from callgate.model.values import UNKNOWN
from callgate.record.form_effects import EffectForms, Shown
from callgate.record.values import canonical
from callgate.runtime.answers import answer_of
from callgate.runtime.frame import Frame, Match
from callgate.runtime.render import View, strictest

if TYPE_CHECKING:
    from callgate.runtime.interpreter import Program

__all__ = ["VARYING", "Form", "Forms"]

VARYING: Final = (
    "answers",
    "assumed",
    "call",
    "decision_id",
    "duration_us",
    "effects",
    "gate",
    "id",
    "matched",
    "observed",
    "pending",
    "reason",
    "settings_digest",
    "span_id",
    "timestamp",
    "trace_id",
)
"""The fields of a record that differ from call to call on the same way, sorted."""

_TOLD_APART: Final = frozenset({"assumed", "effects", "id", "matched", "pending", "reason"})
_NONE: Final = b"[]"
_NULL: Final = b"null"
_MOST_WAYS: Final = 1024


class Form(NamedTuple):
    """A decision in its JSON form: a template with a `%b` for each of `VARYING`, and those of them
    that the form has. `source`: who let it pass, as `approval_source`."""

    template: bytes
    source: str | None
    assumed: bytes
    effects: bytes
    id: bytes
    matched: bytes
    pending: bytes
    reason: bytes


class _Way:
    """A way through the graph. `readers`: what gives the values of its nodes that the way does not
    tell; `reason`: why, where that is the same for all calls; `notes`: a rule of the flow would
    have decided."""

    __slots__ = ("notes", "readers", "reason", "stories")

    def __init__(
        self, readers: list[Callable[[Frame], Any]], reason: bytes | None, notes: bool
    ) -> None:
        self.readers = readers
        self.reason = reason
        self.notes = notes
        self.stories: dict[Any, tuple[bytes, str | None]] = {}


class Forms:
    """The forms of one program's decisions. `fixed`: the other fields of a record that are the same
    for all of them, as canonical JSON."""

    def __init__(self, program: Program, fixed: Mapping[str, bytes]) -> None:
        self.program = program
        self.shown = Shown(program.masker, program.settings_secrets)
        self._fixed = fixed
        self._effects = EffectForms(program.masker, self.shown)
        self._ways: dict[tuple[int, ...], _Way] = {}
        self._matches: dict[tuple[int, str, str], tuple[bytes, bytes]] = {}

    def of(self, decision: Decision) -> Form | None:
        """The form of a decision that was walked and did not fail, about a call in which there are
        no secrets but those that programs take for some: then it is None. Raises what the
        conditions raise that it reads again."""
        frame: Frame = decision.frame
        # What the walk spent does not count for those who tell of it.
        frame.work = 0
        program = self.program
        found = frame.effects
        told = self._effects.of(frame, program.effects_of(frame) if found is None else found)
        if told.secret:
            return None
        way = self._way(decision)
        matches = frame.matches
        key = (
            decision.outcome,
            tuple([read(frame) for read in way.readers]),
            frame.tool,
            frame.called_as,
            frame.live,
            getattr(frame, "risk", None),
            frame.capabilities,
            tuple([match.guard for match in matches if match.decide == "ask" and match.stands]),
        )
        story = way.stories.get(key)
        if story is None:
            story = self._story(decision, way, key)
        matched, pending, reason, id_ = _NONE, _NULL, way.reason, _NULL
        if matches or way.notes or reason is None or frame.id is not None:
            view = _View(self, decision)
            if way.notes:
                matched = canonical(view.all_matched())
            elif matches:
                matched = b"[%b]" % b",".join([self._matched(view, match) for match in matches])
            if reason is None:
                reason = canonical(view.reason())
            if decision.outcome.pending is not None:
                pending = canonical(view.pending())
            if frame.id is not None:
                id_ = canonical(view.shown_id())
        return Form(*story, told.assumed, told.effects, id_, matched, pending, reason)

    def _matched(self, view: View, match: Match) -> bytes:
        """A guard's match, as `View.matched` tells it."""
        if not match.stands:
            return canonical(view.matched(match))
        key = (match.guard, match.decide, match.approval)
        ends = self._matches.get(key)
        if ends is None:
            # `reason` and `rule` are the last of its keys.
            told = view.matched(match)
            rule = b',"rule":%b}' % canonical(told.pop("rule"))
            del told["reason"]
            ends = self._matches[key] = b'%b,"reason":' % canonical(told)[:-1], rule
        return b"%b%b%b" % (ends[0], canonical(view.match_reason(match)), ends[1])

    # -- ways and stories

    def _way(self, decision: Decision) -> _Way:
        numbers = tuple(decision.trace)
        way = self._ways.get(numbers)
        if way is None:
            if len(self._ways) >= _MOST_WAYS:
                self._ways.clear()
            way = self._ways[numbers] = self._new_way(numbers, decision)
        return way

    def _new_way(self, numbers: tuple[int, ...], decision: Decision) -> _Way:
        nodes = self.program.graph.nodes
        readers = [
            reader
            for number in numbers
            if (reader := self._reader(number, nodes[abs(number) - 1])) is not None
        ]
        last = nodes[abs(numbers[-1]) - 1]
        why = self.program.reasons.of(last[4]) if last[0] == "decide" else None
        reason = None
        if last[0] == "decide" and (why is None or why.plain is not None):
            reason = canonical(_View(self, decision).reason())
        return _Way(readers, reason, any(nodes[abs(n) - 1][0] == "note" for n in numbers))

    def _reader(self, number: int, node: list[Any]) -> Callable[[Frame], Any] | None:
        """What gives the value of a node as the form shows it; None where the way tells it."""
        kind, program = node[0], self.program
        if kind == "guards":
            return lambda frame: strictest(frame.matches)
        if kind == "consult":
            who, errors = node[3], program.reply_errors(abs(number))
            return lambda frame: answer_of(who, frame.answers, errors)
        if kind == "switch":
            on = program.test_of(abs(number))
            show = self.shown.show
            return lambda frame: show(on(frame))
        if kind == "branch" and number < 0:
            test = program.test_of(-number)
            return lambda frame: None if test(frame) is UNKNOWN else False
        return None

    def _story(self, decision: Decision, way: _Way, key: Any) -> tuple[bytes, str | None]:
        """The template of all records of calls with this key, and the `approval_source`."""
        decision.frame.work = 0
        told = _View(self, decision).to_dict()
        fields = {name: canonical(value) for name, value in told.items() if name not in _TOLD_APART}
        fields.update(self._fixed, live=b"true" if decision.frame.live else b"false")
        parts = [
            b'"%b":%b' % (name.encode(), b"%b" if name in VARYING else _literal(fields[name]))
            for name in sorted({*fields, *VARYING})
        ]
        if len(way.stories) >= _MOST_WAYS:
            way.stories.clear()
        story = way.stories[key] = (b"{%b}" % b",".join(parts), told["approval_source"])
        return story


class _View(View):
    """A view of a call without secrets: what it shows was mostly shown before."""

    def __init__(self, forms: Forms, decision: Decision) -> None:
        self.program = forms.program
        self.decision = decision
        self.frame = decision.frame
        self.masker = forms.program.masker
        self.secrets = forms.program.settings_secrets
        self.hides = False
        self._shown = forms.shown

    def show(self, value: Any) -> str:
        """See `View`."""
        return self._shown.show(value)


def _literal(text: bytes) -> bytes:
    """A text in a template."""
    return text.replace(b"%", b"%%")
