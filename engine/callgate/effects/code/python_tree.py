"""A Python text's syntax tree, sorted by what it is good for."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Final

from callgate.effects.shell.tree import Span

__all__ = ["PythonTree", "parse_python", "recoded"]

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_SKIPPED: Final = frozenset({"annotation", "returns", "ctx", "type_comment", "type_ignores"})
_FIELDS: Final = {
    kind: tuple(name for name in kind._fields if name not in _SKIPPED)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""What in a node is looked at: not what it is said to be."""
_BINDING: Final = frozenset(
    {
        *(ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For),
        *(ast.comprehension, ast.withitem, ast.arg, ast.Global, ast.Nonlocal),
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.AsyncFor),
        *(ast.MatchAs, ast.MatchStar),
    }
)
"""Nodes that give names to something."""
_WARNS: Final = re.compile(r"\\|\b\d\w{0,200}?\.?(?:and|else|for|if|in|is|not|or)\b")
"""What the parser may warn of: escapes, and numbers that touch a keyword."""
_CODING: Final = re.compile(r"[\ufeff \t\f\v]*#.*?coding[:=][ \t]*([-\w.]+)")
"""PEP 263: a line that holds nothing but such a comment."""
_PLAIN_CODINGS: Final = frozenset({"utf-8", "utf8", "ascii", "us-ascii", "latin-1", "iso-8859-1"})
"""In which the characters that code is made of stand for themselves."""


def recoded(text: str) -> bool:
    """Whether a text says that its characters, once it is a file, are to be read as others: then
    a line's end may stand in a comment (`# coding: utf-7`)."""
    found = (_CODING.match(line) for line in _LINE_END.split(text, 2)[:2])
    names = (coding[1].lower().replace("_", "-") for coding in found if coding)
    return any(name.removesuffix("-unix") not in _PLAIN_CODINGS for name in names)


def parse_python(text: str) -> PythonTree | None:
    """The tree of a text; None where it is none, or one that is nested too deep."""
    try:
        if _WARNS.search(text) is None:
            return PythonTree(text, ast.parse(text))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return PythonTree(text, ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class PythonTree:
    """`calls`, loops (`whiles`), names and attributes that are read (`references`), and texts
    (`literals`), in no order; `keyed`: by identity, what something is looked up in; `imports`:
    local name → full name;
    `starred`: modules of which all names are taken; `constants`: names that get a value once, in
    one place; `loops`: those that get each item of one thing; `functions`: those that the text
    itself defines."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.calls: list[ast.Call] = []
        self.whiles: list[ast.While] = []
        self.references: list[ast.Name | ast.Attribute] = []
        self.literals: list[ast.Constant] = []
        self.keyed: set[int] = set()
        self.imports: dict[str, str] = {}
        self.starred: list[str] = []
        self.constants: dict[str, ast.expr] = {}
        self.loops: dict[str, ast.expr] = {}
        self._stores: dict[str, int] = {}
        self.functions = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        self._ascii = text.isascii()
        self._starts: list[int] | None = None
        self._lines: list[str] = []
        self._walk(tree)
        for names in (self.constants, self.loops):
            for name in [name for name in names if self._stores.get(name) != 1]:
                del names[name]

    def span(self, node: ast.expr) -> Span:
        """The place of a node in the text."""
        if self._starts is None:
            ends = [found.end() for found in _LINE_END.finditer(self.text)]
            self._starts = [0, *ends]
        end_line = node.end_lineno or node.lineno
        end = node.end_col_offset or node.col_offset
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end)

    def _offset(self, line: int, column: int) -> int:
        assert self._starts is not None
        if line > len(self._starts):
            return len(self.text)
        start = self._starts[line - 1]
        if self._ascii:
            return min(start + column, len(self.text))
        # Columns are counted in bytes.
        head = self.text[start : start + column].encode("utf-8", "surrogatepass")[:column]
        return start + len(head.decode("utf-8", "ignore"))

    def _walk(self, tree: ast.Module) -> None:
        todo: list[ast.AST] = [tree]
        while todo:
            node = todo.pop()
            kind = type(node)
            if kind is ast.Call:
                self.calls.append(node)  # type: ignore[arg-type]
            elif kind is ast.Constant:
                if isinstance(node.value, str | bytes):  # type: ignore[attr-defined]
                    self.literals.append(node)  # type: ignore[arg-type]
                continue
            elif kind is ast.Name:
                self._name(node)  # type: ignore[arg-type]
                continue
            elif kind is ast.Attribute:
                self.references.append(node)  # type: ignore[arg-type]
            elif kind is ast.Expr and isinstance(node.value, ast.Constant):  # type: ignore[attr-defined]
                # A docstring, or a text that nobody uses.
                continue
            elif kind is ast.While:
                self.whiles.append(node)  # type: ignore[arg-type]
            elif kind is ast.Subscript:
                self.keyed.add(id(node.value))  # type: ignore[attr-defined]
            elif kind in _BINDING:
                self._binding(node)
            for name in _FIELDS[kind]:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    todo += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    todo.append(value)

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.references.append(node)
        else:
            self._stored(node.id)

    def _stored(self, name: str) -> None:
        self._stores[name] = self._stores.get(name, 0) + 1

    def _binding(self, node: ast.AST) -> None:
        """Note what a node gives names to. A name that has a value already has none then."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.imports[alias.asname] = alias.name
                else:
                    first = alias.name.partition(".")[0]
                    self.imports[first] = first
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            for alias in node.names:
                if alias.name == "*":
                    self.starred.append(module)
                else:
                    self.imports[alias.asname or alias.name] = f"{module}.{alias.name}"
        elif isinstance(node, ast.Assign):
            if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.constants[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if isinstance(node.target, ast.Name) and node.value is not None:
                self.constants[node.target.id] = node.value
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            if isinstance(node.target, ast.Name):
                self.loops[node.target.id] = node.iter
        elif isinstance(node, ast.withitem):
            if isinstance(node.optional_vars, ast.Name):
                self.constants[node.optional_vars.id] = node.context_expr
        elif isinstance(node, ast.arg):
            self._stored(node.arg)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self._stored(name)
        else:
            own = getattr(node, "name", None)
            if isinstance(own, str):
                self._stored(own)
