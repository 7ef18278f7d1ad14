"""The vocabulary: enums, what is known of the context, settings, named lists, derived facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_names import report_context, report_name, report_section
from callgate.compiler.assemble_types import SCALARS, MisfitError, parse_type, read_value
from callgate.compiler.assembly import Assembly
from callgate.lang.check_context import with_home
from callgate.lang.scope import ROOTS, Name, Read, call_names, holds_paths
from callgate.model.call import CONTEXT_FIELDS
from callgate.model.catalogue import Setting, Vocabulary
from callgate.model.expr import Const, Expr, Fact
from callgate.model.types import (
    PATH,
    REQUIRED,
    STRING,
    Enum,
    Field,
    ListOf,
    MapOf,
    Optional,
    Type,
)

__all__ = ["build_vocabulary", "declare_enums"]

_OWN_ENUMS = frozenset({"tool", "capability", "need", "risk", *SCALARS})


def declare_enums(assembly: Assembly) -> None:
    """The enums of the vocabulary."""
    for name, entry in assembly.merged("vocabulary", "enums"):
        members = entry.child("members").data
        words = tuple(
            dict.fromkeys(word for word in members if isinstance(word, str))
            if isinstance(members, list | dict)
            else ()
        )
        if name in _OWN_ENUMS:
            assembly.diagnostics.error(
                "T018",
                f"`{name}` is a type already",
                entry.name_span(),
                "give the enum another name",
            )
            continue
        ordered, open_ = entry.flag("ordered"), entry.flag("open")
        if ordered and open_:
            assembly.diagnostics.error(
                "S006",
                "an ordered enum can't be open: a word that is no member has no place in the order",
                entry.span("open"),
                "leave out `ordered` or `open`",
            )
        assembly.enums[name] = Enum(name, words, ordered, open_ and not ordered)


def build_vocabulary(assembly: Assembly) -> Vocabulary:
    """The vocabulary without its derived facts, and the names that it gives."""
    context = _context(assembly)
    assembly.scope.add_all(call_names(assembly.enums["tool"], context, assembly.enums["need"]))
    assembly.scope.add(
        "capabilities",
        Name(
            Fact("capabilities"),
            ListOf(assembly.enums["capability"]),
            reads=(Read("capabilities", "capabilities"),),
        ),
    )
    assembly.scope.groups.setdefault("settings", set())
    assembly.scope.homes = homes = _homes(assembly)
    settings = _settings(assembly)
    lists = _lists(assembly)
    tool, argument = _examples(assembly)
    documents = assembly.of_kind("vocabulary")
    sections = dict(chain(*(document.words("sections") for document in documents)))
    for section, place in sections.items():
        report_section(assembly, section, place, settings)
    own = {name: enum for name, enum in assembly.enums.items() if name not in _OWN_ENUMS}
    return Vocabulary(
        enums=own,
        call=context,
        settings=settings,
        lists=lists,
        open_sections=tuple(sections),
        homes=homes,
        example_tool=tool,
        example_argument=argument,
    )


def _report(assembly: Assembly, error: MisfitError, entry: Entry) -> None:
    assembly.diagnostics.error(error.code, error.message, entry.span(), error.help)


def _type(assembly: Assembly, entry: Entry) -> Type | None:
    text = entry.word("type")
    if not text:
        return None
    try:
        return parse_type(text, assembly.enums)
    except MisfitError as error:
        _report(assembly, error, entry.child("type"))
        return None


def _default(assembly: Assembly, entry: Entry, type_: Type) -> Any:
    """The default of a field, read as its type; REQUIRED when there is none."""
    if not isinstance(entry.data, dict) or "default" not in entry.data:
        return REQUIRED
    data = entry.data["default"]
    if data is None and isinstance(type_, MapOf | ListOf):
        data = {} if isinstance(type_, MapOf) else []
    listed = isinstance(type_, ListOf) and isinstance(data, list)
    parts = entry.elements("default") if listed else [entry.child("default")]
    for part in parts:
        wanted = type_.item if isinstance(type_, ListOf) and listed else type_
        try:
            read_value(part.data, wanted, patterns=entry.flag("wildcards"))
        except MisfitError as error:
            _report(assembly, error, part)
            return REQUIRED
    return read_value(data, type_, patterns=True)


def _context(assembly: Assembly) -> dict[str, Field]:
    """What the vocabulary says more exactly of the fields of a call's context."""
    fields: dict[str, Field] = {}
    for name, entry in assembly.merged("vocabulary", "call"):
        base = CONTEXT_FIELDS.get(name)
        if base is None:
            message = f"`{name}` is not a field of `context`"
            help = "fields are listed in docs/formats.md"
            assembly.missing("T003", message, entry.name_span(), name, CONTEXT_FIELDS, "", help)
            continue
        type_ = _type(assembly, entry)
        if type_ is None:
            continue
        if not _refines(type_, base.type):
            assembly.diagnostics.error(
                "S004",
                f"`context.{name}` is {base.type} in the call's format, and can't be {type_}",
                entry.span("type"),
                "a text may become an enum or a path, nothing else",
            )
            continue
        default = _default(assembly, entry, type_)
        if default is REQUIRED:
            default = _kept_default(assembly, base, type_, entry)
        field = Field(type_, entry.word("doc", base.doc), base.unknown, default)
        if not report_context(assembly, name, entry, field):
            fields[name] = field
    return fields


def _refines(type_: Type, base: Type) -> bool:
    if type_ == base:
        return True
    if isinstance(base, Optional | ListOf) and type(type_) is type(base):
        return _refines(type_.item, base.item)
    if isinstance(base, MapOf) and isinstance(type_, MapOf):
        return True
    return base == STRING and (type_ == PATH or isinstance(type_, Enum))


def _kept_default(assembly: Assembly, base: Field, type_: Type, entry: Entry) -> Any:
    """The format's own default, which must be of the new type as well."""
    default = base.default
    if isinstance(type_, Enum) and isinstance(default, str) and not type_.open:
        if default not in type_.members:
            assembly.diagnostics.error(
                "S004",
                f'the default `"{default}"` is not a member of `{type_.name}`',
                entry.name_span(),
                "add it to the members, or give another `default`",
            )
    return default


def _settings(assembly: Assembly) -> dict[str, Setting]:
    settings: dict[str, Setting] = {}
    for name, entry in assembly.merged("vocabulary", "settings"):
        type_ = _type(assembly, entry)
        if type_ is None:
            assembly.scope.broken.add(f"settings.{name}")
            continue
        default = _default(assembly, entry, type_)
        secret = entry.flag("secret")
        of_tools = type_ == ListOf(assembly.enums["tool"])
        if of_tools and isinstance(default, tuple):
            default = tuple(dict.fromkeys(assembly.aliases.get(tool, tool) for tool in default))
        field = Field(type_, entry.word("doc"), False, default, secret)
        settings[name] = Setting(name, field, of_tools, entry.flag("wildcards"))
        fact = f"settings.{name}"
        assembly.scope.add(fact, Name(Fact(fact), type_, False, secret, holds_paths(type_)))
    _report_nested(assembly, settings)
    return settings


def _report_nested(assembly: Assembly, settings: Mapping[str, Setting]) -> None:
    """Report a setting whose key is a section of another's."""
    for document in assembly.of_kind("vocabulary"):
        for name, entry in document.mapping("settings"):
            inner = assembly.scope.groups.get(f"settings.{name}")
            if name in settings and inner:
                assembly.diagnostics.error(
                    "T018",
                    f"`{name}` is a section: it holds `{name}.{min(inner)}`",
                    entry.name_span(),
                    "a key is either a value or a section",
                )


def _lists(assembly: Assembly) -> dict[str, tuple[Type, tuple[str, ...]]]:
    lists: dict[str, tuple[Type, tuple[str, ...]]] = {}
    added = _additions(assembly)
    for name, entry in assembly.merged("vocabulary", "lists", without="add"):
        type_ = _type(assembly, entry)
        root = name.partition(".")[0]
        if root in ROOTS:
            assembly.diagnostics.error(
                "T018",
                f"`{root}` is a name of its own",
                entry.name_span(),
                "let the list's name begin with another word",
            )
            continue
        if report_name(assembly, "list", name, entry):
            continue
        if type_ is None:
            assembly.scope.broken.add(name)
            continue
        items = entry.elements("items") + added.get(name, [])
        found = tuple(_items(assembly, items, type_))
        lists[name] = (type_, found)
        expr: Expr = Const(found)
        symbolic = type_ == PATH and any(item.startswith("~") for item in found)
        reads = (Read("list", name),) if entry.flag("open") else ()
        expr = with_home(expr) if symbolic else expr
        assembly.scope.add(name, Name(expr, ListOf(type_), reads=reads))
    return lists


def _additions(assembly: Assembly) -> dict[str, list[Entry]]:
    """What bundles add to lists that they inherit."""
    added: dict[str, list[Entry]] = {}
    for document in assembly.of_kind("vocabulary"):
        for name, entry in document.mapping("lists"):
            added.setdefault(name, []).extend(entry.elements("add"))
    return added


def _items(assembly: Assembly, entries: Iterable[Entry], type_: Type) -> list[Any]:
    items: list[Any] = []
    for item in entries:
        if type_ == assembly.enums["tool"] and isinstance(item.data, str):
            tool = assembly.tool(item.data, item)
            if tool is not None:
                items.append(tool)
            continue
        if type_ == assembly.enums["capability"] and isinstance(item.data, str):
            assembly.capability(item.data, item)
        try:
            items.append(read_value(item.data, type_, literal=True))
        except MisfitError as error:
            _report(assembly, error, item)
    return items


def _homes(assembly: Assembly) -> tuple[str, ...]:
    """What home folders look like, by all vocabularies."""
    documents = assembly.of_kind("vocabulary")
    words = [home for document in documents for home, _ in document.words("homes")]
    return tuple(dict.fromkeys(words))


def _examples(assembly: Assembly) -> tuple[str, str]:
    found = ("", "")
    first: Entry | None = None
    for document in assembly.of_kind("vocabulary"):
        if "examples" not in document:
            continue
        entry = document.child("examples")
        if first is not None:
            assembly.clash("what an example stands for", entry.span(), first.span())
            continue
        first = entry
        name = entry.word("tool")
        tool = assembly.tool(name, entry.child("tool")) if name else None
        found = (tool or "", entry.word("argument"))
    return found
