"""Syntax tree to command tree: statements."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Many
from typing import TYPE_CHECKING, Final

from callgate.effects.shell.bounds import MAX_NESTING
from callgate.effects.shell.heredocs import Masked
from callgate.effects.shell.simple import REDIRECTS, SimpleReader
from callgate.effects.shell.tree import Block, Command, Node, Pipeline, Problem, Script, Sequence
from callgate.effects.shell.words import Names, Place

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax

__all__ = ["Reader"]

_BLANKS: Final = " \t\n"
_ENDS: Final = frozenset({";;", ";&", ";;&"})
_WORDS: Final = frozenset(
    {
        "word",
        "number",
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
        "brace_expression",
        "extglob_pattern",
        "array",
    }
)


class Reader(SimpleReader):
    """Turns the syntax tree of one text into commands; problems are added to `problems`."""

    def __init__(
        self,
        text: str,
        masked: Masked,
        names: Names,
        place: Place,
        problems: list[Problem],
        parse: Callable[[str, Names, Place], Script],
    ) -> None:
        super().__init__(text, masked, names, place, problems)
        self._parse = parse
        self._depth = 0
        self._readers: dict[str, Callable[[Syntax], Node | None]] = {
            "command": self.command,
            "declaration_command": self.command,
            "unset_command": self.command,
            "test_command": self.test,
            "variable_assignment": self.assignments,
            "variable_assignments": self.assignments,
            "redirected_statement": self._redirected,
            "list": self._list,
            "pipeline": self._pipeline,
            "negated_command": self._negated,
            "subshell": self._subshell,
            "compound_statement": self._compound,
            "do_group": self._group,
            "if_statement": self._if,
            "elif_clause": self._if,
            "else_clause": self._group,
            "while_statement": self._loop,
            "for_statement": self._loop,
            "c_style_for_statement": self._loop,
            "case_statement": self._case,
            "case_item": self._group,
            "function_definition": self._function,
            **dict.fromkeys(REDIRECTS, self._redirect_alone),
        }

    def parse(self, text: str, place: Place) -> Script:
        """See SimpleReader."""
        return self._parse(text, self.names, place)

    def read(self, root: Syntax) -> tuple[Node, ...]:
        """The commands of a whole syntax tree."""
        if root.has_error:
            self.problem("the text is not understood as shell from here on", _first_error(root))
        self.check_comments(root)
        children = root.children
        self.check_gaps(children, _BLANKS)
        if children:
            self.check_gap(0, children[0].start_byte, _BLANKS)
            self.check_gap(children[-1].end_byte, len(self.text), _BLANKS)
        return self.statements(children)

    def statements(self, nodes: Many[Syntax]) -> tuple[Node, ...]:
        """The statements among some nodes, as one sequence; `a & b` keeps its `&`."""
        found = self._sequence(nodes)
        return () if found is None else (found,)

    def _sequence(self, children: Many[Syntax]) -> Node | None:
        items: list[Node] = []
        operators: list[str] = []
        operator = ""
        for child in children:
            node = self._statement(child)
            if node is not None:
                items.append(node)
                operators.append(operator)
                operator = ""
            elif child.type == "&":
                operator = "&"
            elif child.type in _ENDS and (child.parent is None or child.parent.type != "case_item"):
                self.problem("the end of a `case` where there is none", child)
        if not items:
            return None
        if operator:
            # A final `&`: what stands before it runs in a process of its own.
            items.append(Block("group", (), self.span(children[-1])))
            operators.append(operator)
        if len(items) == 1:
            return items[0]
        return Sequence(tuple(items), tuple(operators))

    def _statement(self, node: Syntax) -> Node | None:
        kind = node.type
        reader = self._readers.get(kind)
        if reader is None:
            if not node.is_named or kind == "comment" or kind in _WORDS:
                return None
            return self._loose(node)
        if self._depth >= MAX_NESTING:
            self.problem(f"commands nested deeper than {MAX_NESTING}", node, bound=True)
            return None
        self._depth += 1
        try:
            if kind != "command":
                # Those of a command are looked at more closely.
                self.check_gaps(node.children, _BLANKS)
            return reader(node)
        finally:
            self._depth -= 1

    def _loose(self, node: Syntax) -> Node | None:
        """What runs somewhere below a node that is no statement (an error, a pattern)."""
        nested = self.nested(node)
        return Block("group", nested, self.span(node)) if nested else None

    # -- one method for each kind of statement

    def _redirected(self, node: Syntax) -> Node | None:
        redirects = [child for child in node.children if child.type in REDIRECTS]
        body = self._sequence([child for child in node.children if child.type not in REDIRECTS])
        words: list[Syntax] = []
        self.check_gaps(node.children, " \t")
        read = self.redirects(redirects, words)
        # The grammar hangs a redirection on the whole of `a && b >c`.
        last = body
        while isinstance(last, Sequence | Pipeline):
            last = last.items[-1]
        if isinstance(last, Command):
            last.words = (*last.words, *self.words(words))
            last.redirects = (*last.redirects, *read)
            return body
        if last is None:
            return Command(tuple(self.words(words)), self.span(node), (), read)
        if words:
            self.problem("words after a redirection", words[0])
        last.redirects = (*last.redirects, *read)
        return body

    def _redirect_alone(self, node: Syntax) -> Node | None:
        # `$(<file)`: the file is read.
        words: list[Syntax] = []
        read = self.redirects([node], words)
        return Command(tuple(self.words(words)), self.span(node), (), read)

    def _list(self, node: Syntax) -> Node | None:
        # `a && b && c` is a tree as deep as it is long.
        items: list[Syntax] = []
        operators: list[str] = []
        left = node
        while left.type == "list":
            children = [child for child in left.children if child.type != "comment"]
            items.append(children[-1])
            operators.append(next((c.type for c in children if c.type in ("&&", "||")), ""))
            left = children[0]
        items.append(left)
        operators.append("")
        read: list[tuple[Node, str]] = []
        for item, operator in zip(reversed(items), reversed(operators), strict=True):
            found = self._statement(item)
            if found is not None:
                read.append((found, operator))
        return Sequence(tuple(n for n, _ in read), tuple(o for _, o in read)) if read else None

    def _pipeline(self, node: Syntax) -> Node | None:
        # The grammar reads `a && b >c | d` as if `a && b >c` stood in braces.
        pipelines: list[list[Node]] = [[]]
        operators = [""]
        for child in node.children:
            found = self._statement(child)
            if found is None:
                continue
            parts = found.items if isinstance(found, Sequence) else (found,)
            for index, part in enumerate(parts):
                if index and isinstance(found, Sequence):
                    pipelines.append([])
                    operators.append(found.operators[index])
                pipelines[-1] += part.items if isinstance(part, Pipeline) else [part]
        items = tuple(p[0] if len(p) == 1 else Pipeline(tuple(p)) for p in pipelines if p)
        return Sequence(items, tuple(operators)) if len(items) > 1 else next(iter(items), None)

    def _negated(self, node: Syntax) -> Node | None:
        return self._sequence(node.children)

    def _group(self, node: Syntax) -> Node | None:
        words = self.words_among(node.children, _WORDS)
        return Block("group", self.statements(node.children), self.span(node), words=words)

    def _subshell(self, node: Syntax) -> Node | None:
        return Block("subshell", self.statements(node.children), self.span(node))

    def _compound(self, node: Syntax) -> Node | None:
        if node.children and node.children[0].type == "((":
            return self.test(node)
        return self._group(node)

    def _if(self, node: Syntax) -> Node | None:
        conditions: list[Node] = []
        bodies: list[Node] = []
        section: list[Syntax] = []
        for child in node.children:
            if child.type == "then":
                if found := self._sequence(section):
                    conditions.append(found)
                section = []
            elif child.type in ("elif_clause", "else_clause"):
                if found := self._statement(child):
                    bodies.append(found)
            else:
                section.append(child)
        if found := self._sequence(section):
            bodies.append(found)
        parts = (*conditions, *bodies)
        return Block("branch", parts, self.span(node), conditions=len(conditions))

    def _loop(self, node: Syntax) -> Node | None:
        children = node.children
        values = [child for child in children if child.type in _WORDS]
        # What `select` chooses may also be nothing.
        listed = children[0].type == "for" and any(child.type == "in" for child in children)
        if node.type == "for_statement" and listed:
            words = tuple(self.words(values))
        else:
            words = self.words_among(children, _WORDS)
        if node.type == "c_style_for_statement":
            body = children[-1]
            sets = self.assigned(node.start_byte, body.start_byte)
            self.evaluates = True
            # The grammar knows few of the expressions.
            head = self.substituted(node.start_byte, body.start_byte, node)
            parts = (*head, *sets, *self.statements([body]))
        else:
            parts = self.statements(children)
        block = Block("loop", parts, self.span(node), words=words)
        for child in children:
            if child.type == "variable_name":
                block.variable = self.text[child.start_byte : child.end_byte]
        return block

    def _case(self, node: Syntax) -> Node | None:
        parts = [found for child in node.children if (found := self._statement(child)) is not None]
        words = self.words_among(node.children, _WORDS)
        return Block("branch", tuple(parts), self.span(node), words=words)

    def _function(self, node: Syntax) -> Node | None:
        redirects = self.redirects([c for c in node.children if c.type in REDIRECTS], [])
        body = [child for child in node.children if child.type not in REDIRECTS]
        found = self._sequence(body)
        parts = () if found is None else (found,)
        name = next((child for child in body if child.type == "word"), node)
        block = Block("function", parts, self.span(node), redirects=redirects)
        block.variable = self.text[name.start_byte : name.end_byte]
        return block


def _first_error(node: Syntax) -> Syntax:
    while not (node.is_error or node.is_missing):
        broken = next((child for child in node.children if child.has_error), None)
        if broken is None:
            return node
        node = broken
    return node
