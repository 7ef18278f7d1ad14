"""A bundle laid over the one it extends: one list of documents, in which what is replaced is gone.

What a bundle adds under a new name stands beside what it inherits. What has an inherited name must
be listed under `replaces`, with a reason; so must what is to be removed. A step that is replaced
leaves its place in the flow to the new one; steps are not added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from callgate.load.additions import additions, refuse_addition
from callgate.load.claims import ProgramClaims
from callgate.load.document import Document
from callgate.load.named import KINDS, Named, named
from callgate.load.prune import drop_paths
from callgate.load.replacing import Flows, same_flow
from callgate.model.diagnostic import Diagnostics
from callgate.model.inheritance import Replacement
from callgate.model.span import Span
from callgate.model.suggest import closest

__all__ = ["Layer", "lay_over"]

_Key = tuple[str, str]

_LOOSENING: Final = frozenset({"approvers", "grants.families", "reviewer"})
"""What a gate file may not say for an inherited one that is silent about it."""


@dataclass(slots=True)
class Layer:
    """The documents of a bundle by the name that it has; `lost`: the kinds of file of which
    something was refused."""

    name: str
    documents: Sequence[Document]
    lost: set[str]


def lay_over(
    base: Layer,
    own: Layer,
    manifest: Document,
    without: frozenset[str],
    diagnostics: Diagnostics,
) -> tuple[list[Document], tuple[Replacement, ...]]:
    """The documents of the base without what the manifest replaces, then one's own.

    `without`: kinds of file that were not read. Mistakes are reported, and what is wrong left out;
    `own.lost` then names the kinds of file.
    """
    return _Merge(base, own, manifest, without, diagnostics).result()


class _Merge:
    def __init__(
        self,
        base: Layer,
        own: Layer,
        manifest: Document,
        without: frozenset[str],
        diagnostics: Diagnostics,
    ) -> None:
        self.base = base
        self.own = own
        self.manifest = manifest
        self.without = without
        self.diagnostics = diagnostics
        self.inherited: dict[_Key, Named] = {}
        for item in _all(base.documents):
            self.inherited.setdefault((item.kind, item.name), item)

    def result(self) -> tuple[list[Document], tuple[Replacement, ...]]:
        """See `lay_over`."""
        named_by = self.replaced()
        gone = [self.inherited[key] for key in named_by]
        kept = {
            key: item
            for key, item in self.inherited.items()
            if not any(_within(item, other) for other in gone)
        }
        mine = {(item.kind, item.name): item for item in reversed(list(_all(self.own.documents)))}
        documents = self.without_clashes(kept, named_by, gone)
        self.check_additions(kept)
        found = [self.replacement(key, mine.get(key), span) for key, span in named_by.items()]
        steps = [key for key in named_by if key[0] == "step" and key in mine]
        flows = Flows(documents, {key[1]: self.inherited[key] for key in steps})
        inherited = [
            part
            for document in self.base.documents
            for part in flows.placed(document, _in(document, gone))
        ]
        return [*inherited, *flows.rest()], tuple(found)

    def replaced(self) -> dict[_Key, Span]:
        """What is named under `replaces`, and where; what replaces nothing is reported."""
        found: dict[_Key, Span] = {}
        for index, entry in enumerate(self.manifest.data.get("replaces") or ()):
            for kind in [kind for kind in KINDS if kind in entry]:
                key, span = (kind, entry[kind]), self.manifest.span("replaces", index, kind)
                if kind == "test" and "tests" in self.without:
                    continue
                if key in found:
                    self.nothing(f"{_what(key)} is named twice", span, "keep one of them")
                elif key in self.inherited:
                    found[key] = span
                else:
                    self.unknown(key, span)
        for key, span in list(found.items()):
            for other in found:
                if key != other and _within(self.inherited[key], self.inherited[other]):
                    message = f"{_what(key)} is part of {_what(other)}, which is replaced as well"
                    self.nothing(message, span, "leave it out")
                    del found[key]
                    break
        return found

    def unknown(self, key: _Key, span: Span) -> None:
        """Report an entry of `replaces` that names nothing inherited."""
        kind, name = key
        near = closest(name, [other for what, other in self.inherited if what == kind])
        elsewhere = [what for what in KINDS if (what, name) in self.inherited]
        help = "only what is inherited is listed here; what is new needs no entry"
        if near is not None:
            help = f"did you mean `{near}`?"
        elif elsewhere:
            help = f"did you mean `{elsewhere[0]}: {name}`?"
        elif self.base.lost:
            return
        self.nothing(f"`{self.base.name}` has no {KINDS[kind]} `{name}`", span, help)

    def nothing(self, message: str, span: Span, help: str) -> None:
        """Report an entry of `replaces` that replaces nothing."""
        self.diagnostics.error("C020", message, span, help)

    def without_clashes(
        self, kept: dict[_Key, Named], named_by: dict[_Key, Span], gone: Sequence[Named]
    ) -> list[Document]:
        """The own documents without what is inherited, and without steps that can't be added."""
        documents: list[Document] = []
        programs = [[i for i in found if i.kind == "program"] for found in (kept.values(), gone)]
        claims = ProgramClaims.by(*programs)
        for document in self.own.documents:
            dropped: list[Named] = []
            for item in named(document):
                key = (item.kind, item.name)
                if any(_within(item, other) for other in dropped):
                    continue
                if key in kept:
                    self.clash(item, kept[key])
                elif not self.may_stand(item, named_by):
                    self.added(item)
                elif item.kind != "program" or not self.claims_taken(item, claims):
                    continue
                dropped.append(item)
            if dropped:
                self.own.lost.add(document.kind)
                drop_paths(document.root, [item.path for item in dropped])
                document = Document(document.kind, document.source, document.root, incomplete=True)
            documents.append(document)
        return documents

    def may_stand(self, item: Named, named_by: dict[_Key, Span]) -> bool:
        """Whether something may be added, or takes the place of what is replaced."""
        if item.kind == "step":
            flows = [other for other in self.base.documents if other.kind == "flow"]
            if not any(same_flow(item.document, other) for other in flows):
                return True  # a flow that the base does not have
        elif item.kind == "gate":
            known = any(other.kind == "gate" for other in self.base.documents)
            if not known or item.name not in _LOOSENING:
                return True
        elif item.document.kind != "risk-map" or item.path[0] != "declared":
            return True
        first = self.inherited.get((item.kind, item.name))
        return first is not None and (
            (item.kind, item.name) in named_by and same_flow(item.document, first.document)
        )

    def clash(self, item: Named, first: Named) -> None:
        """Report what has an inherited name."""
        self.diagnostics.error(
            "C021",
            f"{_what((item.kind, item.name))} is inherited from `{self.base.name}`",
            item.span,
            "name it under `replaces` in bundle.yaml, with a reason, or choose another name",
            (("it is defined here", first.span),),
        )

    def claims_taken(self, item: Named, claims: ProgramClaims) -> bool:
        """Whether a program claims a name that an inherited one has, which is then reported."""
        found = claims.taken(item)
        if found is None:
            return False
        (name, span), what, first = found
        self.diagnostics.error(
            "C021",
            f"`{name}` is {what} the program `{first.name}` of `{self.base.name}`",
            span,
            f"leave it out, or replace that program: `program: {first.name}` under `replaces`",
            (("it is described here", first.span),),
        )
        return True

    def added(self, item: Named) -> None:
        """Report what might loosen the inherited: a step, a rule that gives a level of risk, what
        more may be approved with."""
        message = f"the step `{item.name}` can't be added to the flow of `{self.base.name}`"
        help = "write a guard, or replace one of the steps"
        names = [name for kind, name in self.inherited if kind == item.kind == "step"]
        near = closest(item.name, names)
        if near and near != item.name:
            help = f"did you mean `{near}`? {help[0].upper()}{help[1:]}"
        if item.kind == "gate":
            message = f"`{item.name}` can't be added to the gate of `{self.base.name}`"
            help = "more could be approved with it: only a bundle that has a gate file may say it"
        elif item.kind != "step":
            message = f"`{item.name}` can't be added to the `declared` of `{self.base.name}`"
            help = "raise the level of risk under `raise`, or replace one of the rules"
        self.diagnostics.error("C022", message, item.span, help)

    def check_additions(self, kept: dict[_Key, Named]) -> None:
        """Report additions to lists that are not inherited, or not open."""
        for document in self.own.documents:
            for name in additions(document):
                item = kept.get(("list", name))
                if item is None:
                    known = [other for kind, other in kept if kind == "list"]
                    near = closest(name, known)
                    message = f"`{self.base.name}` has no list `{name}` to add to"
                    help = f"did you mean `{near}`?" if near else "give it `type`, `doc`, `items`"
                elif not item.document.data["lists"][name].get("open"):
                    message = f"the list `{name}` of `{self.base.name}` is not open"
                    help = f"replace it as a whole: `replaces: [{{list: {name}, reason: …}}]`"
                else:
                    continue
                refuse_addition(document, name, message, help, self.diagnostics)
                self.own.lost.add(document.kind)

    def replacement(self, key: _Key, mine: Named | None, span: Span) -> Replacement:
        """One entry of `replaces`, which is put on record."""
        kind, name = key
        entries = self.manifest.data["replaces"]
        reason = next(entry.get("reason", "") for entry in entries if entry.get(kind) == name)
        done = "is removed" if mine is None else "is replaced"
        self.diagnostics.info(
            "C024",
            f"{_what(key)} of `{self.base.name}` {done}: {' '.join(reason.split())}",
            span,
        )
        return Replacement(kind, name, reason, self.base.name, mine is not None, span)


def _all(documents: Iterable[Document]) -> Iterable[Named]:
    for document in documents:
        yield from named(document)


def _what(key: _Key) -> str:
    kind, name = key
    return f"the {KINDS.get(kind, kind)} `{name}`"


def _within(item: Named, other: Named) -> bool:
    """Whether a thing is another one, or part of it."""
    return item.document is other.document and item.path[: len(other.path)] == other.path


def _in(document: Document, items: Iterable[Named]) -> list[Named]:
    return [item for item in items if item.document is document]
