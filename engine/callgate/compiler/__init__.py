"""Rule files and settings → decision graph.

source     what a policy is made from, and the way through all stages
assemble*, assembly    documents → a typed policy (`callgate.model.policy`)
reach, examples        what is wrong with a policy as a whole
simplify   settings and constants folded into conditions
build, flow, switches, numbering, data    policy and settings → graph and source map
cache, ownership    compiled graphs on disk, and whether others could have written them
"""
