"""A bundle's documents → a typed policy.

The order is that of what needs what: names of tools and enums, the vocabulary, derived facts and
definitions, then every condition. Nothing stops at the first mistake; a policy comes out only when
there was none.
"""

from __future__ import annotations

from dataclasses import replace

from callgate.compiler.assemble_checks import build_settings_checks
from callgate.compiler.assemble_definitions import build_derived
from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assemble_flow import build_flow
from callgate.compiler.assemble_gate import build_gate
from callgate.compiler.assemble_order import check_order
from callgate.compiler.assemble_profiles import build_profiles, build_security_profiles
from callgate.compiler.assemble_programs import build_languages, build_programs
from callgate.compiler.assemble_removed import explain_removals
from callgate.compiler.assemble_risk import build_risk, declare_risk
from callgate.compiler.assemble_rules import build_guards, build_invariants, build_masking
from callgate.compiler.assemble_tools import build_dynamic, build_tools, declare_tools
from callgate.compiler.assemble_visibility import build_visibility
from callgate.compiler.assemble_vocabulary import build_vocabulary, declare_enums
from callgate.compiler.assembly import Assembly
from callgate.load.bundle import Bundle
from callgate.model.diagnostic import Diagnostics
from callgate.model.policy import Policy

__all__ = ["assemble", "prepare"]


def prepare(bundle: Bundle, diagnostics: Diagnostics) -> Assembly:
    """The names that a bundle gives to its conditions: tools, vocabulary, profiles, definitions.

    `Assembly.scope` and `Assembly.checker` are then ready for any condition of the bundle.
    """
    documents: dict[str, list[Entry]] = {}
    for document in bundle.documents:
        documents.setdefault(document.kind, []).append(Entry.of(document))
    replaced = frozenset((item.kind, item.name) for item in bundle.replacements)
    assembly = Assembly(diagnostics, documents, bundle.incomplete, bundle.layers, replaced)
    declare_tools(assembly)
    declare_enums(assembly)
    declare_risk(assembly)
    vocabulary = build_vocabulary(assembly)
    assembly.profiles = build_profiles(assembly)
    assembly.security_profiles = build_security_profiles(assembly)
    assembly.vocabulary = replace(vocabulary, derived=build_derived(assembly))
    return assembly


def assemble(bundle: Bundle, diagnostics: Diagnostics) -> Policy | None:
    """The policy that a bundle's documents say.

    Every mistake goes to `diagnostics`; the result is None when there is an error among them,
    also one of an earlier stage.
    """
    assembly = prepare(bundle, diagnostics)
    tools = build_tools(assembly)
    dynamic = build_dynamic(assembly)
    risk = build_risk(assembly, tools)
    guards = build_guards(assembly)
    visibility = build_visibility(assembly)
    flow = build_flow(assembly, visibility)
    check_order(assembly)
    invariants = build_invariants(assembly)
    masking = build_masking(assembly)
    programs = build_programs(assembly)
    languages = build_languages(assembly)
    settings_checks = build_settings_checks(assembly)
    gate = build_gate(assembly)
    if not assembly.flows() and "flow" not in bundle.incomplete:
        diagnostics.error(
            "C011",
            "the bundle has no file of kind `flow`",
            bundle.manifest.span("files", key=True),
            "add one: it says in which steps a call is decided",
        )
    explain_removals(diagnostics, bundle.replacements)
    if flow is None or diagnostics.has_errors:
        return None
    return Policy(
        bundle.name,
        bundle.version,
        bundle.title,
        assembly.vocabulary,
        flow,
        tools,
        dynamic,
        risk,
        guards,
        programs,
        languages,
        masking,
        assembly.profiles,
        assembly.security_profiles,
        invariants,
        visibility,
        settings_checks=settings_checks,
        gate=gate,
        extends=bundle.extends,
        replacements=bundle.replacements,
    )
