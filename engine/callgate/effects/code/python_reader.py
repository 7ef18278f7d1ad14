"""Reads Python: which calls a text makes, with what is known of their arguments."""

from __future__ import annotations

import ast
from typing import Final

from callgate.effects.code.leftovers import Literal, add_leftovers
from callgate.effects.code.maker import Maker
from callgate.effects.code.python_tree import PythonTree
from callgate.effects.code.python_values import PythonValues
from callgate.effects.code.spec import CallEffect, Language
from callgate.effects.code.values import Call, Value
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["read_python"]

_Node = ast.Name | ast.Attribute
_FOLDERS: Final = "folder"
_MAX_LOOPS: Final = 16


def read_python(tree: PythonTree, language: Language, maker: Maker) -> None:
    """Add the effects of a Python text."""
    reader = _Reader(tree, language, maker)
    reader.calls()
    reader.references()
    reader.leftovers()


class _Reader:
    def __init__(self, tree: PythonTree, language: Language, maker: Maker) -> None:
        self._tree = tree
        self._language = language
        self._maker = maker
        self._values = PythonValues(tree, language)
        self._called: set[int] = set()
        self._repeats = 0

    def calls(self) -> None:
        """What the calls do."""
        found: list[tuple[ast.Call, str | None, tuple[CallEffect, ...]]] = []
        moves = 0
        for node in sorted(self._tree.calls, key=lambda node: (node.lineno, node.col_offset)):
            self._note(node.func)
            name = self._values.chain(node.func)
            effects = self._effects(name, node.func)
            if effects is None:
                self._dynamic(node, name)
                continue
            moves += any(effect.kind == _FOLDERS for effect in effects)
            found.append((node, name, effects))
        if moves > 1:
            # Which of them comes first is not told by the text.
            self._maker.state.cwd = UNKNOWN
        for node, name, effects in found:
            if moves > 1 and effects[:1] and effects[0].kind == _FOLDERS:
                continue
            call = self._call(node, name)
            if call.name in self._language.repeats:
                self._repeats += 1
                call.endless = self._endless(node) if self._repeats <= _MAX_LOOPS else UNKNOWN
            self._maker.call(effects, call)

    def _endless(self, node: ast.Call) -> bool | Unknown:
        """Whether a call is made again and again: UNKNOWN where other calls are made as well."""
        found: bool | Unknown = False
        for loop in self._tree.whiles[:_MAX_LOOPS]:
            inside = list(ast.walk(loop))
            always = isinstance(loop.test, ast.Constant) and loop.test.value
            if node not in inside or not (always or loop.test is node):
                continue
            names = {
                self._values.chain(other.func) for other in inside if isinstance(other, ast.Call)
            }
            calls, repeats = self._language.calls, self._language.repeats
            if all(name in repeats or calls.get(name or "") == () for name in names):
                return True
            found = UNKNOWN
        return found

    def _note(self, node: ast.expr) -> None:
        """Note that the names in an expression are called, and no values."""
        while isinstance(node, ast.Attribute | ast.Name):
            self._called.add(id(node))
            if isinstance(node, ast.Name):
                return
            node = node.value

    def _effects(self, name: str | None, function: ast.expr) -> tuple[CallEffect, ...] | None:
        calls = self._language.calls
        rest = name or ""
        while rest:
            found = calls.get(rest)
            if found is not None:
                return found
            _, dot, rest = rest.partition(".")
            if not dot or "." not in rest:
                break
        if isinstance(function, ast.Attribute):
            return self._language.methods.get(function.attr)
        return None

    def _call(self, node: ast.Call, name: str | None) -> Call:
        value = self._values.value
        starred = [isinstance(argument, ast.Starred) for argument in node.args]
        count = starred.index(True) if True in starred else len(node.args)
        arguments: list[Value] = [value(argument) for argument in node.args[:count]]
        keys = {item.arg: value(item.value) for item in node.keywords if item.arg}
        more = count < len(node.args) or any(item.arg is None for item in node.keywords)
        if count < len(node.args) and isinstance(inner := node.args[count], ast.Starred):
            items = value(inner.value)
            if isinstance(items, tuple):
                arguments += items
                more = count + 1 < len(node.args)
        receiver = value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        last = node.func.attr if isinstance(node.func, ast.Attribute) else (name or "")
        return Call(name, last, self._tree.span(node), receiver, arguments, keys, more)

    def _dynamic(self, node: ast.Call, name: str | None) -> None:
        """A function that is looked up by a name that nobody knows."""
        how = self._language.values.get(name or "")
        if how not in ("module", "attribute"):
            return
        index = 0 if how == "module" else 1
        if len(node.args) <= index or self._values.text(node.args[index]) is not None:
            return
        if how == "attribute":
            owner = self._values.chain(node.args[0])
            if owner not in self._language.modules:
                return
        self._maker.opaque("a function that is chosen while it runs", self._tree.span(node))

    def references(self) -> None:
        """What is named without being called: it may be called elsewhere, with anything."""
        language, values = self._language, self._values
        aliases = {id(node) for node in self._tree.constants.values()}
        inner = set(self._tree.keyed)
        for node in self._tree.references:
            if isinstance(node, ast.Attribute):
                inner.add(id(node.value))
        for node in self._tree.references:
            last = node.attr if isinstance(node, ast.Attribute) else node.id
            own = language.named_last.get(last) if isinstance(node, ast.Attribute) else None
            called = id(node) in self._called
            if own is None and called:
                continue
            name = values.chain(node)
            if own is None and id(node) not in inner:
                own = language.names.get(name or "")
            if own is None and not (id(node) in inner or id(node) in aliases):
                own = language.calls.get(name or "")
            if own:
                span = self._tree.span(node)
                self._maker.call(own, Call(name, last, span, more=True))

    def leftovers(self) -> None:
        """Texts that no call told the meaning of."""
        found: list[Literal] = []
        for node in self._tree.literals:
            value = node.value
            text = value if isinstance(value, str) else value.decode("latin-1")  # type: ignore[union-attr]
            if len(text) > 1:
                found.append((text, *self._tree.span(node)))
        if found:
            add_leftovers(self._maker, found)
