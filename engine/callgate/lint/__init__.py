"""Lint: what a policy's authors should look at although it loads.

rule        what a rule of the catalogue is, and its findings
subject     what rules look at: documents, the typed policy, its conditions, its tests
rules       the rules, each a small class
catalogue   all of them, by code and name
config      levels of rules, and findings that are not told
ignores     what comments and the configuration leave out
run         apply the rules to a bundle: a `report`, which `plain` makes JSON of
fixing      edits of findings, applied to files; `mending` goes on until nothing changes

What several rules look at, worked out once for a subject:

written, pieces, parts, locating   conditions, their parts and literals, with their places
logic                              what conditions rule out and imply, `patterns` and `globs` too
faults                             parts of conditions that say nothing
order, late_guards                 rules and guards that come too late; `covering` is their index
shipped                            the data that rules come with
"""

__all__: list[str] = []
