"""A mutant → the typed policy that it makes, without reading the bundle again.

Of a guard only its own lines are read and checked; of other files the file, and then the part of
the policy that stands in it. Where a file gives names to the conditions of others (the vocabulary's
facts, lists), all conditions are checked anew, from documents that are there already.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

from callgate.compiler.assemble import prepare
from callgate.compiler.assemble_definitions import with_definitions
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_flow import build_flow
from callgate.compiler.assemble_order import check_order
from callgate.compiler.assemble_profiles import build_profiles, build_security_profiles
from callgate.compiler.assemble_risk import build_risk
from callgate.compiler.assemble_rules import build_guards, build_invariants
from callgate.compiler.assemble_visibility import build_visibility
from callgate.compiler.assembly import Assembly
from callgate.compiler.stricter import report_weakening
from callgate.lang.check import Checker
from callgate.load.bundle import Bundle
from callgate.load.document import Document
from callgate.load.nodes import Sequence
from callgate.load.reader import read_document
from callgate.model.diagnostic import Diagnostics
from callgate.model.policy import Flow, Guard, Policy
from callgate.policytest.mutation.mutant import Mutant
from callgate.policytest.mutation.page import Edit, edited

__all__ = ["Rebuilder"]

_T = TypeVar("_T")

_HEAD: Final = "kind: guards\nrules:\n"


class Rebuilder:
    """Makes the policies of a bundle's mutants. `bundle`: what was read; `policy`: what it says."""

    def __init__(self, bundle: Bundle, policy: Policy) -> None:
        self.bundle = bundle
        self.policy = policy
        self._assembly = prepare(bundle, Diagnostics())
        self._documents = {document.file: document for document in bundle.documents}
        self._checkers: dict[str, Checker] = {}
        self._numbers = {guard.id: number for number, guard in enumerate(policy.guards)}

    @property
    def enums(self) -> list[tuple[str, ...]]:
        """The members of every enum of the bundle."""
        return [tuple(enum.members) for enum in self._assembly.enums.values()]

    def policy_of(self, mutant: Mutant) -> Policy | None:
        """The policy with the change, or None where it can't be used: then no test is needed."""
        if mutant.removed:
            number = self._numbers[mutant.rule]
            guards = self.policy.guards
            return self._sound(replace(self.policy, guards=guards[:number] + guards[number + 1 :]))
        if mutant.guard is not None:
            guard = self._guard(mutant, mutant.guard)
            if guard is None:
                return None
            number, changed = self._numbers[mutant.rule], list(self.policy.guards)
            changed[number] = replace(guard, examples=changed[number].examples)
            return self._sound(replace(self.policy, guards=tuple(changed)))
        document = self._read(mutant)
        if document is None:
            return None
        if mutant.kind == "vocabulary":
            return self._whole(document)
        return self._part(mutant, document)

    # -- one guard

    def _guard(self, mutant: Mutant, index: int) -> Guard | None:
        """A guard of which only its own lines are read."""
        document = self._documents[mutant.file]
        rules = document.root.entries["rules"][1]
        assert isinstance(rules, Sequence)
        node, text = rules.items[index], document.source.text
        column = document.source.place(node.start)[1] - 1
        own = text[node.start : node.end]
        edits = [
            Edit(edit.start - node.start, edit.end - node.start, edit.text) for edit in mutant.edits
        ]
        written = f"{_HEAD}{' ' * max(column - 2, 0)}- {edited(own, edits)}\n"
        found = Diagnostics()
        alone = read_document(mutant.file, written.encode(), found)
        if alone is None or found.has_errors:
            return None
        assembly = self._fresh(found, {"guards": [alone]})
        assembly.checker = Checker(self._checker(document).scope, found)
        guards = build_guards(assembly)
        return None if found.has_errors or len(guards) != 1 else guards[0]

    def _checker(self, document: Document) -> Checker:
        """What checks a file's conditions, with its definitions."""
        checker = self._checkers.get(document.file)
        if checker is None:
            assembly = self._fresh(Diagnostics(), {})
            with with_definitions(assembly, Entry.of(document)):
                checker = self._checkers[document.file] = assembly.checker
        return checker

    # -- a file

    def _read(self, mutant: Mutant) -> Document | None:
        """The mutant's file, read again. A part of it that is no longer in force, because a bundle
        replaces what it inherits, is not a bundle's own."""
        found = Diagnostics()
        text = edited(self._documents[mutant.file].source.text, mutant.edits)
        document = read_document(mutant.file, text.encode(), found)
        return None if found.has_errors else document

    def _part(self, mutant: Mutant, document: Document) -> Policy | None:
        """The policy with one of its parts built anew."""
        found, policy = Diagnostics(), self.policy
        documents = [document if d.file == document.file else d for d in self.bundle.documents]
        if mutant.kind == "guards":
            assembly = self._fresh(found, {"guards": [document]})
            made = {guard.id: guard for guard in build_guards(assembly)}
            guards = tuple(made.get(guard.id, guard) for guard in policy.guards)
            policy = replace(policy, guards=guards)
        else:
            of_kind = [d for d in documents if d.kind == mutant.kind]
            policy = self._built(self._fresh(found, {mutant.kind: of_kind}), mutant.kind)
        return None if found.has_errors else self._sound(policy)

    def _built(self, assembly: Assembly, kind: str) -> Policy:
        """The policy with what the files of a kind say."""
        policy = self.policy
        if kind == "risk-map":
            return replace(policy, risk=build_risk(assembly, policy.tools))
        if kind in ("profiles", "security-profiles"):
            assembly.scope = assembly.scope.child()
            if kind == "profiles":
                return replace(policy, profiles=build_profiles(assembly))
            return replace(policy, security_profiles=build_security_profiles(assembly))
        visibility = build_visibility(assembly)
        flow = build_flow(assembly, visibility) or policy.flow
        check_order(assembly)
        return replace(policy, flow=flow, visibility=visibility)

    def _whole(self, document: Document) -> Policy | None:
        """The policy with all conditions checked anew; what programs do and what settings checks
        say stays."""
        documents = tuple(document if d.file == document.file else d for d in self.bundle.documents)
        found = Diagnostics()
        assembly = prepare(replace(self.bundle, documents=documents), found)
        visibility = build_visibility(assembly)
        policy = replace(
            self.policy,
            vocabulary=assembly.vocabulary,
            risk=build_risk(assembly, self.policy.tools),
            guards=build_guards(assembly),
            visibility=visibility,
            flow=build_flow(assembly, visibility) or self.policy.flow,
            invariants=build_invariants(assembly),
        )
        return None if found.has_errors else self._sound(policy)

    def _fresh(self, found: Diagnostics, documents: dict[str, list[Document]]) -> Assembly:
        """The names of the bundle, and these documents in place of those of their kinds."""
        of = {kind: [Entry.of(d) for d in given] for kind, given in documents.items()}
        others = dict(self._assembly.documents)
        return replace(
            self._assembly, diagnostics=found, documents={**others, **of}, ids={}, steps={}
        )

    def _sound(self, policy: Policy) -> Policy | None:
        """The policy, unless loading refuses it for what its parts say together. What is as it was
        is the same object, so that what was made of it can be used again."""
        old, found = self.policy, Diagnostics()
        guards = {guard.id: guard for guard in old.guards}
        kept = tuple(_kept(guards.get(guard.id), guard) for guard in policy.guards)
        visibility = _kept(old.visibility, policy.visibility)
        if visibility is not None and old.visibility is not None:
            flow = _flow(old.visibility.flow, visibility.flow)
            visibility = replace(visibility, flow=flow)
        policy = replace(
            policy,
            guards=kept,
            flow=_flow(old.flow, policy.flow),
            visibility=visibility,
            risk=_kept(old.risk, policy.risk),
            invariants=_kept(old.invariants, policy.invariants),
        )
        report_weakening(policy, found)
        return None if found.has_errors else policy


def _kept(old: _T | None, new: _T) -> _T:
    """What is as it was, or the new."""
    return old if old is not None and old == new else new


def _flow(old: Flow, new: Flow) -> Flow:
    """A flow with the steps and rules of the old one that are as they were."""
    if old is new or old == new:
        return old
    steps = {step.id: step for step in old.steps}
    rules = {rule.id: rule for step in old.steps for rule in step.rules}
    made = []
    for step in new.steps:
        was = steps.get(step.id)
        if was == step:
            made.append(was)
            continue
        parts = tuple(_kept(rules.get(rule.id), rule) for rule in step.rules)
        when = step.when if was is None else _kept(was.when, step.when)
        made.append(replace(step, rules=parts, when=when))
    return replace(new, steps=tuple(made))
