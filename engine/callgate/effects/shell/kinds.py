"""The kinds of node in the grammar's syntax trees."""

from __future__ import annotations

from typing import Final

__all__ = ["EXPANSIONS", "LEAVES", "RUNS", "STATEMENTS"]

EXPANSIONS: Final = frozenset(
    {
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    }
)
"""What is replaced in a word."""

RUNS: Final = frozenset({"command_substitution", "process_substitution"})
"""Those that run something."""

LEAVES: Final = frozenset(
    {"word", "file_descriptor", "number", "raw_string", "ansi_c_string", "variable_name"}
)
"""What holds nothing that is replaced."""

STATEMENTS: Final = frozenset(
    {
        "command",
        "declaration_command",
        "unset_command",
        "redirected_statement",
        "list",
        "pipeline",
        "negated_command",
        "subshell",
        "compound_statement",
        "do_group",
        "if_statement",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
        "case_item",
        "function_definition",
    }
)
"""What runs by itself."""
