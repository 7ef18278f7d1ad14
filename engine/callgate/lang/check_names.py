"""The type of words, members and lookups: facts, binders, enum members, fields, map entries."""

from __future__ import annotations

from typing import Any, Final

from callgate.lang.check_arguments import argument
from callgate.lang.check_context import BROKEN, Context, Typed, dotted
from callgate.lang.check_types import a, present
from callgate.lang.scope import BUILT_IN
from callgate.model.expr import Apply, Const, Fact, Get
from callgate.model.syntax import Lookup, Member, Syntax, Value, Word
from callgate.model.types import JSON, STRING, Enum, MapOf, Optional, Record, Type

__all__ = ["is_name", "lookup", "member", "member_of_enum", "named", "word"]


_OF_FILES: Final = {
    "profiles": "profiles",
    "risk": "risk-map",
    "security_profiles": "security-profiles",
}
"""Names that are there only where the bundle has a file of a kind."""


def is_name(context: Context, node: Syntax) -> bool:
    """Whether a word or member names a fact, definition or binder, or reads from one; what does
    not can only be an enum member."""
    if id(node) in context.scope.resolved:
        return True
    while type(node) is Member:
        node = node.base
    if type(node) is not Word:
        return True
    return node.name in context.binders or context.scope.taken(node.name)


def named(context: Context, name: str, node: Syntax, secret: bool = False) -> Typed | None:
    """The meaning of a full dotted name; None when there is no such name.

    `secret`: a secret setting may be named here.
    """
    found = context.scope.names.get(name)
    if found is None:
        if name not in context.scope.broken:
            return None
        context.failed = True
        return BROKEN
    if found.reads:
        context.note(found.reads, node)
    context.inlined = context.inlined or found.defined
    if found.secret and not secret:
        return context.error(
            "T014",
            f"`{name}` is secret and can't be read",
            node,
            f"ask only whether it is set: `has {name}`",
        )
    typed = Typed(found.expr, found.type, found.unknown, found.outside)
    if not (found.reads or found.secret or found.defined):
        context.scope.resolved[id(node)] = (node, typed)
    return typed


def word(context: Context, node: Word, expected: Type | None) -> Typed:
    """A bare word: a binder, a name, or a member of the enum that the other side is of."""
    name = node.name
    if name in context.binders:
        return context.binders[name]
    found = named(context, name, node)
    if found is not None:
        return found
    if name == "args":
        return context.error(
            "T005", "`args` is not a value", node, 'name an argument: `args.path`, `args["path"]`'
        )
    if name in context.scope.groups:
        return _group(context, name, node)
    enum = present(expected) if expected is not None else None
    if isinstance(enum, Enum):
        return member_of_enum(context, name, node, enum, quoted=False)
    words = [*context.scope.words(), *context.binders]
    if name in _OF_FILES:
        message = f"the bundle has no `{name}`"
        help = f"add a file of kind `{_OF_FILES[name]}`"
        return context.unknown("T001", message, node, name, (), help)
    otherwise = f'a text is written in quotes: `"{name}"`'
    if expected is None or enum not in (STRING, JSON):
        otherwise = "a name is a fact, a definition of this file, or a binder"
    return context.unknown("T001", f"`{name}` is not known here", node, name, words, otherwise)


def member(context: Context, node: Member, expected: Type | None) -> Typed:
    """`base.name`: a dotted name, an argument, a field, or a dotted enum member (`fs.read`)."""
    known = context.scope.resolved.get(id(node))
    if known is not None:
        typed: Typed = known[1]
        return typed
    full = dotted(node)
    root = full.partition(".")[0]
    if full and root not in context.binders:
        if root == "args" and full == f"args.{node.name}":
            return argument(context, node.name, node)
        found = named(context, full, node)
        if found is not None:
            return found
        if full in context.scope.groups:
            return _group(context, full, node)
        if not context.scope.taken(root):
            return _not_a_name(context, node, full, expected)
        before = full.rpartition(".")[0]
        if before in context.scope.groups and before not in context.scope.names:
            words = context.scope.groups[before]
            return context.unknown(
                "T003",
                f"`{node.name}` is not a field of `{before}`",
                node,
                node.name,
                words,
                _some(words),
                name=True,
                certain=root in BUILT_IN,
            )
    return _field(context, context.infer(node.base, None), node)


def _not_a_name(context: Context, node: Member, full: str, expected: Type | None) -> Typed:
    enum = present(expected) if expected is not None else None
    setting = f"settings.{full}"
    if setting in context.scope.names and not (
        isinstance(enum, Enum) and full in context.scope.members(enum)
    ):
        help = f"did you mean `{setting}`?"
        return context.error("T001", f"`{full}` is not known here", node, help)
    if isinstance(enum, Enum):
        return member_of_enum(context, full, node, enum, quoted=False)
    root: Syntax = node
    while isinstance(root, Member):
        root = root.base
    name = full.partition(".")[0]
    words = [*context.scope.words(), *context.binders]
    return context.unknown("T001", f"`{name}` is not known here", root, name, words)


def _group(context: Context, name: str, node: Syntax) -> Typed:
    words = context.scope.groups[name]
    return context.error(
        "T005", f"`{name}` is a group of names, not a value", node, _some(words, name + ".")
    )


def _some(words: Any, before: str = "") -> str:
    if not words:
        return "there are none"
    shown = [f"`{before}{word}`" if word else '`""`' for word in sorted(words)[:8]]
    return f"it has {', '.join(shown)}{' …' if len(words) > len(shown) else ''}"


def _field(context: Context, base: Typed, node: Member) -> Typed:
    """A field of a record or of a JSON object."""
    if base is BROKEN:
        return BROKEN
    type_ = present(base.type)
    if type_ == JSON:
        # A field of an absent value, or of one that is no object, is absent.
        return Typed(Get(base.expr, node.name), Optional(JSON), base.unknown)
    if isinstance(type_, Record):
        base = context.required(base, node.base)
        if base is BROKEN:
            return BROKEN
        field = type_.fields.get(node.name)
        if field is not None:
            return Typed(Get(base.expr, node.name), field.type, base.unknown or field.unknown)
        return context.unknown(
            "T003",
            f"`{node.name}` is not a field of `{type_}`",
            node,
            node.name,
            type_.fields,
            _some(type_.fields),
            name=True,
            certain=True,
        )
    help = f'write `{context.bare(node.base)}["{node.name}"]`' if isinstance(type_, MapOf) else ""
    return context.error(
        "T003",
        f"{context.shown(node.base)} is {a(base.type)} and has no fields",
        node,
        help,
        name=True,
    )


def lookup(context: Context, node: Lookup, expected: Type | None) -> Typed:
    """`m[key]` of a map, `args["name"]`, or a field of a JSON object."""
    key = node.key
    text = key.value if isinstance(key, Value) and isinstance(key.value, str) else None
    if isinstance(node.base, Word) and node.base.name == "args":
        if text is None:
            return context.error(
                "T005", "an argument is named by a text in quotes", key, 'as in `args["file-path"]`'
            )
        return argument(context, text, node)
    base = context.infer(node.base, None)
    if base is BROKEN:
        context.infer(key, STRING)
        return BROKEN
    if present(base.type) == JSON and text is not None:
        return Typed(Get(base.expr, text), Optional(JSON), base.unknown)
    base = context.required(base, node.base)
    index = context.value(key, STRING)
    if base is BROKEN or index is BROKEN:
        return BROKEN
    if not isinstance(base.type, MapOf):
        return context.mismatch("[…]", base, node.base, "a map", "")
    if index.type != STRING and not isinstance(index.type, Enum):
        return context.mismatch("[…]", index, key, "a text as key", "")
    _check_key(context, base, text, key)
    return Typed(
        Apply("item", (base.expr, index.expr)),
        Optional(present(base.type.value)),
        base.unknown or index.unknown,
        base.outside,
    )


def _check_key(context: Context, base: Typed, key: str | None, node: Syntax) -> None:
    """Report a key that a map of the policy (`profiles`) does not have."""
    if key is None or not isinstance(base.expr, Fact):
        return
    keys = context.scope.keys.get(base.expr.name)
    if keys is not None and key not in keys:
        context.unknown(
            "C013",
            f"`{key}` is not a profile in `{base.expr.name}`",
            node,
            key,
            keys,
            _some(keys),
        )


def member_of_enum(context: Context, text: str, node: Syntax, enum: Enum, quoted: bool) -> Typed:
    """A member of an enum, as a word or as a quoted text. A quoted text of an open enum may be
    anything but a tool's alias."""
    if text in context.scope.members(enum):
        return Typed(Const(text), enum)
    shown = f'"{text}"' if quoted else text
    tool = context.scope.aliases.get(text) if enum.name == "tool" else None
    if tool is not None:
        return context.error(
            "T004" if quoted else "T002",
            f"`{shown}` is an alias of the tool `{tool}`",
            node,
            f"a call's tool is always the tool's own name: write `{tool}`, or compare "
            "`call.called_as`",
        )
    if quoted and enum.open:
        return Typed(Const(text), enum)
    otherwise = _some(enum.members)
    if enum.open and not quoted:
        otherwise = f'write `"{text}"` for a name that is not in the policy; {otherwise}'
    return context.unknown(
        "T002", f"`{shown}` is not a member of `{enum.name}`", node, text, enum.members, otherwise
    )
