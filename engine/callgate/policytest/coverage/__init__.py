"""Coverage: which nodes, branches and parts of conditions of a policy its tests reach."""

from __future__ import annotations

from callgate.policytest.coverage.coverage import Coverage
from callgate.policytest.coverage.rules import RuleCounts, RuleCoverage

__all__ = ["Coverage", "RuleCounts", "RuleCoverage"]
