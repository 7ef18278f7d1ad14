"""Proposed cases in a test file."""

from __future__ import annotations

from collections.abc import Iterable

from callgate.load.dumping import item_text
from callgate.policytest.from_log import added, new_file
from callgate.policytest.proposals.propose import Proposal, ProposedExample
from callgate.runtime.masking import escape

__all__ = ["examples_text", "in_file"]


def in_file(proposals: Iterable[Proposal], file: str, data: bytes | None = None) -> str:
    """A test file with the proposed cases at its end, each below a comment of what it covers.

    `file`: its name, for messages; `data`: what stands in it, None for a new one. Raises ValueError
    where it is no test file, or a case can't be put there.
    """
    text = "" if data is None else data.decode("utf-8", "replace")
    for proposal in proposals:
        if text:
            longer = added(proposal.case, file, text.encode())
            start = len(text) + (not text.endswith("\n"))
        else:
            longer = new_file(proposal.case)
            start = longer.index("cases:\n") + len("cases:\n")
        item = longer[start:]
        indent = item[: len(item) - len(item.lstrip(" "))]
        comments = "".join(f"{indent}# Covers {line}\n" for line in _covers(proposal))
        text = longer[:start] + comments + item
    return text


def examples_text(examples: Iterable[ProposedExample]) -> str:
    """The examples as comments: they belong into the guards' own files."""
    lines = []
    for example in examples:
        kind = "match" if example.fires else "pass"
        lines.append(f"# An example that {example.guard} must {kind}; covers")
        lines += [f"#   {escape(words)}" for words in example.words]
        lines += [f"#     {line}" for line in item_text(example.call, "").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _covers(proposal: Proposal) -> Iterable[str]:
    """What a case covers, a line each."""
    return (escape(words) for words in proposal.words)
