"""`a == x or a == y`: one test written as several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.lint.rule import Finding, Rule
from callgate.lint.rules.spelling import plain_words
from callgate.lint.subject import Subject
from callgate.lint.trees import chain
from callgate.lint.written import Written
from callgate.model.call import CONTEXT_FIELDS, DECLARED_FIELDS
from callgate.model.diagnostic import Severity
from callgate.model.effect import EFFECT_KINDS
from callgate.model.syntax import Binary, BoolOp, Choice, Quantifier, Syntax, Value, Word
from callgate.model.types import STRING, Enum, Type

__all__ = ["ChainedEquals"]

_LINKS: Final = {"or": ("==", "in"), "and": ("!=", "not in")}


class ChainedEquals(Rule):
    """The same value compared with one constant after the other, where `in` takes them all.

    Looked at for texts and members of enums: there `in` is `==` for each of them, and unknown where
    it is. Paths, hosts and addresses are left alone.
    """

    code = "L315"
    name = "chained-equals"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        for written in subject.written:
            for node in written.nodes:
                if isinstance(node, BoolOp):
                    yield from self._chained(subject, written, node)

    def _chained(self, subject: Subject, written: Written, tree: BoolOp) -> Iterator[Finding]:
        for first, last, links in _runs(tree):
            name = chain(links[0].left)
            if not _is_text(subject, written, name):
                continue
            words = plain_words(subject, written)
            constants = [item for link in links for item in _items(link.right)]
            if not all(isinstance(i, Value) or getattr(i, "name", "") in words for i in constants):
                continue
            alternatives = "|".join(dict.fromkeys(written.piece(item) for item in constants))
            if "|" not in alternatives:
                continue  # one constant twice, which is another mistake
            plain = f"{name} in {alternatives}"
            plain = plain if tree.op == "or" else f"not ({plain})"
            whole = len(links) == len(tree.items)
            fix = written.replaced(tree if whole else first, tree if whole else last, plain)
            yield self.found(
                f"`{name}` is compared with {len(constants)} values one after the other",
                written.span(links[1]),
                f"write `{plain}`",
                fix=fix,
            )


def _runs(tree: BoolOp) -> Iterator[tuple[Syntax, Syntax, list[Binary]]]:
    """Neighbours that compare the same name with constants: the first, the last, all of them."""
    run: list[Binary] = []
    for item in (*tree.items, None):
        link = item if isinstance(item, Binary) and _is_link(item, tree.op) else None
        if link is not None and run and chain(link.left) == chain(run[0].left):
            run.append(link)
            continue
        if len(run) > 1:
            yield run[0], run[-1], run
        run = [link] if link is not None else []


def _is_link(node: Binary, op: str) -> bool:
    if node.op not in _LINKS[op] or not chain(node.left):
        return False
    if node.op in ("in", "not in"):
        return isinstance(node.right, Choice)
    return isinstance(node.right, Word) or (
        isinstance(node.right, Value) and isinstance(node.right.value, str)
    )


def _items(node: Syntax) -> tuple[Syntax, ...]:
    return node.items if isinstance(node, Choice) else (node,)


def _is_text(subject: Subject, written: Written, name: str) -> bool:
    """Whether a name is known to be a text or a member of an enum, and never absent."""
    type_ = _type(subject, written, name)
    return type_ == STRING or isinstance(type_, Enum)


def _type(subject: Subject, written: Written, name: str) -> Type | None:
    root, _, rest = name.partition(".")
    vocabulary = subject.policy.vocabulary
    if not rest:
        derived = vocabulary.derived.get(name)
        if derived is not None:
            return derived.type
        risk = subject.policy.risk
        return risk.levels if name == "risk" and risk is not None else None
    if root == "call":
        if rest in ("tool", "called_as"):
            return STRING
        field = vocabulary.call.get(rest) or CONTEXT_FIELDS.get(rest)
        return field.type if field else None
    if root == "settings":
        setting = vocabulary.settings.get(rest)
        return setting.field.type if setting else None
    if root == "declared":
        field = DECLARED_FIELDS.get(rest)
        return field.type if field else None
    kind = EFFECT_KINDS.get(_kind(written, root))
    field = kind.fields.get(rest) if kind else None
    return field.type if field else None


def _kind(written: Written, binder: str) -> str:
    """The kind of effect that a binder stands for; "" where it is something else."""
    for node in written.nodes:
        if isinstance(node, Quantifier) and node.binder == binder:
            return chain(node.source).removeprefix("effects.")
    if written.document.kind == "guards" and written.path[0] == "rules":
        rule = written.document.data["rules"][written.path[1]]
        name, _, source = str(rule.get("each") or "").partition(" in ")
        if name.strip() == binder:
            return source.strip().removeprefix("effects.")
    return ""
