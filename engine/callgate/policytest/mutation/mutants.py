"""Every mutant of a bundle's own files, in the order of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from callgate.load.document import Document
from callgate.load.nodes import Mapping, Node, Scalar
from callgate.load.nodes import Sequence as SequenceNode
from callgate.model.policy import Policy
from callgate.policytest.mutation import structure, tables
from callgate.policytest.mutation.conditions import CONDITION_OPERATORS, changes
from callgate.policytest.mutation.literals import LITERAL_OPERATORS
from callgate.policytest.mutation.mutant import Mutant
from callgate.policytest.mutation.outcomes import Made, answers, decisions, guard_outcomes
from callgate.policytest.mutation.page import Page
from callgate.policytest.mutation.spellings import Spellings

__all__ = ["mutants_of"]

_OPERATORS: Final = (*CONDITION_OPERATORS, *LITERAL_OPERATORS)


def mutants_of(
    policy: Policy,
    documents: Iterable[Document],
    own: frozenset[str],
    enums: Sequence[Sequence[str]],
    spellings: Spellings,
) -> list[Mutant]:
    """All mutants of those documents whose files are the bundle's `own`. `enums`: the members of
    every enum of the bundle; `spellings`: how options of programs are written."""
    found: list[Mutant] = []
    for document in documents:
        if document.file in own:
            found += _Mutants(policy, Page(document), enums, spellings).all()
    return found


class _Mutants:
    def __init__(
        self,
        policy: Policy,
        page: Page,
        enums: Sequence[Sequence[str]],
        spellings: Spellings,
    ) -> None:
        self.policy = policy
        self.page = page
        self.root = page.document.root
        self.enums = enums
        self.spellings = spellings
        self.guards = {guard.id: guard for guard in policy.guards}

    def all(self) -> Iterator[Mutant]:
        """The mutants of the document."""
        of = {
            "guards": self.of_guards,
            "flow": self.of_flow,
            "risk-map": self.of_risk,
            "profiles": self.of_profiles,
            "security-profiles": self.of_security_profiles,
            "vocabulary": self.of_vocabulary,
        }.get(self.page.document.kind)
        if of is None:
            return
        yield from of()
        for name, node in _entries(_at(self.root, "define")):
            yield from self.of_condition(name, node)

    # -- kinds of file

    def of_guards(self) -> Iterator[Mutant]:
        """Guards: left out, and everything in them."""
        for index, (id_, (operator, said, edits)) in enumerate(
            structure.dropped(self.page, self.root, "rules", "rule")
        ):
            yield self.made(id_, (operator, said, edits), guard=index, removed=True)
        for index, rule in enumerate(_items(_at(self.root, "rules"))):
            id_ = _text(_at(rule, "id"))
            guard = self.guards.get(id_)
            if guard is None or not isinstance(rule, Mapping):
                continue
            unknown = guard.when is not None and guard.when.unknown
            for made in (
                *guard_outcomes(self.page, rule, unknown),
                *structure.narrowed(self.page, rule),
                *structure.exceptions(self.page, rule),
            ):
                yield self.made(id_, made, guard=index)
            yield from self.of_conditions(id_, rule, index)

    def of_flow(self) -> Iterator[Mutant]:
        """Both flows: steps and rules left out and swapped, and everything in them."""
        page, steps = self.page, _at(self.root, "steps")
        if not isinstance(steps, SequenceNode):
            return
        yield from self.each(structure.dropped(page, self.root, "steps", "step"))
        yield from self.each(structure.swapped(page, steps, "step"))
        for step in steps.items:
            if not isinstance(step, Mapping):
                continue
            id_ = _text(_at(step, "id"))
            for made in (*structure.step_parts(page, step), *answers(page, step)):
                yield self.made(id_, made)
            yield from self.of_conditions(id_, step)
            yield from self.last_word(id_, _at(step, "otherwise"))
            become = _at(_at(step, "asks_become"), "deny")
            if become is not None:
                yield from self.of_condition(id_, become)
            rules = _at(step, "rules")
            if isinstance(rules, SequenceNode):
                yield from self.each(structure.dropped(page, step, "rules", "rule"))
                yield from self.each(structure.swapped(page, rules, "rule"))
                for rule in rules.items:
                    yield from self.of_rule(rule)
        yield from self.last_word("otherwise", _at(self.root, "otherwise"))

    def of_rule(self, rule: Node) -> Iterator[Mutant]:
        """A rule of a flow."""
        if isinstance(rule, Mapping):
            id_ = _text(_at(rule, "id"))
            for made in (
                *decisions(self.page, rule),
                *answers(self.page, rule),
                *structure.narrowed(self.page, rule),
                *structure.exceptions(self.page, rule),
            ):
                yield self.made(id_, made)
            yield from self.of_conditions(id_, rule)

    def last_word(self, id_: str, node: Node | None) -> Iterator[Mutant]:
        """What is decided where nothing else did."""
        if isinstance(node, Mapping):
            for made in decisions(self.page, node, "`otherwise`"):
                yield self.made(id_, made)

    def of_risk(self) -> Iterator[Mutant]:
        """The risk map and its rules."""
        levels = self.policy.risk.levels.members if self.policy.risk is not None else ()
        yield from self.each(tables.risks(self.page, self.root, levels))
        for key in ("declared", "raise"):
            if _at(self.root, key) is None:
                continue
            yield from self.each(structure.dropped(self.page, self.root, key, "rule"))
            for rule in _items(_at(self.root, key)):
                yield from self.of_conditions(_text(_at(rule, "id")), rule)

    def of_profiles(self) -> Iterator[Mutant]:
        """Tool profiles."""
        known = dict(self.policy.profiles)
        yield from self.each(tables.profiles(self.page, self.root, known, tuple(self.policy.tools)))

    def of_security_profiles(self) -> Iterator[Mutant]:
        """Security profiles."""
        yield from self.each(tables.security_profiles(self.page, self.root))

    def of_vocabulary(self) -> Iterator[Mutant]:
        """Lists and derived facts."""
        yield from self.each(tables.lists(self.page, self.root))
        for name, fact in _entries(_at(self.root, "facts")):
            text = _at(fact, "is")
            if text is not None:
                yield from self.of_condition(name, text)

    # -- conditions

    def of_conditions(self, id_: str, rule: Node, guard: int | None = None) -> Iterator[Mutant]:
        """The condition of a rule and those of its exceptions."""
        nodes = [_at(rule, "when")]
        nodes += [_at(item, "when") for item in _items(_at(rule, "exceptions"))]
        for node in nodes:
            if node is not None:
                yield from self.of_condition(id_, node, guard)

    def of_condition(self, id_: str, node: Node, guard: int | None = None) -> Iterator[Mutant]:
        """Everything that may be changed in a condition."""
        if not isinstance(node, Scalar):
            return
        for change in changes(node.text, self.enums, self.spellings, _OPERATORS):
            edit = self.page.within(node, change.start, change.end, change.new)
            yield Mutant(
                change.operator,
                change.description,
                self.page.document.kind,
                self.page.file,
                (edit,),
                id_,
                guard,
                old=node.text[change.start : change.end],
                new=change.new,
            )

    def each(self, found: Iterable[tuple[str, Made]]) -> Iterator[Mutant]:
        """Mutants of what was made, each with the rule that it is about."""
        for id_, made in found:
            yield self.made(id_, made)

    def made(self, id_: str, made: Made, guard: int | None = None, removed: bool = False) -> Mutant:
        """A mutant of what was made."""
        operator, said, edits = made
        kind, file, first = self.page.document.kind, self.page.file, edits[0]
        old = self.page.text[first.start : first.end]
        return Mutant(operator, said, kind, file, edits, id_, guard, removed, old, first.text)


def _at(node: Node | None, key: str) -> Node | None:
    found = node.entries.get(key) if isinstance(node, Mapping) else None
    return None if found is None else found[1]


def _items(node: Node | None) -> Sequence[Node]:
    return node.items if isinstance(node, SequenceNode) else ()


def _entries(node: Node | None) -> Iterator[tuple[str, Node]]:
    if isinstance(node, Mapping):
        yield from ((name, value) for name, (_, value) in node.entries.items())


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""
