"""Members of lists that add nothing."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.lint.listed import Member, holders, members, only_for_insides
from callgate.lint.rule import Edit, Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import Written
from callgate.model.pattern import CommandPattern
from callgate.model.syntax import Binary, Choice, ListLiteral, PatternLiteral, Syntax

__all__ = ["CoveredMember", "ListedTwice"]


class ListedTwice(Rule):
    """The same member twice in a list, or among the alternatives of a command pattern."""

    code = "L116"
    name = "listed-twice"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for found in subject.once(members).values():
            first: dict[str, Member] = {}
            for member in found:
                before = first.setdefault(member.value, member)
                if before is not member:
                    yield self._twice(member, before)
        for written in subject.written:
            for node in written.nodes:
                if isinstance(node, ListLiteral | Choice):
                    yield from self._in_literal(written, node)
                elif isinstance(node, PatternLiteral):
                    yield from self._in_pattern(written, node)

    def _twice(self, member: Member, before: Member) -> Finding:
        same = "" if member.text == before.text else f", as `{before.text}`"
        return self.found(
            f"`{member.text}` is in `{member.list}` already{same}",
            member.span,
            "remove it, or correct it",
            related=(("listed here before", before.span),),
            fix=member.removal,
        )

    def _in_literal(self, written: Written, node: ListLiteral | Choice) -> Iterator[Finding]:
        seen: dict[Syntax, Syntax] = {}
        for before, item in zip((None, *node.items), node.items, strict=False):
            first = seen.setdefault(item, item)
            if first is item or before is None:
                continue
            start, end = written.positions[before.at][1], written.positions[item.at][1]
            yield self.found(
                f"`{written.piece(item)}` is listed twice",
                written.span(item),
                "remove it, or correct it",
                related=(("listed here before", written.span(first)),),
                fix=_single(written, node) or (Edit(written.text.span(start, end), ""),),
            )

    def _in_pattern(self, written: Written, node: PatternLiteral) -> Iterator[Finding]:
        for text in dict.fromkeys(_repeated(node.pattern)):
            yield self.found(
                f"`{text}` is listed twice in the pattern",
                written.span(node),
                "remove it, or correct it",
            )


def _repeated(pattern: CommandPattern) -> Iterator[str]:
    """The alternatives of a pattern that stand there before."""
    for words in (pattern.program, *pattern.words):
        yield from ("*".join(word.pieces) for at, word in enumerate(words) if word in words[:at])
    for option in (*pattern.options, *pattern.optional):
        yield from (name for at, name in enumerate(option.names) if name in option.names[:at])


class CoveredMember(Rule):
    """A path or host in a list that another member of the list holds already."""

    code = "L117"
    name = "covered-member"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        lists = subject.policy.vocabulary.lists
        covered: dict[str, list[tuple[Member, Member]]] = {}
        for name, found in subject.once(members).items():
            by_value = {member.value: member for member in reversed(found)}
            for member in found:
                for holder in holders(member.value, lists[name][0]):
                    if holder in by_value:
                        covered.setdefault(name, []).append((member, by_value[holder]))
                        break
        for name in sorted(only_for_insides(subject, set(covered))) if covered else ():
            for member, by in covered[name]:
                yield self.found(
                    f"`{member.text}` is inside `{by.text}`, which is in `{name}` as well",
                    member.span,
                    "remove it: every rule that reads the list means what is inside, too",
                    related=((f"`{by.text}`", by.span),),
                )


def _single(written: Written, node: ListLiteral | Choice) -> tuple[Edit, ...]:
    """The edit that writes `==` and the only member in place of `in` and words that are all the
    same; none where it is something else."""
    if isinstance(node, ListLiteral) or len(set(node.items)) > 1:
        return ()
    for outer in written.nodes:
        if isinstance(outer, Binary) and outer.right is node and outer.op == "in":
            text = f"{written.operand(outer.left)} == {written.operand(node.items[0])}"
            return written.replaced(outer, outer, text)
    return ()
