"""Lint: what a policy's authors should look at although it loads.

rule        what a rule of the catalogue is, and its findings
subject     what rules look at: documents, the typed policy, its conditions, its tests
rules       the rules, each a small class
catalogue   all of them, by code and name
config      levels of rules, and findings that are not told
comments    comments that ask to leave findings out; `ignores` does so
run         apply the rules to a bundle: a `report`, which `plain` makes JSON of
fixing      edits of findings, applied to files; `mending` goes on until nothing changes
"""

__all__: list[str] = []
