"""What expressions of a Python text stand for."""

from __future__ import annotations

import ast
import re
from typing import Final

from callgate.effects.code.python_tree import PythonTree
from callgate.effects.code.spec import Language
from callgate.effects.code.text_values import cut, expanded, searched
from callgate.effects.code.values import Choices, Value, home_word, joined, path_joined
from callgate.effects.shell.tree import Span, Word

__all__ = ["PythonValues"]

_NAMESPACE: Final = "__dict__"
"""What is in it is what it belongs to has."""
_MAX_DEPTH: Final = 48
_MAX_TEXT: Final = 16_384
_MAX_WORK: Final = 100_000
_PLACEHOLDER: Final = re.compile(r"%[sdr]")
_FIELD: Final = re.compile(r"\{(\w*)\}")


class PythonValues:
    """Evaluates, as far as constants go. Its work is bounded: beyond that nothing is known."""

    def __init__(self, tree: PythonTree, language: Language) -> None:
        self._tree = tree
        self._language = language
        self._depth = 0
        self._work = _MAX_WORK
        self._busy: set[str] = set()
        self._names: dict[str, Value] = {}
        self._chains: dict[str, str | None] = {}

    # -- names

    def chain(self, node: ast.expr) -> str | None:
        """The full name of what an expression stands for: `os.system`."""
        parts: list[str] = []
        while True:
            self._work -= 1
            if isinstance(node, ast.Attribute):
                if node.attr != _NAMESPACE:
                    parts.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Subscript):
                key = node.slice
                if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                    return None
                parts.append(key.value)
                node = node.value
            else:
                break
            if self._work < 0 or len(parts) > _MAX_DEPTH:
                return None
        if isinstance(node, ast.Name):
            root = self._root(node.id)
        elif isinstance(node, ast.Call):
            root = self._called(node)
        else:
            return None
        if root is None:
            return None
        if not parts:
            return root
        parts.append(root)
        found = ".".join(reversed(parts))
        for holder in self._language.holders:
            if found.startswith(holder + "."):
                return found[len(holder) + 1 :]
        return found

    def _root(self, name: str) -> str | None:
        tree = self._tree
        if name in tree.imports:
            return tree.imports[name]
        if name in tree.constants:
            if name not in self._chains:
                self._chains[name] = name
                value = tree.constants[name]
                self._chains[name] = self._inner(value)
            return self._chains[name] or name
        if name in tree.functions:
            return f"{name}()"
        for module in tree.starred:
            if f"{module}.{name}" in self._language.calls:
                return f"{module}.{name}"
        return name

    def _called(self, node: ast.Call) -> str | None:
        """The name of what a call gives: a module, an attribute, or something of no name."""
        name = self._inner(node.func)
        how = self._language.values.get(name or "")
        if how in ("module", "attribute"):
            texts = [self.text(argument) for argument in node.args[:2]]
            if how == "module":
                return texts[0] if texts else None
            owner = self._inner(node.args[0]) if node.args else None
            return f"{owner}.{texts[1]}" if owner and len(texts) > 1 and texts[1] else None
        return None if name is None else f"{name}()"

    def _inner(self, node: ast.expr) -> str | None:
        if self._depth >= _MAX_DEPTH:
            return None
        self._depth += 1
        try:
            return self.chain(node)
        finally:
            self._depth -= 1

    # -- values

    def text(self, node: ast.expr) -> str | None:
        """The text that an expression stands for; None where that is not known."""
        value = self.value(node)
        return value.text if isinstance(value, Word) and isinstance(value.text, str) else None

    def value(self, node: ast.expr) -> Value:
        """What an expression stands for."""
        self._work -= 1
        if self._depth >= _MAX_DEPTH or self._work < 0:
            return None
        self._depth += 1
        try:
            return self._value(node)
        finally:
            self._depth -= 1

    def _value(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.JoinedStr):
            return joined([self._part(part) for part in node.values], self._tree.span(node))
        if isinstance(node, ast.List | ast.Tuple):
            return tuple(
                None if isinstance(item, ast.Starred) else self.value(item) for item in node.elts
            )
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute | ast.Subscript):
            name = self.chain(node) or ""
            how = self._language.values.get(name)
            if how == "name":
                return Word(name.rpartition(".")[2], self._tree.span(node))
            return home_word(self._tree.span(node)) if how == "home" else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self.value(node.operand)
            return -number if type(number) is int else None
        return None

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, str):
            return Word(value, self._tree.span(node))
        if isinstance(value, bytes):
            return Word(value.decode("latin-1"), self._tree.span(node))
        if value is None:
            return False
        return value if isinstance(value, bool | int) else None

    def _part(self, node: ast.expr) -> Value:
        if not isinstance(node, ast.FormattedValue):
            return self.value(node)
        plain = node.conversion == -1 and node.format_spec is None
        return self.value(node.value) if plain else None

    def _name(self, node: ast.Name) -> Value:
        name, tree = node.id, self._tree
        if name in self._names:
            return self._names[name]
        if name in self._busy:
            return None
        self._busy.add(name)
        found: Value = None
        if name in tree.constants:
            found = self.value(tree.constants[name])
        elif name in tree.loops:
            items = self.value(tree.loops[name])
            if isinstance(items, Word) and items.glob:
                items = (items,)
            found = Choices(items) if isinstance(items, tuple) else None
        self._busy.discard(name)
        self._names[name] = found
        return found

    def _operation(self, node: ast.BinOp) -> Value:
        span = self._tree.span(node)
        if isinstance(node.op, ast.Add):
            # A long sum leans to the left.
            parts = [node.right]
            rest: ast.expr = node.left
            while isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Add):
                parts.append(rest.right)
                rest = rest.left
            values = [self.value(part) for part in (rest, *reversed(parts))]
            if all(isinstance(value, tuple) for value in values):
                return tuple(item for value in values for item in value)  # type: ignore[union-attr]
            return self._limited(joined(values, span))
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div):
            return path_joined([left, right], span) if isinstance(left, Word) else None
        if isinstance(node.op, ast.Mod) and isinstance(left, Word) and isinstance(left.text, str):
            values = list(right) if isinstance(right, tuple) else [right]
            return self._filled(_PLACEHOLDER.split(left.text), values, span)
        return None

    def _filled(self, texts: list[str], values: list[Value], span: Span) -> Value:
        parts: list[Value] = []
        for index, text in enumerate(texts):
            parts.append(Word(text, span))
            if index < len(texts) - 1:
                parts.append(values[index] if index < len(values) else None)
        return self._limited(joined(parts, span))

    def _limited(self, word: Word) -> Value:
        return word if not isinstance(word.text, str) or len(word.text) <= _MAX_TEXT else None

    def _call(self, node: ast.Call) -> Value:
        span = self._tree.span(node)
        how = self._language.values.get(self.chain(node.func) or "")
        method = node.func if isinstance(node.func, ast.Attribute) else None
        if how is None and method is not None:
            how = self._language.value_methods.get(method.attr)
            if how is None:
                return self._method(node, method, span)
            values = [self.value(method.value), *map(self.value, node.args)]
        else:
            values = [self.value(argument) for argument in node.args]
        if how == "home":
            return home_word(span)
        if how == "path":
            return self._limited(path_joined(values, span))
        if how == "text":
            return self._limited(joined(values, span))
        if how == "same" and values:
            return expanded(values[0])
        if how in ("pattern", "search", "below") and values:
            return searched(how, values, span)
        if how == "words" and values and len(node.args) <= 1:
            return cut(values[0])
        return None

    def _method(self, node: ast.Call, method: ast.Attribute, span: Span) -> Value:
        """Methods of texts."""
        if method.attr not in ("format", "join", "strip", "encode", "decode"):
            return None
        owner = self.value(method.value)
        if not isinstance(owner, Word) or not isinstance(owner.text, str):
            return None
        if method.attr == "join" and len(node.args) == 1:
            items = self.value(node.args[0])
            if isinstance(items, tuple):
                return self._limited(joined(list(items), span, owner.text))
        elif method.attr == "format":
            return self._formatted(owner.text, node, span)
        elif method.attr == "strip":
            return Word(owner.text.strip(), span) if not node.args else None
        elif method.attr in ("encode", "decode"):
            return owner
        return None

    def _formatted(self, text: str, node: ast.Call, span: Span) -> Value:
        pieces = _FIELD.split(text)
        keys = {item.arg: item.value for item in node.keywords if item.arg}
        values: list[Value] = []
        for count, name in enumerate(pieces[1::2]):
            number = int(name) if name.isdecimal() else count
            if name and not name.isdecimal():
                values.append(self.value(keys[name]) if name in keys else None)
            else:
                values.append(self.value(node.args[number]) if number < len(node.args) else None)
        return self._filled(pieces[::2], values, span)
